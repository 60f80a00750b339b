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

  it.each([
    ['\u115f\u1160\u3164\uffa0', 'U+115F U+1160 U+3164 U+FFA0'],
    ['\u034f\u180e\u2065\u{e0fff}', 'U+034F U+180E U+2065 U+E0FFF'],
    ['\u2800\u{16fe4}\u{1d159}', 'U+2800 U+16FE4 U+1D159'],
    ['\u2061\u206f\u{1d173}', 'U+2061 U+206F U+1D173'],
  ])('shows what is blank: %j', async (given, names) => {
    expect(await shown(given)).toBe(names.split(' ').map(number).join(''));
  });

  it('leaves a space of its own kind alone', async () => {
    await show(() => <Foreign>{'no\u00a0break'}</Foreign>);
    expect(one('bdi').textContent).toBe('no\u00a0break');
  });

  it.each(['two\nlines\tand a tab', 'na\u00efve', '\u0633\u0644\u0627\u0645 \u200f!', '\u{1f469}\u200d\u{1f4bb}', '\u2764\ufe0f', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', ''])('leaves %j alone', async (given) => {
    expect(await shown(given)).toBe(given);
  });
});

describe('foreign text that counts to the letter', () => {
  const shown = async (given: string): Promise<string> => {
    await show(() => <Foreign exact>{given}</Foreign>);
    return one('bdi').innerHTML;
  };
  const marks = (given: string): Promise<string> => shown(given).then((html) => html.replace(/<span class="unseen">(.*?)<\/span>/g, '[$1]'));

  it('is read from the left', async () => {
    await shown('x');
    expect(one('bdi').dir).toBe('ltr');
  });

  // All that a font may draw as nothing, by what the signs are and not by a list of them.
  const hidden = (() => {
    const found: number[] = [];
    for (let at = 0; at <= 0x10ffff; at++)
      if (/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(at))) found.push(at);
    return found.filter((at) => ![0x09, 0x0a, 0x20].includes(at));
  })();

  it('marks every sign that may be left out of a rendering, orders text or is a strange space', async () => {
    expect(hidden.length).toBeGreaterThan(4200);
    const given = hidden.map((at) => `a${String.fromCodePoint(at)}`).join('');
    const names = hidden.map((at) => `a[U+${at.toString(16).toUpperCase().padStart(4, '0')}]`).join('');
    expect((await marks(given)).replaceAll('\n', '').replaceAll('&nbsp;', '\u00a0')).toBe(names);
  });

  it.each([
    ['\u200e\u200f\u061c', '[U+200E][U+200F][U+061C]'],
    ['a\u200db\ufe0f\ufe0fc\u{e01ef}', 'a[U+200D]b[U+FE0F×2]c[U+E01EF]'],
    ['\u2800\u3164\ue000\u{10ffff}', '[U+2800][U+3164][U+E000][U+10FFFF]'],
    ['if\u00a0(x)\u3000y', 'if[U+00A0](x)[U+3000]y'],
    ['\ud800x', '[U+D800]x'],
    ['let \u043d\u0430\u0457\u0432 = "\u05d0";', 'let \u043d\u0430\u0457\u0432 = "\u05d0";'],
    ['two\n\tlines', 'two\n\tlines'],
    ['of\r\nelsewhere\r\n', 'of\r\nelsewhere\r\n'],
  ])('%j is shown as %j', async (given, wanted) => {
    expect(await marks(given)).toBe(wanted);
  });

  it.each(['\r', '\u2028', '\u2029'])('breaks a line of code where %j does, so that a comment ends where it ends', async (end) => {
    const name = `[U+${(end.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
    expect(await marks(`// harmless${end}steal()`)).toBe(`// harmless${name}\nsteal()`);
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
