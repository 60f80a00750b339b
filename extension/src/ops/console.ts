/** `console_get` (tools.md 6.13): what the browser still holds of the page's console. */
import * as z from 'zod/mini';
import { pause } from '../async';
import type { Attached, Params, Sessions } from '../cdp/sessions';
import { classify, webUrl } from '../gate/site';
import type { Args } from '../link/requests';
import { maskString } from '../mask';
import { noticeBefore, unmoved, whileAttached } from './attached';
import type { Context, Operation, Operations } from './context';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** How long the browser is given to replay. */
const REPLAY_MS = 400;

export function limitOf({ limit }: Args): number {
  if (typeof limit !== 'number' || limit <= 0) return DEFAULT_LIMIT;
  return Math.min(limit, MAX_LIMIT);
}

interface Line {
  level: string;
  text: string;
  source: string;
  url: string;
  at: number;
  /** The context that said it; null for what the browser itself says. */
  context: number | null;
}

const Remote = z.object({
  type: z.string(),
  value: z.optional(z.unknown()),
  unserializableValue: z.optional(z.string()),
  description: z.optional(z.string()),
});
const Stack = z.optional(z.object({ callFrames: z.array(z.object({ url: z.string() })) }));

const Called = z.object({
  type: z.string(),
  args: z.array(Remote),
  executionContextId: z.number(),
  timestamp: z.number(),
  stackTrace: Stack,
});
const Thrown = z.object({
  timestamp: z.number(),
  exceptionDetails: z.object({
    text: z.string(),
    url: z.optional(z.string()),
    executionContextId: z.optional(z.number()),
    exception: z.optional(Remote),
  }),
});
const Added = z.object({
  entry: z.object({
    source: z.string(),
    level: z.string(),
    text: z.string(),
    timestamp: z.number(),
    url: z.optional(z.string()),
  }),
});
const Created = z.object({
  context: z.object({
    id: z.number(),
    origin: z.string(),
    auxData: z.optional(z.object({ isDefault: z.optional(z.boolean()) })),
  }),
});

function wordOf({ value, unserializableValue, description }: z.infer<typeof Remote>): string {
  if (typeof value === 'string') return value;
  if (value !== undefined && value !== null && typeof value !== 'object') return String(value);
  return unserializableValue ?? description ?? (value === null ? 'null' : 'undefined');
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** An event of the protocol as a line, or null if it is none. */
export function lineOf(method: string, params: Params): Line | null {
  if (method === 'Runtime.consoleAPICalled') {
    const called = Called.safeParse(params);
    if (!called.success) return null;
    const { type, args, timestamp, executionContextId, stackTrace } = called.data;
    return {
      level: type,
      text: args.map(wordOf).join(' '),
      source: 'console-api',
      url: stackTrace?.callFrames[0]?.url ?? '',
      at: timestamp,
      context: executionContextId,
    };
  }
  if (method === 'Runtime.exceptionThrown') {
    const thrown = Thrown.safeParse(params);
    if (!thrown.success) return null;
    const { text, url, exception, executionContextId } = thrown.data.exceptionDetails;
    const said = exception === undefined ? '' : wordOf(exception);
    return {
      level: 'error',
      text: firstLine(said === '' ? text : text === 'Uncaught' || text.startsWith('Uncaught (in promise)') ? `${text} ${said}` : said),
      source: 'exception',
      url: url ?? '',
      at: thrown.data.timestamp,
      context: executionContextId ?? null,
    };
  }
  if (method === 'Log.entryAdded') {
    const added = Added.safeParse(params);
    if (!added.success) return null;
    const { level, text, source, url, timestamp } = added.data.entry;
    return { level, text, source, url: url ?? '', at: timestamp, context: null };
  }
  return null;
}

/** Lines and the origins of the page's contexts, those of extensions left out. */
async function collect(context: Context, { command, on, fresh }: Attached): Promise<{ lines: Line[]; origins: Map<number, string> }> {
  const lines: Line[] = [];
  const origins = new Map<number, string>();
  const stop = on((method, params) => {
    const created = method === 'Runtime.executionContextCreated' ? Created.safeParse(params) : null;
    if (created?.success && created.data.context.auxData?.isDefault === true)
      origins.set(created.data.context.id, created.data.context.origin);
    const line = lineOf(method, params);
    if (line !== null) lines.push(line);
  });
  try {
    // Only what is enabled anew is replayed; in a session that stays an earlier call left it enabled.
    if (!fresh) await disable(command);
    await command('Runtime.enable');
    await command('Log.enable');
    await pause(context.tools.clock, REPLAY_MS, context.signal);
    if (fresh) await disable(command);
  } finally {
    stop();
  }
  return { lines, origins };
}

async function disable(command: Attached['command']): Promise<void> {
  await command('Runtime.disable');
  await command('Log.disable');
}

/**
 * What was said in a frame of another origin is given out only if that is approved too. What the browser itself
 * says names no frame, and it is held when the frame is gone: it carries no address of a site that nobody approved,
 * and while a frame of one is there, only what is about an approved site is given.
 */
async function approved(context: Context, lines: readonly Line[], origins: Map<number, string>): Promise<Line[]> {
  const verdicts = new Map<string, boolean>([[context.origin, true]]);
  async function ask(origin: string | undefined): Promise<boolean> {
    if (origin === undefined) return false;
    let verdict = verdicts.get(origin);
    if (verdict === undefined)
      verdicts.set(origin, (verdict = classify(`${origin}/`).kind === 'web' && (await context.tools.allowlist.allows(origin))));
    return verdict;
  }
  let among = false;
  for (const origin of origins.values()) among ||= !(await ask(origin));
  const kept: Line[] = [];
  for (const line of lines) {
    // A context that is gone: that of a frame which nobody can be asked about.
    if (await ask(line.context === null ? webUrl(line.url)?.origin : origins.get(line.context))) kept.push(line);
    else if (line.context === null && !among && !line.text.includes('://')) kept.push({ ...line, url: '' });
  }
  return kept;
}

const shown = ({ level, text, source, url }: Line) => ({
  level,
  text: maskString(text),
  source,
  ...(url === '' ? {} : { url: maskString(url) }),
});

export function consoleOperations(cdp: Sessions) {
  const console_get: Operation = {
    target: 'tab',
    address: 'page',
    notice: noticeBefore(cdp),
    async act(context) {
      const limit = limitOf(context.args);
      const { lines, origins } = await whileAttached(context, cdp, (tab) => collect(context, tab));
      const all = (await approved(context, lines, origins)).sort((a, b) => a.at - b.at);
      const entries = all.slice(-limit).map(shown);
      const { url } = await unmoved(context, 'it was read');
      return { count: entries.length, entries, truncated: all.length > limit, url: maskString(url) };
    },
  };
  return { console_get } satisfies Operations;
}
