/** The native-messaging port. */
import { browser } from 'wxt/browser';

export interface RawPort {
  post(frame: unknown): void;
  disconnect(): void;
  onFrame(listener: (frame: unknown) => void): void;
  /** The reason is the browser's sentence, null if it gave none. */
  onLost(listener: (reason: string | null) => void): void;
}

export function connectNative(host: string): RawPort {
  const port = browser.runtime.connectNative(host);
  return {
    post: (frame) => port.postMessage(frame),
    disconnect: () => port.disconnect(),
    onFrame: (listener) => port.onMessage.addListener(listener),
    onLost: (listener) => port.onDisconnect.addListener(() => listener(browser.runtime.lastError?.message ?? null)),
  };
}
