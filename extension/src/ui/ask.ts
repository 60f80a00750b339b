/** Pages and the worker: what is shown is what the worker said last. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { onChanged, read, write } from '../browser/storage';
import { readPendingRows } from '../gate/allowlist';
import { onLanguage, t, type MessageKey } from '../i18n';
import { WATCHED_KEYS, type RuntimeAnswers, type RuntimeMessage } from '../messages';

type Asked<T extends RuntimeMessage['type']> = { data: RuntimeAnswers[T] | null; error: string | null; again: () => void };

const concerns = (keys: string[]): boolean => keys.some((k) => (WATCHED_KEYS as readonly string[]).includes(k));

/** Asks once, and again whenever something that the answer depends on changes in storage. */
export function useAnswer<T extends 'get_status' | 'get_allowlist' | 'get_kill' | 'get_enrollment'>(type: T): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({ data: null, error: null });
  const newest = useRef(0);
  const again = useCallback(() => {
    const mine = ++newest.current;
    void send({ type }).then((reply) => {
      // Answers may overtake each other; only the one to the last question is news.
      if (mine !== newest.current) return;
      if (reply.ok) setState({ data: reply.data as RuntimeAnswers[T], error: null });
      else setState({ data: null, error: reply.error });
    });
  }, [type]);
  useEffect(() => {
    again();
    // A tab that was away for hours: the port is in no storage, so its state is asked for anew.
    const seen = () => {
      if (document.visibilityState === 'visible') again();
    };
    document.addEventListener('visibilitychange', seen);
    const stop = onChanged((keys) => {
      if (concerns(keys)) again();
    });
    return () => {
      document.removeEventListener('visibilitychange', seen);
      stop();
    };
  }, [again]);
  return { ...state, again };
}

/** A record of waiting sites that makes no sense is for the worker to put right. */
export function useSweep(): void {
  useEffect(() => {
    const look = async () => {
      const { pendingAllow } = await read(['pendingAllow']);
      if (readPendingRows(pendingAllow) === null) await send({ type: 'sweep_pending' });
    };
    void look();
    return onChanged((keys) => {
      if (keys.includes('pendingAllow')) void look();
    });
  }, []);
}

/** One setting, read and followed. Settings are the pages' to write; all else is the worker's. */
export function useSetting(key: 'groupTabs' | 'uiLanguage' | 'allowAllSites'): [unknown, (value: unknown) => Promise<void>] {
  const [value, setValue] = useState<unknown>(undefined);
  useEffect(() => {
    const load = () => void read([key]).then((stored) => setValue(stored[key]));
    load();
    return onChanged((keys) => {
      if (keys.includes(key)) load();
    });
  }, [key]);
  const store = useCallback((next: unknown) => write({ [key]: next }), [key]);
  return [value, store];
}

/** Renders anew after a change of language, and names the page in it. */
export function useLanguage(title: MessageKey): void {
  const [, setCount] = useState(0);
  useEffect(() => onLanguage(() => setCount((n) => n + 1)), []);
  const name = t(title);
  useEffect(() => {
    document.title = name;
  }, [name]);
}

/** The present time, four times a second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
