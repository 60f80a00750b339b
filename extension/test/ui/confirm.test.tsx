// @vitest-environment jsdom
import { act } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CONFIRM_ARM_MS, type ConfirmKind } from '../../src/messages';
import { Confirm } from '../../src/ui/confirm';
import { ASSERTION, authenticator, named } from './authenticator';
import { fake, kill, no, ok, payload } from './browser';
import { all, button, click, freshPages, key, one, pass, show, text } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

const ID = '3f9a1c52-77aa-4e0b-9f3e-0f6f8d1c2b3a';

async function open(over: Parameters<typeof payload>[0] = {}): Promise<void> {
  history.replaceState(null, '', `/confirm.html?id=${ID}`);
  fake.answers.confirm_ready = ok({ state: 'shown', payload: payload(over) });
  await show(Confirm);
}

beforeEach(() => {
  fake.answers.confirm_resolve = ok(null);
  fake.answers.confirm_deny_kill = ok(kill({ latched: true, pending: true }));
});

describe('the window', () => {
  it('asks once, by the id of its address', async () => {
    await open();
    expect(fake.log).toEqual([{ type: 'confirm_ready', id: ID }]);
    expect(document.title).toBe('genkan asks');
  });

  it.each(['', '?', '?id=', '?other=1'])('with the address "%s" says that the request is gone, and asks nobody', async (search) => {
    history.replaceState(null, '', `/confirm.html${search}`);
    await show(Confirm);
    expect(text()).toContain('This request is no longer pending.');
    expect(fake.log).toEqual([]);
    expect(all('[data-act="allow"], [data-act="deny"]')).toEqual([]);
  });

  it.each([['a foreign id', ok({ state: 'gone' })], ['no worker', no('no receiver')]])('with %s says that the request is gone', async (_, reply) => {
    history.replaceState(null, '', '/confirm.html?id=other');
    fake.answers.confirm_ready = reply;
    await show(Confirm);
    expect(text()).toContain('This request is no longer pending.');
    expect(all('[data-act="allow"]')).toEqual([]);
    expect(document.activeElement).toBe(button('close'));
  });

  it.each([
    ['click', 'Click on shop.example?', true],
    ['press', 'Send keys to shop.example?', false],
    ['select', 'Choose an option on shop.example?', false],
    ['tab_close', 'Close this tab of shop.example?', false],
    ['fill', 'Fill a field on shop.example?', false],
    ['read', 'Read what shop.example stored?', false],
    ['eval', 'Run code on shop.example?', false],
    ['upload', 'Give a file to shop.example?', false],
  ] as [ConfirmKind, string, boolean][])('for %s names the host; high risk: %s %s', async (kind, headline, risk) => {
    await open({ kind } as never);
    expect(one('h1').textContent).toBe(headline);
    expect(all('.said .pill').map((p) => p.textContent)).toEqual(risk ? ['High risk'] : []);
    expect(one('#consequence').textContent).not.toMatch(/^confirm\./);
  });

  it('shows tool, origin, quoted title and detail', async () => {
    await open({ tool: 'page_press', origin: 'https://a.example:8443', tabTitle: 'A title', detail: 'Control+Enter' });
    expect(one('.chip').textContent).toBe('requested via page_press');
    expect(one('#origin').textContent).toBe('https://a.example:8443');
    expect(one('.title').textContent).toBe('“A title”');
    expect(one('.payload').textContent).toBe('Control+Enter');
    expect(text()).toContain('Request 3f9a1c52');
  });

  it('quotes no empty title', async () => {
    await open({ tabTitle: '' });
    expect(all('.title')).toEqual([]);
  });

  it('keeps all page text as text in the one region that scrolls', async () => {
    const evil = '<button data-act="allow">Allow</button><script>1</script>\u202e';
    await open({ tabTitle: evil, detail: evil });
    expect(all('.said button, .said script')).toEqual([]);
    expect(all('button')).toHaveLength(3);
    expect(text()).not.toContain('\u202e');
    for (const part of all('h1, #origin, .title, .payload')) expect(part.closest('.said')).not.toBeNull();
  });

  it('marks the browser as the held gate, the client as idle', async () => {
    await open();
    expect(all('.hop').map((h) => h.getAttribute('aria-current'))).toEqual([null, null, 'step']);
    expect(one('.hop:first-child').className).toBe('hop mute');
  });

  it('counts down, in text and bar, and is gone when the worker let the time pass', async () => {
    await open({ deadline: Date.now() + 30_000 });
    expect(one('[role=timer]').textContent).toBe('Denied in 30 s unless you decide');
    expect(one('.bar span').style.transform).toBe('scaleX(1)');
    await pass(15_000);
    expect(one('[role=timer]').textContent).toBe('Denied in 15 s unless you decide');
    expect(one('.bar span').style.transform).toBe('scaleX(0.5)');
    await pass(15_900);
    expect(one('[role=timer]').textContent).toBe('Denied in 0 s unless you decide');
    await pass(200);
    expect(text()).toContain('This request is no longer pending.');
    expect(fake.sent('confirm_resolve')).toEqual([]);
  });
});

describe('the answer', () => {
  it('Deny has the focus and denies at once', async () => {
    await open();
    expect(document.activeElement).toBe(button('deny'));
    await click(button('deny'));
    expect(fake.sent('confirm_resolve')).toEqual([{ type: 'confirm_resolve', id: ID, approved: false }]);
  });

  it('Esc denies, other keys do nothing', async () => {
    await open();
    await key('a');
    await key('Enter');
    expect(fake.sent('confirm_resolve')).toEqual([]);
    await key('Escape');
    await key('Escape');
    expect(fake.sent('confirm_resolve')).toEqual([{ type: 'confirm_resolve', id: ID, approved: false }]);
  });

  it('Allow is armed after 600 ms, not before', async () => {
    expect(CONFIRM_ARM_MS).toBe(600);
    await open();
    await pass(CONFIRM_ARM_MS - 1);
    expect(button('allow').disabled).toBe(true);
    await click(button('allow'));
    expect(fake.sent('confirm_resolve')).toEqual([]);
    await pass(1);
    expect(button('allow').disabled).toBe(false);
    await click(button('allow'));
    expect(fake.sent('confirm_resolve')).toEqual([{ type: 'confirm_resolve', id: ID, approved: true }]);
  });

  it('Allow is armed anew each time the window comes to the front', async () => {
    await open();
    await pass(CONFIRM_ARM_MS);
    button('allow').focus();
    await act(async () => void window.dispatchEvent(new Event('focus')));
    expect(button('allow').disabled).toBe(true);
    expect(document.activeElement).toBe(button('deny'));
    await pass(CONFIRM_ARM_MS - 1);
    await act(async () => void document.dispatchEvent(new Event('visibilitychange')));
    await pass(CONFIRM_ARM_MS - 1);
    expect(button('allow').disabled).toBe(true);
    await pass(1);
    expect(button('allow').disabled).toBe(false);
  });

  it('a press that began before then approves nothing, however late it ends', async () => {
    await open();
    const press = () => act(async () => void button('allow').dispatchEvent(new Event('pointerdown', { bubbles: true })));
    const release = () => act(async () => void button('allow').dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })));
    await press();
    await pass(CONFIRM_ARM_MS);
    expect(button('allow').disabled).toBe(false);
    await release();
    expect(fake.sent('confirm_resolve')).toEqual([]);
    await press();
    await act(async () => void window.dispatchEvent(new Event('focus')));
    await pass(CONFIRM_ARM_MS);
    await release();
    expect(fake.sent('confirm_resolve')).toEqual([]);
    await press();
    await release();
    expect(fake.sent('confirm_resolve')).toEqual([{ type: 'confirm_resolve', id: ID, approved: true }]);
  });

  it.each([['Enter'], [' '], ['Tab']])('the key %j counts for nothing until then, nor while it is held down', async (name) => {
    await open();
    const down = (repeat: boolean): boolean => {
      const event = new KeyboardEvent('keydown', { key: name, repeat, bubbles: true, cancelable: true });
      button('deny').dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(down(false)).toBe(true);
    await pass(CONFIRM_ARM_MS - 1);
    expect(down(false)).toBe(true);
    await pass(1);
    expect(down(true)).toBe(true);
    expect(down(false)).toBe(false);
    await act(async () => void window.dispatchEvent(new Event('focus')));
    expect(down(false)).toBe(true);
  });

  it('Deny is there from the first moment, by click and by Esc', async () => {
    await open();
    await click(button('deny'));
    expect(fake.sent('confirm_resolve')).toEqual([{ type: 'confirm_resolve', id: ID, approved: false }]);
  });

  it('is given once', async () => {
    await open();
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    for (const act of ['deny', 'allow', 'kill']) {
      expect(button(act).disabled, act).toBe(true);
      await click(button(act));
    }
    await key('Escape');
    expect(fake.log).toHaveLength(2);
  });

  it('that is not taken leaves nothing to answer, and says why', async () => {
    fake.answers.confirm_resolve = no('this request is no longer pending');
    await open();
    await click(button('deny'));
    expect(text()).toContain('This request is no longer pending.');
    expect(one('[role=alert]').textContent).toBe('The answer was not taken: this request is no longer pending');
  });
});

describe('Deny and kill', () => {
  it('is one message, never an approval, and ends the window', async () => {
    await open();
    await click(button('kill'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_deny_kill', id: ID }]);
    expect(text()).toContain('Denied, and everything is stopped.');
    expect(text()).toContain('genkan unkill');
  });

  it('that fails says so in a region that was there, and can be tried again', async () => {
    fake.answers.confirm_deny_kill = no('no receiver');
    await open();
    const region = one('[role=alert]');
    expect(region.textContent).toBe('');
    await click(button('kill'));
    expect(one('[role=alert]')).toBe(region);
    expect(region.textContent).toBe('The answer was not taken: no receiver');
    expect(document.activeElement).toBe(button('deny'));
    fake.answers.confirm_deny_kill = ok(kill({ latched: true }));
    await click(button('kill'));
    expect(fake.sent('confirm_deny_kill')).toHaveLength(2);
    expect(text()).toContain('Denied, and everything is stopped.');
  });
});

describe('an act that takes a proof', () => {
  const presence = { nonce: 'n1', challenge: 'Y2g', allowedCredentialIds: [] as string[] };
  const byTouch = { ...presence, allowedCredentialIds: ['cmF3'] };

  beforeEach(() => {
    authenticator.install();
    fake.answers.confirm_presence = ok(null);
  });

  it('without a credential, Allow itself is the confirmation', async () => {
    await open({ kind: 'eval', presence } as never);
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_presence', id: ID, nonce: 'n1' }]);
    expect(authenticator.asked).toEqual([]);
  });

  it('with one, Allow asks for a touch within the time that is left', async () => {
    await open({ kind: 'upload', presence: byTouch, deadline: Date.now() + 30_000 } as never);
    expect(one('#consequence').textContent).toContain('asks for your authenticator');
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_presence', id: ID, nonce: 'n1', ...ASSERTION }]);
    expect((authenticator.asked[0] as { publicKey: { timeout: number } }).publicKey.timeout).toBe(30_000 - CONFIRM_ARM_MS);
  });

  it('a touch that failed is a denial, and there is no second one', async () => {
    authenticator.fails = named('NotAllowedError');
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    await open({ kind: 'eval', presence: byTouch } as never);
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_resolve', id: ID, approved: false }]);
    expect(all('[data-act="allow"]')).toEqual([]);
    expect(text()).toContain('The authenticator was not used');
  });

  it('a refusal is said in its sentence', async () => {
    fake.answers.confirm_presence = no('signature_invalid');
    await open({ kind: 'eval', presence } as never);
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    expect(text()).toContain("The authenticator's signature does not fit its key.");
    expect(all('[data-act="allow"]')).toEqual([]);
  });

  it('Deny needs none', async () => {
    await open({ kind: 'eval', presence: byTouch } as never);
    await click(button('deny'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_resolve', id: ID, approved: false }]);
    expect(authenticator.asked).toEqual([]);
  });

  it('where the policy asks for no proof, Allow is what it always is', async () => {
    await open({ kind: 'eval' } as never);
    await pass(CONFIRM_ARM_MS);
    await click(button('allow'));
    expect(fake.log.slice(1)).toEqual([{ type: 'confirm_resolve', id: ID, approved: true }]);
  });

  it('code keeps its lines', async () => {
    await open({ kind: 'eval', detail: 'a();\n  b();' } as never);
    expect([one('.payload').className, one('.payload').textContent]).toEqual(['payload mono code', 'a();\n  b();']);
  });

  it.each([
    ['code', { kind: 'eval', detail: 'a\u200d();// ok\rb\u3164()' }, 'aU+200D();// okU+000D\nbU+3164()'],
    ['the path of a file', { kind: 'upload', tool: 'page_upload', detail: '/a\u200d\n#x' }, '/aU+200D\n#x'],
    ['an option', { kind: 'select', tool: 'page_select', detail: 'a\u200d' }, 'aU+200D'],
    ['keys', { kind: 'press', tool: 'page_press', detail: 'a\u200d' }, 'aU+200D'],
    ['a text', { kind: 'fill', tool: 'page_fill', detail: 'Card: a\u200d' }, 'Card: aU+200D'],
    ['a name', { kind: 'read', tool: 'cookie_get', detail: 'a\u200d' }, 'aU+200D'],
  ])('nothing hides in %s', async (_name, over, shown) => {
    await open(over as never);
    expect(one('.payload').textContent).toBe(shown);
  });

  it('a name may have its joiners', async () => {
    await open({ kind: 'click', detail: 'submit: \u0645\u06cc\u200c\u062e' } as never);
    expect(one('.payload').textContent).toBe('submit: \u0645\u06cc\u200c\u062e');
  });
});
