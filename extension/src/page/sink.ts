/** Where rendered text is written: lines, and the white space between its pieces. */
import type { FrameSlot } from '../page-channel';

export interface Sink {
  parts: Array<string | FrameSlot>;
  /** What was written since the last slot, in pieces: asking a growing string for its end copies it. */
  pieces: string[];
  /** The last character of it. */
  last: string;
  /** A space is owed before the next text of this line. */
  space: boolean;
  /** Line breaks are owed before the next text. */
  breaks: number;
  /** Frames contribute: those reached their text, the others a slot. Names have none of it. */
  frames: boolean;
  /** The element whose name this is going to be: things in it are called as people hear of them. */
  naming: Element | null;
  without: Element | null;
}

function put(sink: Sink, text: string): void {
  if (text === '') return;
  sink.pieces.push(text);
  sink.last = text.charAt(text.length - 1);
}

export function write(sink: Sink, raw: string, verbatim = false): void {
  const fresh = sink.breaks > 0 || sink.space || sink.last === '' || sink.last === '\n' || sink.last === '\t';
  const text = fresh && !verbatim ? raw.replace(/^[ \t\n]+/, '') : raw;
  if (text === '') return;
  if (sink.breaks > 0 && sink.last !== '') put(sink, '\n'.repeat(sink.breaks));
  else if (sink.space) put(sink, ' ');
  sink.breaks = 0;
  let end = text.length;
  if (!verbatim) while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  sink.space = end < text.length;
  put(sink, end < text.length ? text.slice(0, end) : text);
}

export function flush(sink: Sink): void {
  const text = sink.pieces.join('').replace(/\n+$/, '');
  if (text !== '') sink.parts.push(text);
  sink.pieces = [];
  sink.last = '';
  sink.space = false;
  sink.breaks = 0;
}

export const breakLine = (sink: Sink, lines: number): void => {
  sink.breaks = Math.max(sink.breaks, lines);
};
