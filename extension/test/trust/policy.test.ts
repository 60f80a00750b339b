import { DENY_BASELINE, POLICY_FIELDS, type PolicyField, type PolicyFields } from '@contract/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { changedFields, fold, looserFields, setCommand } from '../../src/gate/policy';
import { parseDocument } from '../../src/trust/document';
import { outcome, settle } from '../util';
import { documentOf, newKey, NO_POLICY, testTrust, type DocumentChange, type Key } from './world';

let key: Key;
let other: Key;
beforeAll(async () => {
  key = await newKey();
  other = await newKey();
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const values = (over: Partial<PolicyFields> = {}): PolicyFields => ({ ...DENY_BASELINE, disabledTools: [], ...over });

/** Paired, and on a connection where revision 1 was accepted. */
async function active(change: DocumentChange = {}) {
  const w = testTrust(key.pin());
  await w.say(await key.push(change));
  expect(await w.serving()).toBe('active');
  return w;
}

describe('directions', () => {
  const pairs: [PolicyField, unknown, unknown][] = [
    ...POLICY_FIELDS.filter((r) => r.looser === 'on').map((r): [PolicyField, unknown, unknown] => [r.name, false, true]),
    ...POLICY_FIELDS.filter((r) => r.looser === 'off').map((r): [PolicyField, unknown, unknown] => [r.name, true, false]),
    ['confirmGraceMs', 0, 1],
    ['clickToastTimeoutMs', 1, 2],
    ['evalToastTimeoutMs', 0, Number.MAX_SAFE_INTEGER],
    ['hostReverifyMs', 1, 2],
    ['hostReverifyMs', Number.MAX_SAFE_INTEGER, 0],
    ['disabledTools', ['a', 'b'], ['b']],
    ['disabledTools', ['a'], ['b', 'c', 'd']],
  ];
  it.each(pairs)('%s is looser from %j to %j, and that way alone', (name, tight, loose) => {
    const from = values({ [name]: tight });
    const to = values({ [name]: loose });
    expect(looserFields(from, to)).toEqual([name]);
    expect(looserFields(from, from)).toEqual([]);
    expect(looserFields(to, to)).toEqual([]);
    if (name !== 'disabledTools') expect(looserFields(to, from)).toEqual([]);
  });

  it('of a set are those of its members, not of their order', () => {
    expect(looserFields(values({ disabledTools: ['a'] }), values({ disabledTools: ['b', 'a'] }))).toEqual([]);
    expect(changedFields(values({ disabledTools: ['a', 'b'] }), values({ disabledTools: ['b', 'a'] }))).toEqual([]);
    expect(changedFields(values(), values({ disabledTools: ['b'] }))).toEqual(['disabledTools']);
  });

  it('cover every field of the catalogue', () => {
    expect(new Set(pairs.map(([name]) => name))).toEqual(new Set(POLICY_FIELDS.map((r) => r.name)));
  });

  it('fold what an overlay names, and no more', () => {
    expect(fold(values(), { confirmGraceMs: 5 })).toEqual(values({ confirmGraceMs: 5 }));
    expect(fold(values(), {})).toEqual(values());
  });

  it('have a command that sets fields', () => {
    const v = values({ pageEvalEnabled: true, confirmGraceMs: 120000, disabledTools: ['page_upload', 'cookie_get'] });
    expect(setCommand(v, ['disabledTools', 'pageEvalEnabled', 'confirmGraceMs'])).toBe(
      'genkan policy set --page-eval on --confirm-grace-ms 120000 --disabled-tools page_upload,cookie_get',
    );
    expect(setCommand(values(), ['disabledTools', 'evalMask'])).toBe("genkan policy set --eval-mask on --disabled-tools ''");
    expect(setCommand(values({ disabledTools: ["a' b"] }), ['disabledTools'])).toBe("genkan policy set --disabled-tools 'a'\\'' b'");
  });
});

describe('a document', () => {
  it('is parsed from its exact form', () => {
    expect(parseDocument(bytes(documentOf()))).toEqual({ v: 1, revision: 1, touched: [], ...values() });
  });

  const text = documentOf({ revision: 3, touched: ['cdpMode', 'evalMask'], fields: { disabledTools: ['a'] } });
  it.each([
    ['another version', text.replace('"v":1', '"v":2')],
    ['revision 0', text.replace('"revision":3', '"revision":0')],
    ['a fraction', text.replace('"revision":3', '"revision":3.5')],
    ['a fraction that is whole', text.replace('"revision":3', '"revision":3.0')],
    ['an exponent', text.replace('"revision":3', '"revision":3e0')],
    ['a sign', text.replace('"hostReverifyMs":0', '"hostReverifyMs":-0')],
    ['beyond the bound', text.replace('"revision":3', '"revision":9007199254740992')],
    ['an unknown member', text.replace('{"v"', '{"x":1,"v"')],
    ['a member that is missing', text.replace('"evalMask":true,', '')],
    ['a member that stands twice', text.replace('"evalMask":true,', '"evalMask":true,"evalMask":false,')],
    ['a member that stands twice in another spelling', text.replace('"evalMask":true,', '"evalMask":true,"\\u0065valMask":true,')],
    ['touched out of order', text.replace('["cdpMode","evalMask"]', '["evalMask","cdpMode"]')],
    ['touched twice', text.replace('["cdpMode","evalMask"]', '["cdpMode","cdpMode"]')],
    ['touched of no field', text.replace('["cdpMode","evalMask"]', '["v"]')],
    ['a tool with a comma', text.replace('["a"]', '["a,b"]')],
    ['a tool twice', text.replace('["a"]', '["a","a"]')],
    ['null for a field', text.replace('"evalMask":true', '"evalMask":null')],
    ['two documents', text + text],
    ['a byte-order mark', `\ufeff${text}`],
    ['an array', `[${text}]`],
    ['nothing', ''],
  ])('is none with %s', (_name, bad) => {
    expect(bad).not.toBe(text);
    expect(parseDocument(bytes(bad))).toBeNull();
  });

  it('is none in bytes that are no UTF-8', () => {
    const bad = bytes(text.replace('["a"]', '["\u00e9"]'));
    expect(parseDocument(bad)).not.toBeNull();
    bad[bad.length - 4] = 0xff;
    expect(parseDocument(bad)).toBeNull();
  });

  it('may hold words that look like members inside its strings', () => {
    const tricky = documentOf({ fields: { disabledTools: ['v":1', 'evalMask'] } });
    expect(parseDocument(bytes(tricky))?.disabledTools).toEqual(['v":1', 'evalMask']);
  });
});

describe('a push', () => {
  it('that is good comes into force, arms the cutover, and verifies its connection', async () => {
    const w = testTrust(key.pin());
    expect(await w.serving()).toBe('preCutover');
    const push = await key.push({ revision: 4, touched: ['pageEvalEnabled'], fields: { pageEvalEnabled: true } });
    await w.say(push);
    expect(w.store.data.bridgePolicyCutover).toBe(true);
    expect(w.store.data.bridgePolicyState).toEqual({
      scope: key.keyId, effective: values({ pageEvalEnabled: true }), revision: 4, baselineB64: push.baseline, at: 1_000_000,
    });
    expect(await w.serving()).toBe('active');
    expect(await w.serves('page_eval')).toBeNull();
    expect(w.counts.applied).toEqual([values({ pageEvalEnabled: true })]);
  });

  it('with an overlay is in force as the fold of both', async () => {
    const w = await active({ touched: ['pageEvalEnabled'], fields: { pageEvalEnabled: true }, overlay: { pageEvalEnabled: false, disabledTools: ['tab_list'] } });
    expect(await w.serves('page_eval')).toContain('does not grant');
    expect(await w.serves('tab_list')).toContain('disabled');
    expect(await w.serves('tab_focus')).toBeNull();
  });

  it('that says the same again writes nothing', async () => {
    const w = await active();
    const before = w.store.writes.length;
    await w.clock.advance(10);
    await w.say(await key.push());
    expect(w.store.writes).toHaveLength(before);
    await w.reconnect();
    expect(await w.serving()).toBe('unverified');
    await w.say(await key.push());
    expect(w.store.writes).toHaveLength(before);
    expect(await w.serving()).toBe('active');
  });

  // Nothing in storage tells a page that the state it shows has passed.
  it('is told of once a connection, when that is verified', async () => {
    const w = await active();
    const first = w.counts.verified;
    expect(first).toHaveLength(1);
    await w.say(await key.push());
    expect(first).toHaveLength(1);
    const next = await w.reconnect();
    expect(first).toHaveLength(1);
    await w.say(await key.push());
    expect(first).toHaveLength(2);
    expect(first[1]).toBe(next);
  });

  it('is not applied without a pin, and opens the lane all the same', async () => {
    const w = testTrust();
    await w.say(await key.push());
    expect(w.store.data).toEqual({});
    expect(w.lanes.control(w.connection())).toBe(true);
  });

  it('counts while the switch is on and while pairing is blocked', async () => {
    const w = testTrust({ ...key.pin(), bridgeKillMirror: { state: 'killed', at: 1 }, enclaveCompromised: { reason: 'x', at: 1 } });
    await w.say(await key.push({ fields: { disabledTools: ['tab_list'] } }));
    expect(w.store.data.bridgePolicyState).toMatchObject({ effective: { disabledTools: ['tab_list'] } });
    expect(await w.blocked()).toBe('compromised');
  });

  // Each step failing alone: what is said, on a connection that is verified, after revision 5.
  const base: DocumentChange = { revision: 5, fields: { confirmGraceMs: 1_000 } };
  const refusals: [string, () => Promise<Record<string, unknown>>, RegExp][] = [
    ['1: a frame of both branches', async () => ({ ...(await key.push(base)), error: 'x' }), /malformed/],
    ['1: a frame that names a key', async () => ({ ...(await key.push(base)), key_id: key.keyId }), /malformed/],
    ['2: base64 that is not canonical', async () => ({ ...(await key.push(base)), baseline: String((await key.push(base)).baseline).replace(/.=*$/, '') }), /malformed/],
    ['4: no signature', async () => ({ ...(await key.push(base)), sig: undefined }), /signature is missing/],
    ['5: no document', async () => key.push({ bytes: bytes('{}') }), /not a policy/],
    ['5: no text', async () => key.push({ bytes: Uint8Array.of(0xff, 0xfe) }), /not a policy/],
    ['6: an overlay that loosens', async () => key.push({ ...base, revision: 6, touched: ['confirmGraceMs'], overlay: { confirmGraceMs: 2_000 } }), /overlay loosens confirmGraceMs/],
    ['7: an older revision', async () => key.push({ ...base, revision: 4 }), /revision 4 is older than 5/],
    ['7: other bytes under the same revision', async () => key.push({ ...base, fields: { confirmGraceMs: 999 } }), /other bytes/],
    ['8: what is looser is not named', async () => key.push({ revision: 6, fields: { confirmGraceMs: 1_001 } }), /loosens confirmGraceMs without naming/],
    ['8: something else is named', async () => key.push({ revision: 6, touched: ['cdpMode'], fields: { confirmGraceMs: 1_001 } }), /loosens confirmGraceMs/],
    ['8: one of two is named', async () => key.push({ revision: 6, touched: ['confirmGraceMs'], fields: { confirmGraceMs: 1_001, evalMask: false } }), /loosens evalMask without/],
  ];
  it.each(refusals)('%s: changes nothing', async (_name, make, words) => {
    const w = await active(base);
    const before = structuredClone(w.store.data);
    await w.reconnect();
    await w.say(await make());
    const { auditRing, ...rest } = w.store.data;
    const { auditRing: _was, ...was } = before;
    expect(rest).toEqual(was);
    expect(auditRing).toMatchObject([{ kind: 'policy_refused', detail: expect.stringMatching(words) }]);
    expect(await w.serving()).toBe('unverified');
    expect(await w.serves()).toContain('not been verified');
    // What is right is taken after it.
    await w.say(await key.push(base));
    expect(await w.serving()).toBe('active');
  });

  it('is noted once where the same is refused over and over', async () => {
    const w = await active(base);
    const noted = () => w.kinds().filter((k) => k === 'policy_refused').length;
    for (let i = 0; i < 5; i++) await w.say(await key.push({ ...base, revision: 4 }));
    expect(noted()).toBe(1);
    await w.say(await key.push({ ...base, revision: 3 }));
    expect(noted()).toBe(2);
    // After one that was taken, and on another connection, it is news again.
    await w.say(await key.push(base));
    await w.say(await key.push({ ...base, revision: 3 }));
    expect(noted()).toBe(3);
    await w.reconnect();
    await w.say(await key.push({ ...base, revision: 3 }));
    expect(noted()).toBe(4);
    for (let i = 0; i < 5; i++) await w.say(await other.push({ revision: 9 }));
    expect(w.kinds().filter((k) => k === 'policy_compromised')).toHaveLength(1);
  });

  it.each([
    ['by another key', async () => other.push({ revision: 9 })],
    ['over other bytes', async () => ({ ...(await key.push({ revision: 9 })), baseline: (await key.push({ revision: 10 })).baseline })],
    ['of a challenge instead', async () => ({ ...(await key.push({ revision: 9 })), sig: (await key.proof('x')).sig })],
  ])('4: signed %s compromises at once', async (_name, make) => {
    const w = await active();
    await w.reconnect();
    await w.say(await make());
    expect(w.store.data.enclaveCompromised).toMatchObject({ reason: expect.stringContaining('not signed') });
    expect(w.store.data.bridgePolicyState).toMatchObject({ revision: 1 });
    expect(w.kinds()).toContain('policy_compromised');
    expect(w.closed).toEqual(['compromised']);
    expect(await w.serves()).toContain('did not prove the key');
  });

  it('4: that compromises does so in memory where storage takes nothing', async () => {
    const w = await active();
    w.store.failWrites = true;
    await w.say(await other.push({ revision: 9 }));
    expect(w.compromise.now()).toBe(true);
    expect(await w.blocked()).toBe('compromised');
  });

  it('7: under the same revision may tighten by its overlay, and not loosen that again', async () => {
    const w = await active(base);
    await w.say(await key.push({ ...base, overlay: { confirmGraceMs: 5 } }));
    expect(w.store.data.bridgePolicyState).toMatchObject({ effective: { confirmGraceMs: 5 } });
    await w.say(await key.push(base));
    expect(w.store.data.bridgePolicyState).toMatchObject({ effective: { confirmGraceMs: 5 } });
    expect(w.policy.refused()?.fields).toEqual(['confirmGraceMs']);
  });

  it('8: that names what it loosens is taken, and so is one that tightens unnamed', async () => {
    const w = await active(base);
    await w.say(await key.push({ revision: 7, touched: ['confirmGraceMs'], fields: { confirmGraceMs: 9_000 } }));
    expect(w.store.data.bridgePolicyState).toMatchObject({ revision: 7, effective: { confirmGraceMs: 9_000 } });
    await w.say(await key.push({ revision: 8, fields: { confirmGraceMs: 1, hostReverifyMs: 5 } }));
    expect(w.store.data.bridgePolicyState).toMatchObject({ revision: 8, effective: { confirmGraceMs: 1, hostReverifyMs: 5 } });
  });

  it('8: the first is held against the defaults', async () => {
    const w = testTrust(key.pin());
    await w.say(await key.push({ revision: 3, fields: { pageEvalEnabled: true } }));
    expect(w.store.data.bridgePolicyCutover).toBeUndefined();
    expect(await w.serving()).toBe('preCutover');
    expect(await w.serves()).toBeNull();
  });

  it('9: is undone where the connection went while it was written', async () => {
    const w = await active(base);
    const before = structuredClone(w.store.data.bridgePolicyState);
    const write = w.store.write;
    w.store.write = async (items) => {
      await write(items);
      if ('bridgePolicyState' in items) {
        w.store.write = write;
        w.connection().drop();
      }
    };
    await w.say(await key.push({ ...base, revision: 6 }));
    expect(w.store.data.bridgePolicyState).toEqual(before);
    expect(w.store.data.bridgePolicyCutover).toBe(true);
  });

  it('9: is undone with the cutover it armed', async () => {
    const w = testTrust(key.pin());
    const write = w.store.write;
    w.store.write = async (items) => {
      await write(items);
      w.store.write = write;
      w.connection().drop();
    };
    await w.say(await key.push(base));
    expect(w.store.data.bridgePolicyState).toBeUndefined();
    expect(w.store.data.bridgePolicyCutover).toBeUndefined();
    // Never one of them alone, not even in between.
    expect(w.store.writes.map((items) => Object.keys(items).filter((k) => k.startsWith('bridgePolicy')).sort())).toContainEqual(['bridgePolicyCutover', 'bridgePolicyState']);
    expect(w.store.removals.map((keys) => [...keys].sort())).toEqual([['bridgePolicyCutover', 'bridgePolicyState']]);
  });

  it('9: leaves a record alone that is another by now', async () => {
    const w = await active(base);
    const foreign = { scope: key.keyId, effective: values(), revision: 77, baselineB64: 'e30=', at: 3 };
    const write = w.store.write;
    w.store.write = async (items) => {
      await write('bridgePolicyState' in items ? { bridgePolicyState: foreign } : items);
      w.connection().drop();
    };
    await w.say(await key.push({ ...base, revision: 6 }));
    expect(w.store.data.bridgePolicyState).toEqual(foreign);
  });

  it('9: is not taken under a pin that changed meanwhile', async () => {
    const w = await active(base);
    const state = structuredClone(w.store.data.bridgePolicyState);
    const read = w.store.read;
    let reads = 0;
    w.store.read = async (keys) => {
      reads += 1;
      if (reads === 2) w.store.data.enclavePin = other.pin().enclavePin;
      return read(keys);
    };
    await w.say(await key.push({ ...base, revision: 6 }));
    w.store.read = read;
    expect(w.store.data.bridgePolicyState).toEqual(state);
  });

  it('9: that cannot be written verifies nothing', async () => {
    const w = testTrust(key.pin());
    w.store.failWrites = true;
    expect(await outcome(w.say(await key.push()))).toMatchObject({ error: expect.any(Error) });
    expect(await w.serving()).toBe('preCutover');
    expect(w.counts.applied).toEqual([]);
  });

  it('10: verifies the connection it came on, and no other', async () => {
    const w = await active();
    await w.reconnect();
    expect(await w.serving()).toBe('unverified');
    expect(await w.serves()).toContain('not been verified');
  });

  it('10: of a port that is gone is nothing', async () => {
    const w = testTrust(key.pin());
    const old = w.connection();
    await w.reconnect();
    await w.say(await key.push(), old);
    expect(w.store.data.bridgePolicyState).toBeUndefined();
  });

  it.each([
    ['a record', { bridgePolicyState: 'junk', bridgePolicyCutover: true }],
    ['a cutover', { bridgePolicyCutover: 'yes' }],
    ['a cutover without its record', { bridgePolicyCutover: true }],
    ['a record without its cutover', () => ({ bridgePolicyState: { scope: key.keyId, effective: values(), revision: 1, baselineB64: 'e30=', at: 1 } })],
    ['a record beside another cutover', () => ({ bridgePolicyCutover: 1, bridgePolicyState: { scope: key.keyId, effective: values(), revision: 1, baselineB64: 'e30=', at: 1 } })],
    ['a record of another pin', () => ({ bridgePolicyCutover: true, bridgePolicyState: { scope: other.keyId, effective: values(), revision: 1, baselineB64: 'e30=', at: 1 } })],
  ])('never heals %s that is damaged', async (_name, data) => {
    const w = testTrust({ ...key.pin(), ...(typeof data === 'function' ? data() : data) });
    const before = structuredClone(w.store.data);
    await w.say(await key.push({ revision: 99 }));
    expect(w.store.data).toMatchObject(before);
    expect(await w.blocked()).toBe('policy_corrupt');
  });
});

describe('a host without a policy', () => {
  it('changes nothing, and after cutover has to prove its key', async () => {
    const w = await active();
    const before = structuredClone(w.store.data);
    await w.reconnect();
    await w.say(NO_POLICY);
    expect(w.store.data).toEqual(before);
    expect(await w.serving()).toBe('unverified');
    expect(w.posted('enclave_challenge')).toHaveLength(1);
    await w.say({ type: 'enclave_error', reason: 'not_enrolled' });
    expect(await w.blocked()).toBe('compromised');
  });

  it('that still has the key stays unverified', async () => {
    const w = await active();
    await w.reconnect();
    await w.say(NO_POLICY);
    const { nonce, context } = w.asked('enclave_challenge');
    await w.say(await key.proof(nonce, context));
    expect(await w.serving()).toBe('unverified');
    expect(w.store.data.enclaveLastVerifiedAt).toBe(1_000_000);
  });

  it('is asked for nothing before cutover', async () => {
    const w = testTrust(key.pin());
    await w.say(NO_POLICY);
    expect(w.posted('enclave_challenge')).toEqual([]);
    expect(w.counts.suspected).toBe(0);
  });
});

describe('healing', () => {
  it('names every field that is looser, and a set of these is taken', async () => {
    const w = await active();
    // Missed revisions: 2 named confirmGraceMs, 3 named pageEvalEnabled.
    const fields = { confirmGraceMs: 90_000, pageEvalEnabled: true };
    await w.say(await key.push({ revision: 3, touched: ['pageEvalEnabled'], fields }));
    expect(w.policy.refused()).toEqual({
      fields: ['pageEvalEnabled', 'confirmGraceMs'],
      heal: fields,
      error: 'revision 3 loosens confirmGraceMs without naming it as a change',
    });
    const command = 'genkan policy set --page-eval on --confirm-grace-ms 90000';
    expect(await w.serves('page_eval')).toContain(command);
    expect(await w.serves('tab_list')).toBeNull();
    await w.say(await key.push({ revision: 4, touched: ['pageEvalEnabled', 'confirmGraceMs'], fields }));
    expect(w.policy.refused()).toBeNull();
    expect(await w.serves('page_eval')).toBeNull();
  });

  it('is offered where the connection is not verified, too', async () => {
    const w = await active();
    await w.reconnect();
    await w.say(await key.push({ revision: 3, fields: { evalMask: false } }));
    expect(await w.serves()).toContain('genkan policy set --eval-mask off');
  });

  it('is offered for no other refusal, and goes with the connection and with the pin', async () => {
    const w = await active();
    await w.say(await key.push({ revision: 3, fields: { evalMask: false } }));
    expect(w.policy.refused()).not.toBeNull();
    await w.say(await key.push({ revision: 3, overlay: { evalMask: false } }));
    expect(w.policy.refused()).toBeNull();
    await w.say(await key.push({ revision: 3, fields: { evalMask: false } }));
    await w.reconnect();
    expect(w.policy.refused()).toBeNull();
    await w.say(await key.push({ revision: 3, fields: { evalMask: false } }));
    await w.pairing.revoke();
    expect(w.policy.refused()).toBeNull();
  });
});

describe('pushes in order', () => {
  it('are judged one after the other', async () => {
    const w = testTrust(key.pin());
    const grants = { touched: ['pageEvalEnabled'] as const, fields: { pageEvalEnabled: true } };
    const pushes = [await key.push({ revision: 1 }), await key.push({ revision: 2, ...grants }), await key.push({ revision: 3 }), await key.push({ revision: 2, ...grants })];
    await Promise.all(pushes.map((p) => w.policy.onFrame(p, w.connection())));
    await settle();
    expect(w.store.data.bridgePolicyState).toMatchObject({ revision: 3, effective: { pageEvalEnabled: false } });
  });
});
