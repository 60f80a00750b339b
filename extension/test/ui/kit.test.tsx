// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import { Alert, Fingerprint, Foreign, hostOf, hostTail, Words } from '../../src/ui/kit';
import { all, freshPages, one, show, text } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

describe('a host', () => {
  it.each([
    ['https://a.example/*', 'a.example'],
    ['https://a.example:8443/*', 'a.example:8443'],
    ['https://a.example', 'a.example'],
    ['http://[::1]:8080/*', '[::1]:8080'],
    ['null', 'null'],
    ['about:blank', 'about:blank'],
  ])('of %s is %s', (address, host) => {
    expect(hostOf(address)).toBe(host);
  });

  it.each([
    ['https://a.example', 20, 'a.example'],
    ['https://exactly-20.example', 18, 'exactly-20.example'],
    ['https://one-more.example', 15, '…\u2060e-more.example'],
    ['https://your-bank.example.login.attacker.example', 24, '…\u2060.login.attacker.example'],
    [`https://${'x'.repeat(40)}-bank.example`, 24, `…\u2060${'x'.repeat(10)}-bank.example`],
    ['https://a.b.c.attacker.example:65535', 24, '…\u2060.attacker.example:65535'],
  ])('%s in %i characters is %s', (address, room, shown) => {
    expect(hostTail(address, room)).toBe(shown);
    expect(shown.replace('\u2060', '').length).toBe(Math.min(room, hostOf(address).length));
  });
});

describe('foreign text', () => {
  const shown = async (given: string): Promise<string> => {
    await show(() => <Foreign>{given}</Foreign>);
    return one('bdi').innerHTML;
  };
  const number = (name: string) => `<span class="unseen">${name}</span>`;

  it('is text, whatever it looks like', async () => {
    expect(await shown('<img src=x onerror=alert(1)> & </bdi>')).toBe('&lt;img src=x onerror=alert(1)&gt; &amp; &lt;/bdi&gt;');
    expect(one('bdi').dir).toBe('auto');
  });

  it.each([
    ['a\u202eb', `a${number('U+202E')}b`],
    ['\u2066\u2069', `${number('U+2066')}${number('U+2069')}`],
    ['\u200b\u200b\u200bx', `${number('U+200B×3')}x`],
    ['x\u{e0041}', `x${number('U+E0041')}`],
    ['\u0000\u001b', `${number('U+0000')}${number('U+001B')}`],
    ['\ufeff', number('U+FEFF')],
    ['soft\u00adhyphen', `soft${number('U+00AD')}hyphen`],
  ])('shows what cannot be seen: %j', async (given, html) => {
    expect(await shown(given)).toBe(html);
  });

  it.each(['two\nlines\tand a tab', 'na\u00efve', '\u0633\u0644\u0627\u0645 \u200f!', '\u{1f469}\u200d\u{1f4bb}', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', ''])('leaves %j alone', async (given) => {
    expect(await shown(given)).toBe(given);
  });
});

describe('small parts', () => {
  it('an alert is there before its text', async () => {
    await show(() => <Alert />);
    expect(one('[role=alert]').textContent).toBe('');
  });

  it('a fingerprint is sixteen blocks of four, read as one line', async () => {
    const keyId = '0123456789abcdef'.repeat(4);
    await show(() => <Fingerprint keyId={keyId} />);
    expect(all('.fingerprint span')).toHaveLength(16);
    expect(text().trim()).toBe(keyId.match(/.{4}/g)?.join(' '));
  });

  it('a command stands out of its sentence', async () => {
    await show(() => <Words of="kill.release_hint" />);
    expect(all('code').map((c) => c.textContent)).toEqual(['genkan unkill']);
    expect(text()).not.toContain('`');
  });
});
