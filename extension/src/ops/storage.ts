/** `storage_get` (tools.md 6.15): read in the page, masked here. */
import { maskString } from '../mask';
import { addressOf, limitsOf } from './act';
import { readConfirm } from './confirm-read';
import { theTab, type Context, type Operation, type Operations } from './context';

const typeOf = (context: Context): 'local' | 'session' => (context.args.type === 'session' ? 'session' : 'local');
const keyOf = (context: Context): string | undefined =>
  typeof context.args.key === 'string' ? context.args.key : undefined;

const storageGet: Operation = {
  target: 'tab',
  address: 'page',
  prepare: (context) =>
    Promise.resolve(
      readConfirm(context, {
        origin: context.origin,
        store: `${typeOf(context)}Storage`,
        host: new URL(theTab(context).url).host,
        entry: keyOf(context),
      }),
    ),
  async act(context) {
    const type = typeOf(context);
    const key = keyOf(context);
    const data = await context.tools.page.ask(
      addressOf(context),
      'storage_get', { expectOrigin: context.origin, args: { type, ...(key === undefined ? {} : { key }) } },
      limitsOf(context),
    );
    if ('value' in data) return { ...data, value: maskString(data.value) };
    if (!('entries' in data)) return data;
    return { ...data, entries: Object.fromEntries(Object.entries(data.entries).map(([k, v]) => [k, maskString(v)])) };
  },
};

export const storageOperations = { storage_get: storageGet } satisfies Operations;
