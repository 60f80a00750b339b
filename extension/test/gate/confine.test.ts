import { describe, expect, it } from 'vitest';
import { fakeBrowser } from 'wxt/testing/fake-browser';
import { deferred } from '../../src/async';
import { confine } from '../../src/browser/storage';
import { confineStorage } from '../../src/gate/confine';

describe('storage confinement', () => {
  it('is a problem until it is done', async () => {
    const gate = deferred<void>();
    const confinement = confineStorage(() => gate.promise);
    expect(confinement.problem()).toContain('not yet');
    gate.resolve();
    await confinement.settled;
    expect(confinement.problem()).toBeNull();
  });

  it('stays one when it fails, by throwing too', async () => {
    const rejected = confineStorage(() => Promise.reject(new Error('no such method')));
    await rejected.settled;
    expect(rejected.problem()).toContain('no such method');
    const thrown = confineStorage(() => {
      throw new Error('gone');
    });
    await thrown.settled;
    expect(thrown.problem()).toContain('gone');
  });

  it('closes local storage first, then the session, to trusted contexts', async () => {
    const calls: unknown[] = [];
    const local = fakeBrowser.storage.local as unknown as { setAccessLevel(o: unknown): Promise<void> };
    const session = fakeBrowser.storage.session as unknown as { setAccessLevel(o: unknown): Promise<void> };
    local.setAccessLevel = async (o) => void calls.push(['local', o]);
    session.setAccessLevel = async (o) => void calls.push(['session', o]);
    await confine();
    expect(calls).toEqual([
      ['local', { accessLevel: 'TRUSTED_CONTEXTS' }],
      ['session', { accessLevel: 'TRUSTED_CONTEXTS' }],
    ]);
    local.setAccessLevel = () => Promise.reject(new Error('refused'));
    calls.length = 0;
    await expect(confine()).rejects.toThrow('refused');
    expect(calls).toEqual([]);
  });
});
