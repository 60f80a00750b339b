/** Waiting for something to come. */
import type { PageData } from '../page-channel';
import { bodyOf, pause, stateOf } from './natives';
import { textParts } from './page-text';
import { refuse } from './refusals';
import { bySelector } from './targets';

interface WaitArgs {
  selector?: string | undefined;
  text?: string | undefined;
  nav: boolean;
  timeoutMs: number;
  totalMs: number;
}

function fulfilled(args: WaitArgs): PageData<'page_wait_for'> | null {
  if (args.selector !== undefined && bySelector(args.selector) !== null) return { matched: true, selector: args.selector };
  if (args.text !== undefined) {
    const text = textParts(bodyOf(document)).filter((part) => typeof part === 'string').join('\n');
    if (text.includes(args.text)) return { matched: true, text: args.text };
  }
  const readyState = stateOf(document);
  return args.nav && readyState === 'complete' ? { matched: true, nav: true, url: location.href, readyState } : null;
}

export async function waitFor(args: WaitArgs, alive: () => void): Promise<PageData<'page_wait_for'>> {
  const end = performance.now() + args.timeoutMs;
  for (;;) {
    const found = fulfilled(args);
    if (found !== null) return found;
    const left = end - performance.now();
    if (left <= 0) throw refuse(`wait_for timed out after ${args.totalMs}ms`);
    await pause(Math.min(150, left));
    alive();
  }
}
