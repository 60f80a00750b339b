/**
 * What the worker and the injected page half say to each other.
 *
 * One message, one reply. The page half (`createPageApi`) has one method per op, named like the op
 * and taking the message without `v` and `op`; the entrypoint `page.content.ts` parses the message,
 * calls the method and sends back what it returns. The CDP backend calls the same methods with the
 * same JSON. Everything here is plain JSON in both directions.
 *
 * A reply that merely looks like an error is data: only the envelope decides. The page half never
 * throws across the channel; the entrypoint turns a throw into EXECUTION_FAILED.
 *
 * zod/mini, because this file is part of what is injected into every page.
 */
import * as z from 'zod/mini';

// Our policy forbids code from strings; without this zod would try, and be reported for it.
z.config({ jitless: true });

export const CHANNEL_VERSION = 1;

/** Attributes in which refs live in the page (tools.md 6.2). */
export const REF_ATTR = 'data-genkan-ref';
export const PRECISE_ATTR = 'data-genkan-pref';

/** Limits of the outline and of the text that hold over all documents of one call. */
export const SNAPSHOT_LINES = 2000;
/** Bytes of the default outline: so many lines with long names would fill the head of whoever reads them. */
export const SNAPSHOT_BYTES = 65_536;
export const TEXT_LIMIT = 20_000;
/** Characters of a script that a link runs: as many as code that is handed over. A longer one is not run. */
export const SCRIPT_LIMIT = 65_536;

// --------------------------------------------------------------------------------------------- //
// Worker to page

/**
 * `ref` wins over `selector`; at least one is there. A ref is handed over as the caller wrote it,
 * `f12e3` included when the message goes to frame 12: the page half strips the `f<F>` part, since
 * it is the addressee, and quotes the whole in its errors.
 */
const target = {
  ref: z.optional(z.string()),
  selector: z.optional(z.string()),
};

/** What a click or a confirmed fill is authorised by; compared as a whole right before the act. */
export const Descriptor = z.strictObject({
  tagName: z.string(), // lower case
  role: z.string(), // as an outline would name it
  type: z.string(), // the IDL property; "" where there is none; see tools.md 6.6
  hasHref: z.boolean(),
  name: z.string(), // as an outline would, without the quotes and escapes of `quoted`, cut at 120
});
export type Descriptor = z.infer<typeof Descriptor>;

/** Numbers one call of the worker, so that `_abort` can name it. */
const call = z.int();

/** Of the instance that is meant: another one does nothing and answers `OTHER_INSTANCE`. */
const token = z.optional(z.string());

const guard = { v: z.literal(CHANNEL_VERSION), call, token, expectOrigin: z.string().check(z.minLength(1)) };

export const Ping = z.strictObject({ v: z.literal(CHANNEL_VERSION), op: z.literal('ping') });

/**
 * `click`: the descriptor of the activation target. `fill`: of the element that would be filled (for
 * an editing host the outermost editable element), and whether an outline hides its value.
 */
export const Probe = z.strictObject({
  ...guard,
  op: z.literal('_probe'),
  args: z.strictObject({ ...target, purpose: z.enum(['click', 'fill']) }),
});

/**
 * A notice that can only be cancelled, in words that the worker chose (extension.md 10.7). Answered on
 * Cancel or after `ms`. No confirmation: a page can hide it.
 */
export const InfoToast = z.strictObject({
  v: z.literal(CHANNEL_VERSION),
  op: z.literal('_info_toast'),
  args: z.strictObject({ text: z.string(), cancel: z.string(), ms: z.int() }),
});

/** Stop working on `call`: no further step of it, and no reply is waited for. Takes power only. */
export const Abort = z.strictObject({
  v: z.literal(CHANNEL_VERSION),
  op: z.literal('_abort'),
  args: z.strictObject({ call }),
});

/** Where the innermost active element of this instance is (tools.md 6.17, "Focus"). */
export const Focus = z.strictObject({ ...guard, op: z.literal('_focus'), args: z.strictObject({}) });

/**
 * Answers once the document that `announced.frame` of a click named is gone, at once if it is gone
 * already. Without `frame` it is the document of the instance itself: never answered, since the
 * channel breaks when that happens.
 */
export const Gone = z.strictObject({
  ...guard,
  op: z.literal('_gone'),
  args: z.strictObject({
    frame: z.optional(z.int()),
    /** Of the instance that was clicked in. Another one answers at once: that document is gone. */
    token: z.optional(z.string()),
  }),
});

export const Snapshot = z.strictObject({
  ...guard,
  op: z.literal('page_snapshot'),
  args: z.strictObject({
    selector: z.optional(z.string()),
    interactiveOnly: z.boolean(),
    /** "" in the top document, `f<F>` in a covered frame: stands in front of every ref given out. */
    refPrefix: z.string(),
    /** Lines wanted at most; elements beyond are counted, not described and not numbered. */
    limit: z.int(),
    /** Whether the active element of the whole tab is in this instance: else nothing is `focused`. */
    hasFocus: z.boolean(),
  }),
});

export const Text = z.strictObject({
  ...guard,
  op: z.literal('page_text'),
  args: z.strictObject({
    selector: z.optional(z.string()),
    /** Characters wanted at most, all parts together. */
    limit: z.int(),
  }),
});

export const Click = z.strictObject({
  ...guard,
  op: z.literal('page_click'),
  expect: Descriptor,
  args: z.strictObject({
    ...target,
    button: z.enum(['left', 'right', 'middle']),
    count: z.int().check(z.minimum(1), z.maximum(2)),
    modifiers: z.array(z.enum(['Alt', 'Control', 'Meta', 'Shift'])),
  }),
});

export const Fill = z.strictObject({
  ...guard,
  op: z.literal('page_fill'),
  /** There when the fill was confirmed: compared with a `fill` probe right before the act. */
  expect: z.optional(Descriptor),
  args: z.strictObject({ ...target, value: z.string() }),
});

export const Select = z.strictObject({
  ...guard,
  op: z.literal('page_select'),
  args: z.strictObject({ ...target, value: z.string() }),
});

export const Press = z.strictObject({
  ...guard,
  op: z.literal('page_press'),
  args: z.strictObject({ keys: z.string() }),
});

export const Hover = z.strictObject({ ...guard, op: z.literal('page_hover'), args: z.strictObject(target) });

export const Scroll = z.strictObject({
  ...guard,
  op: z.literal('page_scroll'),
  args: z.strictObject({
    direction: z.optional(z.enum(['up', 'down', 'top', 'bottom'])),
    pixels: z.optional(z.int()),
  }),
});

export const WaitFor = z.strictObject({
  ...guard,
  op: z.literal('page_wait_for'),
  args: z.strictObject({
    selector: z.optional(z.string()),
    text: z.optional(z.string()),
    nav: z.boolean(),
    /** What is left of the caller's time; after it the page answers with the timeout error. */
    timeoutMs: z.int(),
    /** The caller's whole time, for the text of the error: `wait_for timed out after <N>ms`. */
    totalMs: z.int(),
  }),
});

export const Storage = z.strictObject({
  ...guard,
  op: z.literal('storage_get'),
  args: z.strictObject({ type: z.enum(['local', 'session']), key: z.optional(z.string()) }),
});

export const ToPage = z.discriminatedUnion('op', [
  Ping,
  InfoToast,
  Probe,
  Abort,
  Focus,
  Gone,
  Snapshot,
  Text,
  Click,
  Fill,
  Select,
  Press,
  Hover,
  Scroll,
  WaitFor,
  Storage,
]);
export type ToPage = z.infer<typeof ToPage>;
export type PageOp = ToPage['op'];

// --------------------------------------------------------------------------------------------- //
// Page to worker

/**
 * A frame that the instance met and cannot reach. The worker decides whether an instance of its own
 * covers it (tools.md 6.17).
 */
export const FrameSlot = z.strictObject({
  /**
   * Indices in `window.frames` from the instance's own window down to the frame; -1 for a step that
   * lies in a shadow tree and so has none.
   */
  path: z.array(z.int()),
  /** Absolute address of `src`, "" if there is none: decides where the path cannot. */
  address: z.string(),
  /** Origin of `src` if that is http or https, else "": what a frame left out is shown with. */
  srcOrigin: z.string(),
  /** It is the innermost active element that this instance sees. */
  focused: z.boolean(),
});
export type FrameSlot = z.infer<typeof FrameSlot>;

/**
 * The outline in pieces. `text` of a line has no indentation; that of a frame in `frames` lacks
 * `[focused]`, `[left-out]` and `origin=`, which the worker appends in this order.
 */
export const SnapshotData = z.strictObject({
  /** The two lines `url: ...` and `title: ...`, complete. */
  head: z.array(z.string()).check(z.minLength(2), z.maxLength(2)),
  lines: z.array(z.strictObject({ depth: z.int(), text: z.string(), ref: z.boolean() })),
  /** Lines there would be without `limit`, the ones above included. */
  total: z.int(),
  /** In the order of their lines; `line` is an index into `lines`. */
  frames: z.array(z.extend(FrameSlot, { line: z.int() })),
});
export type SnapshotData = z.infer<typeof SnapshotData>;

/**
 * Text and, where an unreachable frame interrupts it, a slot. Digit runs are replaced already; the
 * worker puts slots on lines of their own, joins and cuts.
 */
export const TextData = z.strictObject({
  parts: z.array(z.union([z.string(), FrameSlot])),
  url: z.string(),
  /** Something was left away because of `limit`. */
  truncated: z.boolean(),
});
export type TextData = z.infer<typeof TextData>;

export const ClickData = z.strictObject({
  role: z.string(),
  /** A `navigate` event announced another document, and nobody prevented or intercepted it. */
  announced: z.optional(z.strictObject({ url: z.string(), frame: z.optional(z.int()) })),
  /** What a link of `javascript:` runs, which the browser lets nobody but the page start. */
  script: z.optional(z.string().check(z.maxLength(SCRIPT_LIMIT))),
  /** A `navigate` with `downloadRequest`; raw, the worker cleans and cuts. */
  download: z.optional(z.strictObject({ url: z.optional(z.string()), filename: z.optional(z.string()) })),
});
export type ClickData = z.infer<typeof ClickData>;

export const PingData = z.strictObject({
  /** Random, made with the instance: dies with the document and survives `pushState`. */
  token: z.string(),
});

export const FillProbe = z.strictObject({ descriptor: Descriptor, hidden: z.boolean() });
export type FillProbe = z.infer<typeof FillProbe>;

/**
 * Raw: masking is the worker's. The members of `entries` are the page's keys, whatever they are called,
 * so they are looked at here and not by a record, which would drop `__proto__`.
 */
const StorageEntries = z.custom<Record<string, string>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((v) => typeof v === 'string'),
);
export const StorageData = z.union([
  z.strictObject({ key: z.string(), found: z.literal(false) }),
  z.strictObject({ key: z.string(), found: z.literal(true), value: z.string() }),
  z.strictObject({
    type: z.enum(['local', 'session']),
    entries: StorageEntries,
    count: z.int(),
    truncated: z.boolean(),
    totalKeys: z.int(),
  }),
]);
export type StorageData = z.infer<typeof StorageData>;

const nothing = z.strictObject({});

/** What `data` of a success is, by op. A probe answers by its purpose. */
export const PAGE_DATA = {
  ping: PingData,
  _info_toast: z.strictObject({ cancelled: z.boolean() }),
  _probe: z.union([Descriptor, FillProbe]),
  _abort: nothing,
  _focus: z.strictObject({ frame: z.optional(FrameSlot) }),
  _gone: nothing,
  page_snapshot: SnapshotData,
  page_text: TextData,
  page_click: ClickData,
  page_fill: nothing,
  page_select: z.strictObject({ selected: z.string(), text: z.string() }),
  page_press: z.strictObject({ pressed: z.string() }),
  page_hover: z.strictObject({ role: z.string() }),
  page_scroll: z.strictObject({ scrollY: z.number(), scrollX: z.number() }),
  page_wait_for: z.union([
    z.strictObject({ matched: z.literal(true), selector: z.string() }),
    z.strictObject({ matched: z.literal(true), text: z.string() }),
    z.strictObject({ matched: z.literal(true), nav: z.literal(true), url: z.string(), readyState: z.string() }),
  ]),
  storage_get: StorageData,
} as const satisfies Record<PageOp, z.ZodMiniType>;
export type PageData<O extends PageOp> = z.infer<(typeof PAGE_DATA)[O]>;

/** Codes that the page half can give; the others are the worker's. */
export const PageErrorCode = z.enum(['INVALID_ARGUMENT', 'EXECUTION_FAILED']);
export type PageErrorCode = z.infer<typeof PageErrorCode>;

/** More than any of our errors has; a longer one is no answer, since a cut before the masking could halve a secret. */
const ERROR_LIMIT = 20_000;

/** The error of an instance that was not meant. It is asked again by its own token. */
export const OTHER_INSTANCE = 'another document took its place';

export const PageReply = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), data: z.optional(z.unknown()) }),
  z.strictObject({ ok: z.literal(false), error: z.string().check(z.maxLength(ERROR_LIMIT)), code: PageErrorCode }),
]);
export type PageFailure = { ok: false; error: string; code: PageErrorCode };
export type PageReplyOf<O extends PageOp> = { ok: true; data: PageData<O> } | PageFailure;

// --------------------------------------------------------------------------------------------- //
// The page half

/** Shows the notice; not part of the page API, whose business asking is not. */
export type ShowToast = (args: z.infer<typeof InfoToast>['args']) => Promise<PageData<'_info_toast'>>;

type Body<O extends PageOp> = Omit<Extract<ToPage, { op: O }>, 'v' | 'op' | 'token'>;
type Method<O extends PageOp> = (message: Body<O>) => PageReplyOf<O> | Promise<PageReplyOf<O>>;

/**
 * What `createPageApi` returns. `ping` is the entrypoint's. Every guarded method first compares
 * `expectOrigin` with `location.origin` (in a frame with the window's `origin`), in the same
 * evaluation as the act; different, empty or "null" is EXECUTION_FAILED. Reading and acting wait
 * until `readyState` is not `loading`, at most 5,000 ms.
 */
export type PageApi = { [O in Exclude<PageOp, 'ping' | '_info_toast'>]: Method<O> };

/** `rootOf` gives the shadow root of an element, closed ones included where the browser tells. */
export type CreatePageApi = (
  refAttr: string,
  preciseAttr: string,
  rootOf: (element: Element) => ShadowRoot | null,
) => PageApi;
