/** What a page can put in the place of the members of its nodes: by names in a form or a document, or by script. */
import { onTestFinished } from 'vitest';

const above = (of: object): object | null => Object.getPrototypeOf(of) as object | null;

/** The simulated browser reads its own nodes from outside, which a real one does not. */
const byBrowser = (): boolean => new Error().stack?.split('\n')[3]?.includes('node_modules') === true;

/**
 * Every inherited member of a node is one of the page's that throws when it is read. What is the window's
 * own stays, as in a browser. Gives what takes it all back, which the end of the test does too.
 */
export function shade(...nodes: object[]): () => void {
  const undo: (() => void)[] = [];
  for (const node of nodes)
    for (let proto = above(node); proto !== null && above(proto) !== null; proto = above(proto)) {
      const owner = proto;
      for (const name of Object.getOwnPropertyNames(owner)) {
        if (name === 'constructor' || Object.hasOwn(node, name)) continue;
        Object.defineProperty(node, name, {
          configurable: true,
          get() {
            if (byBrowser()) return Reflect.get(owner, name, node) as unknown;
            throw new Error(`the page was asked for ${name}`);
          },
        });
        undo.push(() => Reflect.deleteProperty(node, name));
      }
    }
  const unshade = (): void => undo.splice(0).forEach((each) => each());
  onTestFinished(unshade);
  return unshade;
}
