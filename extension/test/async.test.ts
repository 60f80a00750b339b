import { describe, expect, it } from 'vitest';
import { createSerial, deferred, pause, until, within } from '../src/async';
import { outcome, settle, testClock } from './util';

describe('until', () => {
  it('gives the value, or the reason of the signal if that comes first', async () => {
    const stop = new AbortController();
    expect(await until(stop.signal, Promise.resolve(7))).toBe(7);
    const never = until(stop.signal, new Promise(() => undefined));
    stop.abort('enough');
    expect(await outcome(never)).toEqual({ error: 'enough' });
    expect(await outcome(until(stop.signal, Promise.resolve(1)))).toEqual({ error: 'enough' });
  });

  it('leaves no unhandled rejection behind', async () => {
    const stop = new AbortController();
    stop.abort('gone');
    const late = deferred<void>();
    const waiting = outcome(until(stop.signal, late.promise));
    late.reject(new Error('late'));
    expect(await waiting).toEqual({ error: 'gone' });
    await settle();
  });
});

describe('within', () => {
  it('answers late with what it is told, and disarms otherwise', async () => {
    const clock = testClock();
    const late = within(clock, 100, new Promise<string>(() => undefined), () => 'late');
    await clock.advance(99);
    await clock.advance(1);
    expect(await late).toBe('late');
    expect(await within(clock, 100, Promise.resolve('now'), () => 'late')).toBe('now');
    expect(clock.armed()).toBe(0);
  });
});

describe('pause', () => {
  it('ends with its time or with the signal, and leaves no timer', async () => {
    const clock = testClock();
    const stop = new AbortController();
    const over = pause(clock, 50, stop.signal);
    await clock.advance(50);
    expect(await outcome(over)).toEqual({ value: undefined });
    const broken = outcome(pause(clock, 50, stop.signal));
    stop.abort('stop');
    expect(await broken).toEqual({ error: 'stop' });
    expect(clock.armed()).toBe(0);
    expect(await outcome(pause(clock, 50, stop.signal))).toEqual({ error: 'stop' });
  });
});

describe('serial', () => {
  it('runs one at a time in order, and a failure stops nobody', async () => {
    const serial = createSerial();
    const seen: string[] = [];
    const gate = deferred<void>();
    const first = serial.run(async () => {
      await gate.promise;
      seen.push('first');
      throw new Error('broken');
    });
    const second = serial.run(() => {
      seen.push('second');
      return 2;
    });
    await settle();
    expect(seen).toEqual([]);
    gate.resolve();
    expect(await outcome(first)).toMatchObject({ error: { message: 'broken' } });
    expect(await second).toBe(2);
    expect(seen).toEqual(['first', 'second']);
  });
});
