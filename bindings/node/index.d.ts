/**
 * genkan: the front door between programs and a person's own browser.
 *
 * What could not be done is a GenkanError, a tool that did not succeed a
 * ToolError, an authenticator's answer that is not accepted a Refused.
 */
import type { ErrorCode, RefusalCode, ToolCode, ToolName } from './lib/tables';

export type { ErrorCode, RefusalCode, ToolCode, ToolName };

/** Something that genkan could not do; `code` decides for programs. */
export class GenkanError extends Error {
  readonly code: ErrorCode;
  readonly number: number;
  /** What survives: caller and transient lose nothing, connection this object,
   * fatal the context. */
  readonly kind: 'caller' | 'transient' | 'connection' | 'fatal';
}

/** A tool was called and said no, or failed. */
export class ToolError extends Error {
  readonly code: ToolCode;
  readonly number: number;
  readonly category: string;
  /** May the same call succeed later? */
  readonly retryable: boolean;
}

/** An authenticator's answer that is not accepted: a verdict, no failure. */
export class Refused extends Error {
  readonly code: RefusalCode;
  readonly number: number;
}

export interface ContextOptions {
  /** Called in the middle of a call; may not use the context. */
  log?: (level: number, tag: string, id: string, text: string) => void;
  /** From -1, nothing, to 3, debug; 2 by default. */
  logLevel?: number;
  /** n bytes that are fit for keys; by default the system's. */
  random?: (n: number) => Uint8Array;
  /** The folder of genkan's programs: which genkan-host is registered and
   * looked at, and which genkan-server a Client trusts.  By default the one
   * that the library was built for, and never that of the interpreter.  A
   * Server and a Host ask nothing of it: they trust what lies beside the
   * interpreter. */
  programDir?: string;
}

/** Something of the C library that is closed once; twice is harmless, and using
 * it afterwards throws a GenkanError `closed`. */
export class Handle {
  readonly closed: boolean;
  close(): void;
}

/** Log, randomness and time; what is made from it keeps it alive. */
export class Context extends Handle {
  constructor(options?: ContextOptions);
  /** Monotonic milliseconds, by default now. */
  setTime(ms?: number): void;
  readonly lastError: string;
}

/** The name of an error's number, for what comes from elsewhere. */
export function errorName(number: number): ErrorCode | 'ok' | 'unknown';
/** The version of the library that is running. */
export function libraryVersion(): string;

export interface Peer {
  sameUser: boolean;
  pid: number;
  /** SHA-256 of its image; null where it could not be measured. */
  hash: string | null;
  path: string | null;
  roles: number;
  why: string;
}
/** Who is at the other end of a connected unix socket. */
export function queryPeer(fd: number, dir: string, context?: Context): Peer;

export interface ClientOptions {
  /** The folder of genkan-server; by default that of this installation. */
  programDir?: string;
  context?: Context;
}
export interface CallOptions {
  /** Gives the call up; it is rejected with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds after which it ends with RESPONSE_TIMEOUT. */
  timeout?: number;
  /** The call waits for the user, who is being asked. */
  onProgress?: (text: string | null) => void;
}
export interface Image {
  mimeType: string;
  data: Buffer;
}
export interface Result {
  readonly tool: string;
  readonly text: string | null;
  /** The result of the Model Context Protocol. */
  readonly raw: Record<string, unknown> | null;
  /** A parsed document, text or an Image. */
  readonly value: any;
}
export interface Tool {
  name: string;
  title?: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/**
 * A program of one's own that calls the tools of the user's browsers.
 *
 * The program that runs it, node, has to be paired by a person:
 * `genkan pair-client --hash`.  At most 127 calls are with the broker, the
 * others wait in order.
 */
export class Client {
  /** One that is detached: calls wait until attach().  See connect(). */
  constructor(options?: ClientOptions);
  /** Makes a client and attaches it. */
  static connect(options?: ClientOptions & { signal?: AbortSignal }):
    Promise<Client>;
  attach(options?: { signal?: AbortSignal }): Promise<void>;
  readonly attached: boolean;
  /** Calls that have not ended. */
  readonly outstanding: number;
  /** Why it is not attached any more; null while it is. */
  readonly reason: GenkanError | null;
  /** Calls a tool; the value of its result. */
  call(tool: ToolName | (string & {}), args?: Record<string, unknown>,
    options?: CallOptions): Promise<any>;
  /** Calls a tool; the whole result. */
  request(tool: ToolName | (string & {}), args?: Record<string, unknown>,
    options?: CallOptions): Promise<Result>;
  tools(options?: { signal?: AbortSignal }): Promise<Tool[]>;
  close(): void;
}

/** Outcome of an act that the command `genkan` has too. */
export interface Report {
  status: number;
  ok: boolean;
  text: string;
  warnings: string;
  lines: string[];
  data: any;
}

/** Who may drive the browser, and what was decided. */
export const trust: {
  clients(): Promise<Report>;
  audit(options?: { limit?: number }): Promise<Record<string, unknown>[]>;
  /** Exactly one of hash, signer and thisParent.  Asks a person. */
  pair(options: { name: string; hash?: string; signer?: string;
    thisParent?: boolean }): Promise<Report>;
  revoke(name: string): Promise<Report>;
  revokeBrowser(label: string): Promise<Report>;
  revokeAll(): Promise<Report>;
  kill(): Promise<Report>;
  /** Asks a person. */
  unkill(): Promise<Report>;
  /** Asks a person. */
  pairHostKey(options?: { reset?: boolean; fileStore?: boolean }):
    Promise<Report>;
  hostKey(): Promise<Report>;
};

/** What the agents of this machine may do, and the language of the pages. */
export const policy: {
  /** Each field with its name on the command line. */
  fields(): Record<string, string>;
  show(): Promise<Report>;
  history(): Promise<Report>;
  /** Asks a person, and signs with the host key. */
  set(fields: Record<string, string>): Promise<Report>;
  /** Tightens what is in force.  Asks nobody. */
  restrict(fields: Record<string, string>): Promise<Report>;
  rollback(options: { revision: number; entry?: string }): Promise<Report>;
  language(): Promise<Report>;
  setLanguage(value: 'auto' | 'en' | 'zh_CN' | 'zh_TW'): Promise<Report>;
};

/** This machine: health, registration, where the files lie. */
export const local: {
  doctor(options?: { programDir?: string }): Promise<Report>;
  browsers(options?: { programDir?: string }): Promise<Report>;
  paths(): Promise<Record<string, string>>;
  register(options?: { browsers?: string[]; dir?: string; all?: boolean;
    system?: boolean; programDir?: string }): Promise<Report>;
  unregister(options?: { dir?: string; system?: boolean }): Promise<Report>;
};

/** Frames between a browser and its native-messaging host. */
export namespace native {
  /** Bytes of JSON that a host accepts from a browser, and a browser from a
   * host. */
  const IN_MAX: number;
  const OUT_MAX: number;
  function header(length: number, max?: number): Buffer;
  function encode(json: Uint8Array, max?: number): Buffer;
  class Decoder extends Handle {
    constructor(options?: { max?: number; context?: Context });
    /** The frames that these bytes complete; an error is final. */
    feed(bytes: Uint8Array): Buffer[];
    eof(): 'clean' | 'prefix' | 'body';
  }
  /** The two pipes of a host of your own.  Where it writes to standard output,
   * `console` is pointed at standard error, so that a stray console.log()
   * damages nothing. */
  class NativeHost implements AsyncIterable<any> {
    constructor(options?: { input?: NodeJS.ReadableStream;
      output?: NodeJS.WritableStream | null; context?: Context });
    send(message: unknown): Promise<void>;
    [Symbol.asyncIterator](): AsyncGenerator<any, void, void>;
    close(): void;
  }
}

/** A relying party for authenticators: ES256, attestation "none". */
export namespace webauthn {
  interface StoredCredential {
    id: Uint8Array;
    publicKey: Uint8Array;
    signCount?: number;
    backupEligible?: boolean;
  }
  class Credential extends Handle {
    constructor(stored: StoredCredential, context?: Context);
    readonly id: Buffer;
    readonly publicKey: Buffer;
    readonly signCount: number;
    readonly backupEligible: boolean;
    /** Takes a new counter over; store it before you act. */
    counted(signCount: number): void;
  }
  interface Registration {
    challenge: string;
    attestationObject: Uint8Array;
    clientDataJSON: Uint8Array;
  }
  interface Assertion {
    challenge: string;
    credential: Credential;
    authenticatorData: Uint8Array;
    clientDataJSON: Uint8Array;
    signature: Uint8Array;
  }
  class RelyingParty {
    constructor(options?: { id?: string | null; origin?: string | null;
      context?: Context });
    /** A fresh challenge: base64url of 32 random bytes. */
    challenge(): string;
    register(answer: Registration): Credential;
    /** The new counter; nothing is counted yet. */
    check(answer: Assertion): number;
    /** check() and counted(), for credentials kept in memory. */
    verify(answer: Assertion): number;
  }
  interface AuthenticatorData {
    rpIdHash: Buffer;
    flags: number;
    signCount: number;
    credentialId: Buffer | null;
    publicKey: Buffer | null;
  }
  function parseAuthenticatorData(bytes: Uint8Array, context?: Context):
    AuthenticatorData;
  function parseAttestationObject(bytes: Uint8Array): Buffer;
  function statementChallenge(statement: { action: string; nonce: string;
    label?: string; enroll?: boolean }, context?: Context): string;
}

/** For programs that run genkan-server's or genkan-host's work in a loop of
 * their own. */
export namespace machines {
  const WANT: { READ: 1; WRITE: 2; CLOSE: 4 };
  class Leg extends Handle {
    feed(bytes: Uint8Array): number;
    eof(): void;
    broken(): void;
    output(): Buffer | null;
    /** Messages that wait, whole and together, at most so many bytes, for one
     * write in the place of many; null if fewer than two wait or fit.  Say
     * wrote(). */
    gather(most?: number): Buffer | null;
    wrote(n: number): void;
    readonly wants: number;
    readonly deadline: number | null;
    tick(ms?: number): void;
  }
  class Job extends Handle {
    run(): Promise<void>;
    done(): void;
  }
  interface Event {
    kind: 'none' | 'job' | 'listen' | 'unlisten' | 'serve' | 'exit' | 'state'
      | 'result' | 'progress';
    fd: number;
    status: number;
    code: number;
    id: number;
    data: string | null;
    text: string | null;
    leg?: Leg;
    job?: Job;
  }
  class Machine extends Handle {
    next(): Event | null;
    readonly deadline: number | null;
    tick(ms?: number): void;
    stdio(): Leg | null;
    stop(): void;
  }
  /**
   * Records that lie where the program keeps them, as the files trust.json and
   * policy.json have them.  What `genkan` or the extension kills, revokes or
   * permits does not reach a machine that has a store.
   *
   * The functions are called in the middle of a decision, may not use the
   * context (`wrong-state`), and give their values at once, no promise.  Where
   * one throws, or gives something of another type, the record cannot be read,
   * and then nobody is admitted and no tool runs; what was thrown is thrown
   * again by next() or tick() of the machine, whichever comes first, or by its
   * constructor where that fails.  A machine whose store refers to it is freed
   * by close() alone.
   */
  interface Store {
    /** null where there is none, as on a machine that was never set up. */
    load(record: 'trust' | 'policy'): Uint8Array | null;
    /** A safe integer, and another one whenever the bytes are.  Without this
     * function a record is loaded and parsed at every decision. */
    version?(record: 'trust' | 'policy'): number | null;
    /** One line of the audit trail, a JSON object.  Lines that a machine leaves
     * when the collector frees it are not told: close() it. */
    audit?(line: string): void;
    /** Milliseconds since 1970, for the trail; by default the system's. */
    unixMs?(): number;
  }
  class Server extends Machine {
    constructor(options?: { clientName?: string; brokerOnly?: boolean;
      store?: Store; context?: Context });
    accept(): boolean;
    readonly role: string;
  }
  /** Over the records of this user, or those of a store; it has no stdio() and
   * nothing to stop(). */
  class Broker extends Machine {
    constructor(options: { secret: string; stay?: boolean; store?: Store;
      context?: Context });
    /** Say what was measured and nothing else: `sameUser` and `roles` are
     * believed. */
    accept(facts: { hash?: string | null; roles?: number; sameUser: boolean;
      pid?: number; path?: string | null }): Leg;
    readonly clients: number;
    readonly browsers: number;
  }
  /** What Client is made of. */
  class ClientMachine extends Machine {
    constructor(options?: { programDir?: string | null; context?: Context });
    attach(): void;
    join(secret: string): Leg;
    call(tool: string, args: string | null, timeout: number): number;
    tools(): number;
    cancel(id: number): boolean;
    /** 0 detached, 1 attaching, 2 attached */
    readonly state: number;
    readonly outstanding: number;
  }
  class Host extends Machine {
    constructor(options?: { argv?: string[]; context?: Context });
    readonly state: string;
  }
}

declare const genkan: typeof import('./index.js');
export default genkan;
