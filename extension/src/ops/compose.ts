/**
 * Outline and text of a whole tab, put together from the pieces of its instances (tools.md 6.3, 6.8,
 * 6.17). Pure but for the readers it is given; the caps hold over all documents together.
 */
import {
  SNAPSHOT_BYTES,
  SNAPSHOT_LINES,
  TEXT_LIMIT,
  type FrameSlot,
  type SnapshotData,
  type TextData,
} from '../page-channel';
import { cut, quoted } from '../text';
import type { FoundFrame } from './frames';

/** Decides on a slot of the instance at `base`; null leaves it out. */
export type Cover = (slot: FrameSlot, base: readonly number[], siblings: readonly FrameSlot[]) => Promise<FoundFrame | null>;

export interface Outline {
  text: string;
  refCount: number;
  truncated: boolean;
}

const HREF_LIMIT = 200;

/** How a window without an origin of http or https spells it. */
const OPAQUE = 'null';

/** A frame that stays silent, or goes, is left out: null. */
export type ReadOutline = (frame: FoundFrame, limit: number, hasFocus: boolean) => Promise<SnapshotData | null>;
export type ReadText = (frame: FoundFrame, limit: number) => Promise<TextData | null>;

const encoder = new TextEncoder();
/** In UTF-8, with its end. Most lines are ASCII, and need no encoding to be measured. */
const bytesOf = (line: string): number => (/^[\x20-\x7e]*$/.test(line) ? line.length : encoder.encode(line).length) + 1;

/** What the note takes at most, with two numbers of ten digits. */
const NOTE_BYTES = 80;

/** `bytes`: what the whole may take. */
export async function composeOutline(top: SnapshotData, cover: Cover, read: ReadOutline, bytes = Infinity): Promise<Outline> {
  const lines: string[] = [];
  let refs = 0;
  let total = 0;
  let left = bytes - NOTE_BYTES - top.head.reduce((sum, line) => sum + bytesOf(line), 0);
  let full = false;

  /** False once there is no room: what comes then is counted, not shown, so that nothing is missing in between. */
  function put(line: string): boolean {
    if (bytes !== Infinity) left -= bytesOf(line);
    full ||= left < 0 || lines.length >= SNAPSHOT_LINES;
    if (!full) lines.push(line);
    return !full;
  }

  async function emit(data: SnapshotData, depth: number, base: readonly number[], hasFocus: boolean): Promise<void> {
    total += data.total;
    const slots = new Map(data.frames.map((slot) => [slot.line, slot]));
    for (const [at, line] of data.lines.entries()) {
      if (full || lines.length >= SNAPSHOT_LINES) return;
      const indent = '  '.repeat(depth + line.depth);
      const slot = slots.get(at);
      const before = lines.length;
      if (slot === undefined) put(indent + line.text);
      else await frame(slot, data.frames, indent + line.text, depth + line.depth + 1, base, hasFocus && slot.focused);
      if (line.ref && lines.length > before) refs += 1;
    }
  }

  async function frame(
    slot: FrameSlot,
    siblings: readonly FrameSlot[],
    line: string,
    depth: number,
    base: readonly number[],
    hasFocus: boolean,
  ): Promise<void> {
    // Its own line counts before what is below it.
    const room = SNAPSHOT_LINES - lines.length - 1;
    const found = room > 0 ? await cover(slot, base, siblings) : null;
    const inside = found === null ? null : await read(found, room, hasFocus);
    if (found === null || inside === null) {
      const origin = slot.srcOrigin === '' ? '' : ` origin=${quoted(slot.srcOrigin, HREF_LIMIT)}`;
      put(`${line}${hasFocus ? ' [focused]' : ''} [left-out]${origin}`);
      return;
    }
    if (put(`${line} origin=${quoted(found.origin, HREF_LIMIT)}`)) await emit(inside, depth, found.path, hasFocus);
  }

  await emit(top, 0, [], true);
  const truncated = total > lines.length;
  const note = truncated
    ? [`note: ${lines.length} of ${total} elements shown; pass selector to narrow`]
    : lines.length === 0
      ? ['note: no interactive elements']
      : [];
  return { text: [...top.head, ...lines, ...note].join('\n'), refCount: refs, truncated };
}

export interface PageText {
  text: string;
  url: string;
  truncated: boolean;
}

export async function composeText(top: TextData, cover: Cover, read: ReadText): Promise<PageText> {
  let out = '';
  let cutShort = top.truncated;

  /** Starts a line, unless one has just begun. */
  const fresh = (): void => {
    if (out !== '' && !out.endsWith('\n')) out += '\n';
  };

  async function emit(data: TextData, base: readonly number[]): Promise<void> {
    if (data.truncated) cutShort = true;
    const slots = data.parts.filter((p): p is FrameSlot => typeof p !== 'string');
    let afterFrame = false;
    for (const part of data.parts) {
      if (out.length > TEXT_LIMIT) return;
      if (typeof part === 'string') {
        if (afterFrame) fresh();
        out += afterFrame && out.endsWith('\n') ? part.replace(/^\n+/, '') : part;
        afterFrame = part === '' && afterFrame;
        continue;
      }
      fresh();
      const found = await cover(part, base, slots);
      const inside = found === null ? null : await read(found, TEXT_LIMIT + 1 - out.length);
      if (found === null || inside === null) out += `[frame left out: ${part.srcOrigin === '' ? OPAQUE : part.srcOrigin}]`;
      else await emit(inside, found.path);
      afterFrame = true;
    }
  }

  await emit(top, []);
  const over = out.length > TEXT_LIMIT;
  return {
    text: over ? cut(out, TEXT_LIMIT) : cutShort ? `${out}...` : out,
    url: top.url,
    truncated: over || cutShort,
  };
}
