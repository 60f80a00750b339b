/** Pages and the worker: what is shown is what the worker said last. */
import { useCallback, useEffect, useState } from 'react';
import { send } from '../browser/runtime';
import { onChanged } from '../browser/storage';
import { onLanguage } from '../i18n';
import { WATCHED_KEYS, type RuntimeAnswers, type RuntimeMessage } from '../messages';

type Asked<T extends RuntimeMessage['type']> = { data: RuntimeAnswers[T] | null; error: string | null; again: () => void };

/** Asks once, and again whenever something that the answer depends on changes in storage. */
export function useAnswer<T extends 'get_status' | 'get_allowlist' | 'get_kill'>(type: T): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({ data: null, error: null });
  const again = useCallback(() => {
    void send({ type }).then((reply) => {
      if (reply.ok) setState({ data: reply.data as RuntimeAnswers[T], error: null });
      else setState({ data: null, error: reply.error });
    });
  }, [type]);
  useEffect(() => {
    again();
    return onChanged((keys) => {
      if (keys.some((k) => (WATCHED_KEYS as readonly string[]).includes(k))) again();
    });
  }, [again]);
  return { ...state, again };
}

/** Renders anew after a change of language. */
export function useLanguage(): void {
  const [, setCount] = useState(0);
  useEffect(() => onLanguage(() => setCount((n) => n + 1)), []);
}

/** The present time, four times a second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
