// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { bytesOf, ceremonyText, makeCredential, textOf, touch } from '../../src/ui/ceremony';
import { ASSERTION, ATTESTATION, authenticator, named } from './authenticator';
import { freshPages } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();
beforeEach(() => authenticator.install());

const ID = 'fmkoengpgchbmogeaifdcdfpnnpgmcfl';

describe('base64url', () => {
  it.each([
    ['', []],
    ['AA', [0]],
    ['-_8', [0xfb, 0xff]],
    ['AAECAw', [0, 1, 2, 3]],
  ])('"%s" is %j, both ways', (text, bytes) => {
    expect([...bytesOf(text)]).toEqual(bytes);
    expect(textOf(new Uint8Array(bytes).buffer)).toBe(text);
  });
});

describe('a registration', () => {
  it('asks for what the host verifies, and hands its answer on', async () => {
    const made = await makeCredential({ challenge: 'Y2g', nonce: 'n', userId: 'Y2hyb21l', userName: 'chrome', excludeCredentialIds: ['b2xk'] });
    expect(made).toEqual(ATTESTATION);
    const [{ publicKey: k }] = authenticator.asked as [{ publicKey: PublicKeyCredentialCreationOptions }];
    const { challenge, user, excludeCredentials, ...rest } = k;
    expect(rest).toEqual({
      rp: { id: ID, name: 'genkan' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      attestation: 'none',
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      timeout: 120_000,
    });
    expect([authenticator.plain(challenge), user.name, user.displayName, authenticator.plain(user.id)]).toEqual(['ch', 'chrome', 'chrome', 'chrome']);
    expect(excludeCredentials?.map((c) => [c.type, authenticator.plain(c.id)])).toEqual([['public-key', 'old']]);
  });
});

describe('a touch', () => {
  it('names the challenge, the credentials and the time', async () => {
    expect(await touch({ challenge: 'Y2g', allowedCredentialIds: ['b25l', 'dHdv'] })).toEqual(ASSERTION);
    await touch({ challenge: 'Y2g', allowedCredentialIds: ['b25l'] }, 7_000);
    const [first, second] = authenticator.asked.map((o) => (o as { publicKey: PublicKeyCredentialRequestOptions }).publicKey);
    expect([first?.rpId, first?.userVerification, first?.timeout, second?.timeout]).toEqual([ID, 'preferred', 120_000, 7_000]);
    expect(authenticator.plain(first?.challenge)).toBe('ch');
    expect(first?.allowCredentials?.map((c) => authenticator.plain(c.id))).toEqual(['one', 'two']);
  });
});

describe('without a ceremony', () => {
  it.each([
    [named('InvalidStateError'), true, 'This authenticator is enrolled already.'],
    [named('NotAllowedError'), true, 'The authenticator was not used: it was cancelled, or the time ran out.'],
    [named('NotAllowedError'), false, 'This page has to be in front for it. Click into it and try again.'],
    [named('SecurityError', 'bad id'), true, 'The authenticator could not be used: bad id'],
    ['odd', true, 'The authenticator could not be used: odd'],
  ])('%s, focus %s', (error, focus, sentence) => {
    vi.spyOn(document, 'hasFocus').mockReturnValue(focus);
    expect(ceremonyText(error)).toBe(sentence);
  });
});
