import { DENY_BASELINE, type PolicyFields } from '@contract/policy';
import { describe, expect, it } from 'vitest';
import { createSerial, deferred } from '../../src/async';
import { Cancelled } from '../../src/errors';
import { createGates } from '../../src/gate/gates';
import { createKillGate } from '../../src/gate/kill';
import { outcome, refusal, settle, testClock, testConnection, testStore } from '../util';

async function pinned(): Promise<Record<string, unknown>> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', raw)).toString('hex');
  return { enclaveEverPinned: true, enclavePin: { keyId, pubkeyB64: Buffer.from(raw).toString('base64'), pinnedAt: 1 } };
}

async function active(policy: Partial<PolicyFields> = {}): Promise<Record<string, unknown>> {
  const base = await pinned();
  const scope = (base.enclavePin as { keyId: string }).keyId;
  const effective = { ...DENY_BASELINE, disabledTools: [], ...policy };
  return {
    ...base,
    bridgePolicyCutover: true,
    bridgePolicyState: { scope, effective, revision: 1, baselineB64: 'e30=', at: 1 },
  };
}

function setUp(data: Record<string, unknown> = {}) {
  const clock = testClock();
  const store = testStore(data);
  const transitions = createSerial();
  const connection = testConnection(clock.now());
  const knobs = { confined: null as string | null, identityOk: true, verified: false, compromised: false, healing: null as string | null, proofs: [] as boolean[], asked: 0 };
  const kill = createKillGate({ store, clock, transitions, connection: () => connection, onClosed: () => undefined });
  const gates = createGates({
    store,
    clock,
    kill,
    transitions,
    confined: () => knobs.confined,
    identityOk: () => knobs.identityOk,
    verified: () => knobs.verified,
    compromised: () => knobs.compromised,
    healing: () => knobs.healing,
    reverify: async () => {
      knobs.asked += 1;
      return knobs.proofs.shift() ?? false;
    },
  });
  const signal = new AbortController();
  const admit = (op: 'tab_list' | 'page_eval' = 'tab_list') => gates.admit(op, connection, signal.signal);
  return { clock, store, transitions, connection, knobs, kill, gates, signal, admit };
}

describe('gates, in their order', () => {
  it('are open on a fresh browser', async () => {
    const { admit } = setUp();
    expect(await admit()).toMatchObject({ serving: 'unpaired', policy: DENY_BASELINE });
  });

  it('name the first that is closed', async () => {
    const w = setUp({ enclaveCompromised: { reason: 'x', at: 1 }, bridgeKillMirror: { state: 'killed', at: 1 } });
    w.knobs.confined = 'storage is open';
    w.knobs.identityOk = false;
    expect(await refusal(w.admit('page_eval'))).toEqual({ code: 'TOOL_DISABLED', message: 'storage is open' });
    w.knobs.confined = null;
    expect((await refusal(w.admit('page_eval'))).message).toContain('wrong key');
    w.knobs.identityOk = true;
    await w.clock.advance(3_000);
    expect((await refusal(w.admit('page_eval'))).message).toContain('kill switch');
    w.store.data.bridgeKillMirror = { state: 'alive', at: 1 };
    expect((await refusal(w.admit('page_eval'))).message).toContain('pair again');
    delete w.store.data.enclaveCompromised;
    expect((await refusal(w.admit('page_eval'))).message).toContain('genkan pair');
    expect(await w.admit('tab_list')).toBeDefined();
  });

  it('stay closed with a pin where storage is not confined', async () => {
    const w = setUp(await pinned());
    w.knobs.confined = 'storage is open';
    expect((await refusal(w.admit())).message).toBe('storage is open');
  });

  it('answer when storage throws', async () => {
    const w = setUp();
    w.store.failReads = true;
    expect((await refusal(w.admit())).code).toBe('TOOL_DISABLED');
  });
});

describe('a mirror that is older than the connection', () => {
  const killed = { bridgeKillMirror: { state: 'killed', at: 1 } };

  it('holds a call until the host has said that the switch was released', async () => {
    const w = setUp(killed);
    let served = false;
    const asked = w.admit().finally(() => (served = true));
    await w.clock.advance(500);
    expect(served).toBe(false);
    await w.kill.onReport({ ok: true, killed: false });
    expect(await asked).toMatchObject({ serving: 'unpaired' });
  });

  it.each([
    ['engaged', { ok: true, killed: true }, 'is engaged'],
    ['not known', { ok: false }, 'not known'],
  ])('refuses as soon as the host has said that it is %s', async (_name, report, words) => {
    const w = setUp(killed);
    const asked = refusal(w.admit());
    await settle();
    await w.kill.onReport(report);
    expect((await asked).message).toContain(words);
    expect((await refusal(w.admit())).message).toContain(words);
  });

  it('refuses where the host says nothing within 3,000 of the port', async () => {
    const w = setUp(killed);
    let over = false;
    const asked = refusal(w.admit()).finally(() => (over = true));
    await w.clock.advance(2_999);
    expect(over).toBe(false);
    await w.clock.advance(1);
    expect((await asked).message).toContain('is engaged');
  });

  it('holds nobody who panicked on this connection', async () => {
    const w = setUp();
    await w.kill.onReport({ ok: true, killed: false });
    w.kill.engage();
    expect((await refusal(w.admit())).message).toContain('was used in this browser');
  });

  it('lets go of a call that was cancelled', async () => {
    const w = setUp(killed);
    const asked = outcome(w.admit());
    await settle();
    w.signal.abort(new Cancelled());
    expect(await asked).toEqual({ error: new Cancelled() });
  });
});

describe('the policy gate', () => {
  it('waits for the verification until 3,000 after the port opened, then serves nothing', async () => {
    const w = setUp(await active());
    const asked = outcome(w.admit());
    await w.clock.advance(2_900);
    let over = false;
    void asked.then(() => (over = true));
    await settle();
    expect(over).toBe(false);
    await w.clock.advance(200);
    expect(await asked).toMatchObject({ error: { code: 'TOOL_DISABLED' } });
    // Later calls on this connection do not wait again.
    expect((await refusal(w.admit())).message).toContain('not been verified');
  });

  it('opens as soon as the connection is verified', async () => {
    const w = setUp(await active({ confirmGraceMs: 5 }));
    const asked = w.admit();
    await w.clock.advance(500);
    w.knobs.verified = true;
    await w.clock.advance(100);
    expect(await asked).toMatchObject({ serving: 'active', policy: { confirmGraceMs: 5 } });
  });

  it('lets a cancelled call go at once', async () => {
    const w = setUp(await active());
    const asked = outcome(w.admit());
    await settle();
    w.signal.abort(new Cancelled());
    expect(await asked).toMatchObject({ error: expect.any(Cancelled) });
  });

  it('never waits in a later pass', async () => {
    const w = setUp(await active());
    expect((await refusal(w.gates.start('tab_list', w.connection, null, async () => 1))).message).toContain('not been verified');
  });

  it('asks nothing of a verification before the cutover', async () => {
    const w = setUp(await pinned());
    expect(await w.admit()).toMatchObject({ serving: 'preCutover', policy: DENY_BASELINE });
  });
});

describe('re-verification', () => {
  it('asks for a proof when the last one is too old, and for nothing else', async () => {
    const w = setUp({ ...(await active({ hostReverifyMs: 1_000 })), enclaveLastVerifiedAt: 1_000_000 });
    w.knobs.verified = true;
    await w.clock.advance(1_000);
    await w.admit();
    expect(w.knobs.asked).toBe(0);
    await w.clock.advance(1);
    expect((await refusal(w.admit())).message).toContain('prove');
    w.knobs.proofs = [true];
    await w.admit();
    expect(w.knobs.asked).toBe(2);
  });

  it('takes a stamp from the future for none', async () => {
    const w = setUp({ ...(await active({ hostReverifyMs: 1_000 })), enclaveLastVerifiedAt: 1_000_001 });
    w.knobs.verified = true;
    expect((await refusal(w.admit())).message).toContain('prove');
  });

  it('is never due at 0, and always without any proof', async () => {
    const never = setUp(await active({ hostReverifyMs: 0 }));
    never.knobs.verified = true;
    await never.admit();
    expect(never.knobs.asked).toBe(0);
    const none = setUp(await active({ hostReverifyMs: 10 }));
    none.knobs.verified = true;
    expect((await refusal(none.admit())).code).toBe('TOOL_DISABLED');
    expect(none.knobs.asked).toBe(1);
  });
});

describe('a compromise that is not stored yet', () => {
  it('closes both passes, and the very moment of the start', async () => {
    const w = setUp(await active());
    w.knobs.verified = true;
    expect(await w.admit()).toMatchObject({ serving: 'active' });
    const started = w.gates.start('tab_list', w.connection, null, async () => 'started');
    w.knobs.compromised = true;
    expect((await refusal(started)).message).toContain('did not prove the key');
    expect((await refusal(w.admit())).message).toContain('did not prove the key');
  });
});

describe('a push that was refused', () => {
  it('is told with what heals it, at the policy gate and at that of the tool', async () => {
    const w = setUp(await active());
    w.knobs.healing = 'Heal it with `genkan policy set`.';
    await w.clock.advance(3_000);
    expect((await refusal(w.admit())).message).toMatch(/not been verified.* Heal it/);
    w.knobs.verified = true;
    expect((await refusal(w.admit('page_eval'))).message).toMatch(/does not grant.* Heal it/);
    expect(await w.admit('tab_list')).toMatchObject({ serving: 'active' });
  });
});

describe('a later pass', () => {
  it('starts the operation inside the queue and does not wait for it there', async () => {
    const w = setUp();
    const gate = deferred<string>();
    const running = w.gates.start('tab_list', w.connection, null, () => gate.promise);
    await settle();
    const next = w.transitions.run(() => 'through');
    expect(await next).toBe('through');
    gate.resolve('done');
    expect(await running).toBe('done');
  });

  it('sees a transition that was queued before it', async () => {
    const w = setUp();
    void w.kill.onReport({ ok: true, killed: true });
    let started = false;
    expect(
      (await refusal(w.gates.start('tab_list', w.connection, null, async () => (started = true)))).message,
    ).toContain('kill switch');
    expect(started).toBe(false);
  });

  it('sees a panic that comes while it reads storage', async () => {
    const w = setUp({ bridgeKillMirror: { state: 'alive', at: 1 } });
    let started = false;
    const asked = refusal(w.gates.start('tab_list', w.connection, null, async () => (started = true)));
    w.kill.engage();
    expect((await asked).code).toBe('TOOL_DISABLED');
    expect(started).toBe(false);
  });

  it('refuses a decision that was made before a panic, although that was released since', async () => {
    const w = setUp();
    const snapshot = await w.admit();
    w.kill.engage();
    await w.kill.onReport({ ok: true, killed: true });
    await w.kill.onReport({ ok: true, killed: false });
    expect(await w.admit()).toBeDefined();
    expect((await refusal(w.gates.start('tab_list', w.connection, snapshot, async () => 1))).message).toContain('while this call waited');
  });

  it('reads the present policy, so that a tightening during a wait is honoured', async () => {
    const w = setUp(await active());
    w.knobs.verified = true;
    const snapshot = await w.admit();
    const state = w.store.data.bridgePolicyState as { effective: PolicyFields };
    state.effective.disabledTools = ['tab_list'];
    expect((await refusal(w.gates.start('tab_list', w.connection, snapshot, async () => 1))).message).toContain('disabled');
  });
});

describe('transitions', () => {
  it('lead from unpaired to nothing but forward, and back by removal alone', async () => {
    const w = setUp();
    expect((await w.gates.posture(null)).serving).toBe('unpaired');
    await w.store.write(await pinned());
    expect((await w.gates.posture(null)).serving).toBe('preCutover');
    w.store.data.enclavePin = undefined;
    expect((await w.gates.posture(null)).serving).toBe('blocked');
    await w.store.write(await active());
    expect((await w.gates.posture(null)).serving).toBe('unverified');
    w.store.data = {};
    expect((await w.gates.posture(null)).serving).toBe('unpaired');
  });
});
