/**
 * `page_eval` in the page's own world (tools.md 6.10): the code as the body of an async function, its
 * result made plain. Self-contained, since its source text is what gets there. Whatever it answers, the
 * page could have answered in its place.
 */

/** What it promises: a value, or why nothing ran. A throw of the code is a value. */
export type Evaluated =
  | { state: 'value'; value?: unknown }
  /** Another document is there than was asked for. */
  | { state: 'origin' }
  /** The page's policy forbids code from strings. */
  | { state: 'refused' }
  /** More than could be sent. */
  | { state: 'large' };

export async function evaluateInPage(expectOrigin: string, code: string, parseMs: number): Promise<Evaluated> {
  const STRING_MAX = 10_000;
  const STACK_MAX = 2_000;
  const MEMBERS_MAX = 1_000;
  const DEPTH_MAX = 50;
  // What is held in many places is written out in each, so a few objects can make up a result without
  // end. What goes beyond these would not fit into an answer.
  const VALUES_MAX = 1_000_000;
  const CHARACTERS_MAX = 16_777_216;
  const LARGE = {};
  let values = 0;
  let characters = 0;

  function count(text: string): string {
    if ((characters += text.length) > CHARACTERS_MAX) throw LARGE;
    return text;
  }

  /** No cut leaves half a surrogate pair. */
  function cut(text: string, limit: number): string {
    if (text.length <= limit) return text;
    const last = text.charCodeAt(limit - 1);
    return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
  }

  /** Of the result. */
  const text = (said: string): string => count(cut(said, STRING_MAX));

  /** Whether a method that is for one kind of object alone takes this one, whatever window it is from. */
  function is(prototype: object, member: string, value: object): boolean {
    try {
      const own = Object.getOwnPropertyDescriptor(prototype, member);
      const method: unknown = own?.get ?? own?.value;
      if (typeof method !== 'function') return false;
      method.call(value);
      return true;
    } catch {
      return false;
    }
  }

  /** A form, or the document, has what is named in it in the place of its own members. */
  const read = (prototype: object, member: string, of: object): unknown =>
    Object.getOwnPropertyDescriptor(prototype, member)?.get?.call(of);

  function nodeName(node: Node): string {
    if (read(Node.prototype, 'nodeType', node) !== 1) return `<${String(read(Node.prototype, 'nodeName', node))}>`;
    const id = read(Element.prototype, 'id', node);
    return `<${String(read(Element.prototype, 'localName', node))}${typeof id === 'string' && id !== '' ? `#${id}` : ''}>`;
  }

  function plain(value: unknown, depth: number, above: unknown[]): unknown {
    if (++values > VALUES_MAX) throw LARGE;
    switch (typeof value) {
      case 'undefined':
        return undefined;
      case 'string':
        return text(value);
      case 'number':
        return value - value === 0 ? value : null;
      case 'boolean':
        return value;
      case 'bigint':
        return text(`[BigInt:${value}]`);
      case 'symbol':
        return text(`[Symbol:${value.description ?? ''}]`);
      case 'function':
        return text(`[function:${String(value.name)}]`);
      default:
        return value === null ? null : plainObject(value as object, depth, above);
    }
  }

  function plainObject(value: object, depth: number, above: unknown[]): unknown {
    if (above.indexOf(value) >= 0) return '[Circular]';
    if (depth > DEPTH_MAX) return '[depth limit]';
    const inside = [...above, value];
    const list: List = (items, at) => {
      const out: unknown[] = [];
      for (let i = 0; i < items.length; i++) out.push(plain(items[i], at, inside) ?? null);
      return out;
    };
    if (Array.isArray(value)) {
      if (value.length > MEMBERS_MAX) return `[array of ${value.length}]`;
      return list(value, depth + 1);
    }
    const proto: unknown = Object.getPrototypeOf(value);
    if (proto !== Object.prototype && proto !== null) {
      const special = plainSpecial(value, depth, list);
      if (special !== undefined) return special;
    }
    return members(value, depth, inside);
  }

  type List = (items: unknown[], at: number) => unknown[];

  /** What the browser and the language have a form of their own for; undefined for the rest. */
  function plainSpecial(value: object, depth: number, list: List): unknown {
    if (typeof Node === 'function' && is(Node.prototype, 'nodeType', value)) return text(nodeName(value as Node));
    if (value instanceof Error || Object.prototype.toString.call(value) === '[object Error]') {
      const { name, message } = value as Error;
      return { __error: true, name: text(String(name)), message: text(String(message)) };
    }
    if (is(Date.prototype, 'getTime', value)) {
      const time = Date.prototype.getTime.call(value);
      return { __Date: time === time ? new Date(time).toISOString() : 'Invalid Date' };
    }
    if (is(RegExp.prototype, 'source', value) && value !== RegExp.prototype)
      return { __RegExp: text(String(value)) };
    if (is(Map.prototype, 'size', value)) {
      const entries: unknown[] = [];
      for (const [k, v] of Map.prototype.entries.call(value) as MapIterator<[unknown, unknown]>) {
        if (entries.length >= MEMBERS_MAX) break;
        entries.push([k, v]);
      }
      return { __Map: entries.map((pair) => list(pair as unknown[], depth + 3)) };
    }
    if (is(Set.prototype, 'size', value)) {
      const entries: unknown[] = [];
      for (const v of Set.prototype.values.call(value) as SetIterator<unknown>) {
        if (entries.length >= MEMBERS_MAX) break;
        entries.push(v);
      }
      return { __Set: list(entries, depth + 2) };
    }
    return undefined;
  }

  /** Own members that can be listed. */
  function members(value: object, depth: number, inside: unknown[]): unknown {
    const out: Record<string, unknown> = {};
    const names = Object.keys(value);
    const add = (name: string, member: unknown): void => {
      if (member !== undefined)
        Object.defineProperty(out, count(name), { value: member, enumerable: true, configurable: true, writable: true });
    };
    for (let i = 0; i < names.length && i < MEMBERS_MAX; i++)
      add(names[i] as string, plain((value as Record<string, unknown>)[names[i] as string], depth + 1, inside));
    if (names.length > MEMBERS_MAX) add('__truncated', true);
    return out;
  }

  function thrown(error: unknown): unknown {
    const said = { __evalError: true, name: 'Error', message: '', stack: '' };
    try {
      if (typeof error === 'object' && error !== null) {
        const { name, message, stack } = error as Partial<Error>;
        said.name = cut(String(name ?? 'Error'), STRING_MAX);
        said.message = cut(String(message ?? ''), STRING_MAX);
        said.stack = cut(String(stack ?? ''), STACK_MAX);
      } else {
        said.message = cut(String(error), STRING_MAX);
      }
    } catch {
      // An error that throws when it is looked at has said enough.
    }
    return said;
  }

  if (read(Document.prototype, 'readyState', document) === 'loading')
    await new Promise<void>((resolve) => {
      EventTarget.prototype.addEventListener.call(document, 'readystatechange', () => resolve(), { once: true });
      setTimeout(resolve, parseMs);
    });
  if (location.origin !== expectOrigin) return { state: 'origin' };
  let run: () => Promise<unknown>;
  try {
    run = new Function(`"use strict"; return (async () => {${code}\n})()`) as () => Promise<unknown>;
  } catch (error) {
    return error instanceof EvalError ? { state: 'refused' } : { state: 'value', value: thrown(error) };
  }
  try {
    const value = plain(await run(), 0, []);
    return value === undefined ? { state: 'value' } : { state: 'value', value };
  } catch (error) {
    return error === LARGE ? { state: 'large' } : { state: 'value', value: thrown(error) };
  }
}
