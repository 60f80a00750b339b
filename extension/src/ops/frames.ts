/**
 * Frames of a tab that no instance reaches (tools.md 6.17): where they are, and whether they may be
 * covered by an instance of their own. Nothing of a page is read here but origin and address.
 */
import * as z from 'zod/mini';
import { within } from '../async';
import { runInAllFrames } from '../browser/scripting';
import type { Clock } from '../clock';
import type { Allowlist } from '../gate/allowlist';
import { classify } from '../gate/site';
import type { FrameSlot } from '../page-channel';

/** How long the browser has to tell of all frames. */
export const FIND_MS = 1000;
/** How long a covered frame has to answer. */
export const READ_MS = 2000;

export interface FoundFrame {
  frameId: number;
  /** The window's own idea of its origin: "null" where it is opaque. */
  origin: string;
  address: string;
  /** Indices in `window.frames` from the top; -1 where a step has none. */
  path: number[];
}

export type FrameFacts = Omit<FoundFrame, 'frameId'>;
const Facts = z.object({ origin: z.string(), address: z.string(), path: z.array(z.int()) });

/** Runs in each frame: self-contained. Another origin's `parent` still gives its length and indices. */
function frameFacts(): FrameFacts {
  const path: number[] = [];
  for (let w: Window = window; w !== w.parent; w = w.parent) {
    let at = -1;
    for (let i = 0; i < w.parent.length; i++) if (w.parent[i] === w) at = i;
    path.unshift(at);
  }
  return { origin: self.origin, address: location.href, path };
}

/** A frame whose answer does not fit is none that could be covered. */
async function discover(tabId: number): Promise<{ frameId: number; result: FrameFacts }[]> {
  return (await runInAllFrames(tabId, frameFacts)).flatMap(({ frameId, result }) => {
    const facts = Facts.safeParse(result);
    return facts.success ? [{ frameId, result: facts.data }] : [];
  });
}

/** For one call about a tab. */
export const framesOf = (tabId: number, { allowlist, clock }: { allowlist: Pick<Allowlist, 'allows'>; clock: Clock }): FrameFinder =>
  createFrameFinder(() => discover(tabId), allowlist, clock);

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, i) => n === b[i]);

/**
 * The frame behind a slot. A path with a step that has no index says nothing; then the address
 * decides, if one frame and one slot of that instance have it.
 */
export function match(
  slot: FrameSlot,
  base: readonly number[],
  found: readonly FoundFrame[],
  siblings: readonly FrameSlot[],
): FoundFrame | null {
  const path = [...base, ...slot.path];
  if (!path.includes(-1)) return found.find((f) => same(f.path, path)) ?? null;
  if (slot.address === '') return null;
  const alike = siblings.filter((s) => s.path.includes(-1) && s.address === slot.address);
  const hits = found.filter((f) => f.path.includes(-1) && f.address === slot.address);
  return alike.length === 1 && hits.length === 1 ? (hits[0] ?? null) : null;
}

export interface FrameFinder {
  /** What there is, asked once and remembered for the call; nothing if the browser is late. */
  all(): Promise<FoundFrame[]>;
  /** The frame behind a slot, if it may be covered; null leaves it out. */
  cover(slot: FrameSlot, base: readonly number[], siblings: readonly FrameSlot[]): Promise<FoundFrame | null>;
}

export function createFrameFinder(
  discover: () => Promise<{ frameId: number; result: FrameFacts }[]>,
  allowlist: Pick<Allowlist, 'allows'>,
  clock: Clock,
): FrameFinder {
  let known: Promise<FoundFrame[]> | null = null;

  const ask = (): Promise<FoundFrame[]> =>
    within(
      clock,
      FIND_MS,
      discover()
        .then((rows) => rows.map(({ frameId, result }) => ({ frameId, ...result })))
        .catch(() => []),
      () => [],
    );

  const all = (): Promise<FoundFrame[]> => (known ??= ask());

  return {
    all,
    async cover(slot, base, siblings) {
      const hit = match(slot, base, await all(), siblings);
      // The origin is judged and shown, not the address: a blank frame has its creator's origin.
      if (hit === null || classify(`${hit.origin}/`).kind !== 'web') return null;
      return (await allowlist.allows(hit.origin)) ? hit : null;
    },
  };
}
