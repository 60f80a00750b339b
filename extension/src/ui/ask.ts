/** Pages and the worker: what is shown is what the worker said last. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { send } from '../browser/runtime';
import { onChanged, read, write } from '../browser/storage';
import { readPendingRows } from '../gate/allowlist';
import { onLanguage, t, type MessageKey } from '../i18n';
import { reachOf, type Reach } from './state';
import { readSetting, WATCHED_KEYS, type RuntimeAnswers, type RuntimeMessage, type SettingKey } from '../messages';

export type Asked<T extends RuntimeMessage['type']> = { data: RuntimeAnswers[T] | null; error: string | null; again: () => void };

/** Messages that ask and say no more than that. */
type Question = Exclude<{ [T in RuntimeMessage['type']]: Exclude<keyof Extract<RuntimeMessage, { type: T }>, 'type'> extends never ? T : never }[RuntimeMessage['type']], 'kill_release' | 'sweep_pending' | `enroll_${string}` | 'webauthn_enroll_begin' | 'webauthn_forget'> | 'get_host_audit';

const concerns = (keys: string[]): boolean => keys.some((k) => (WATCHED_KEYS as readonly string[]).includes(k));

/** The newest answer, and the way to ask for it. */
function useQuestion<T extends Question>(type: T): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>({ data: null, error: null });
  const newest = useRef(0);
  const again = useCallback(() => {
    const mine = ++newest.current;
    void send({ type } as RuntimeMessage & { type: T }).then((reply) => {
      // Answers may overtake each other; only the one to the last question is news.
      if (mine !== newest.current) return;
      if (reply.ok) setState({ data: reply.data as RuntimeAnswers[T], error: null });
      else setState({ data: null, error: reply.error });
    });
  }, [type]);
  return { ...state, again };
}

/** Calls back when the page comes back into view. */
export function useSeen(seen: () => void): void {
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') seen();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [seen]);
}

/** Asks once, and again whenever something that the answer depends on changes in storage. */
export function useAnswer<T extends 'get_status' | 'get_allowlist' | 'get_kill' | 'get_enrollment' | 'get_policy' | 'webauthn_enrollment'>(type: T): Asked<T> {
  const asked = useQuestion(type);
  const { again } = asked;
  useEffect(() => {
    again();
    return onChanged((keys) => {
      if (concerns(keys)) again();
    });
  }, [again]);
  // A tab that was away for hours: the port is in no storage, so its state is asked for anew.
  useSeen(again);
  return asked;
}

/** Right after a start the host has not spoken yet; so often is it asked again before that is an error. */
const TRIES = 5;
const TRY_MS = 1_000;

/** What the host is asked for: once it is there, and again with every new `turn`. */
export function useHost<T extends Question>(type: T, up: boolean, turn: number): Asked<T> {
  const { data, error, again } = useQuestion(type);
  const tries = useRef(0);
  useEffect(() => {
    tries.current = 0;
    if (up) again();
  }, [again, up, turn]);
  const early = up && error === 'not-connected' && tries.current < TRIES;
  useEffect(() => {
    if (!early) return undefined;
    const timer = setTimeout(() => {
      tries.current += 1;
      again();
    }, TRY_MS);
    return () => clearTimeout(timer);
  });
  return { data, error: early ? null : error, again };
}

/** The host itself waits a second for the server, and two for a store of keys that is stuck. */
export const REACH_MS = 5_000;
const REACH_AGAIN_MS = 300;

/**
 * Asks through the host, all the way to the server: with every new `turn`, and never by the clock but
 * while there is no answer. What was found stays until something else is.
 */
export function useReach(up: boolean, turn: unknown): Reach {
  const [reach, setReach] = useState<Reach>({ to: 'asked' });
  useEffect(() => {
    if (!up) {
      setReach({ to: 'asked' });
      return undefined;
    }
    let over = false;
    let again: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      over = true;
      clearTimeout(late);
      clearTimeout(again);
    };
    const late = setTimeout(() => {
      end();
      setReach({ to: 'nobody' });
    }, REACH_MS);
    const ask = async (): Promise<void> => {
      const found = reachOf(await send({ type: 'get_doctor' }));
      if (over) return;
      if (found === null) {
        again = setTimeout(() => void ask(), REACH_AGAIN_MS);
        return;
      }
      end();
      setReach(found);
    };
    void ask();
    return end;
  }, [up, turn]);
  return reach;
}

/** The port is in no storage: while it is away or about to go, it is looked for. */
export function useReturn(away: boolean, again: () => void): void {
  useEffect(() => {
    if (!away) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again();
    }, 2_000);
    return () => clearInterval(timer);
  }, [away, again]);
}

/** Looks again from time to time, while somebody can see it. */
export function useEvery(ms: number, look: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') look();
    }, ms);
    return () => clearInterval(timer);
  }, [ms, look]);
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
export function useSetting(key: SettingKey): [unknown, (value: unknown) => Promise<void>] {
  const [value, setValue] = useState<unknown>(undefined);
  useEffect(() => {
    const load = () => void read([key]).then((stored) => setValue(readSetting(key, stored[key])));
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
