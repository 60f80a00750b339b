/** Who we are, and messages between our own pages and the worker. */
import { browser } from 'wxt/browser';
import { RuntimeEnvelope, type RuntimeMessage, type RuntimeReply } from '../messages';

export interface Sender {
  id: string | undefined;
  url: string | undefined;
}

export const ownId = (): string => browser.runtime.id;

export const ownOrigin = (): string => `chrome-extension://${browser.runtime.id}`;

export const version = (): string => browser.runtime.getManifest().version;

/** Address of a file of ours. */
export const resource = (path: string): string => `${ownOrigin()}/${path}`;

/** Text of a file of ours. */
export async function textOf(path: string): Promise<string> {
  const answer = await fetch(resource(path));
  return answer.text();
}

/** From a page: asks the worker. A worker that cannot be reached is an answer too. */
export async function send<M extends RuntimeMessage>(message: M): Promise<RuntimeReply<M['type']>> {
  try {
    const reply: unknown = await browser.runtime.sendMessage(message);
    // The data of an answer is what the worker, which is this build too, made for this message.
    if (RuntimeEnvelope.safeParse(reply).success) return reply as RuntimeReply<M['type']>;
    return { ok: false, error: 'The worker gave no answer that fits.' };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/** In the worker: every message is answered, since a page waits for each. */
export function onMessage(handle: (message: unknown, sender: Sender) => Promise<RuntimeReply>): void {
  browser.runtime.onMessage.addListener((message: unknown, sender, reply: (answer: RuntimeReply) => void) => {
    void handle(message, { id: sender.id, url: sender.url }).then(reply, (error: unknown) =>
      reply({ ok: false, error: error instanceof Error ? error.message : String(error) }),
    );
    return true;
  });
}

export function onStart(listener: () => void): void {
  browser.runtime.onStartup.addListener(listener);
  browser.runtime.onInstalled.addListener(listener);
}

export const openOptions = (): Promise<void> => browser.runtime.openOptionsPage();

/** Whether the browser has the API that a permission of ours stands for. */
export function hasApi(permission: string): boolean {
  return (browser as unknown as Record<string, unknown>)[permission] !== undefined;
}
