// @vitest-environment jsdom
import { act } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AllowlistView, StatusView } from '../../src/messages';
import { Options } from '../../src/ui/options';
import { fake, kill, list, no, ok, pairing, status } from './browser';
import { all, button, click, freshPages, one, settle, show, text, type } from './page';

vi.mock('../../src/browser/runtime', async () => (await import('./browser')).runtime);
vi.mock('../../src/browser/storage', async () => (await import('./browser')).storage);
vi.mock('../../src/browser/permissions', async () => (await import('./browser')).permissions);
vi.mock('../../src/browser/i18n', async () => (await import('./browser')).i18n);

freshPages();

async function open(is: Partial<StatusView> = {}, sites: Partial<AllowlistView> = {}): Promise<void> {
  fake.answers.get_status = ok(status(is));
  fake.answers.get_allowlist = ok(list(sites));
  await show(Options);
  fake.log.length = 0;
}

beforeEach(() => {
  fake.answers.get_enrollment = ok(pairing());
  fake.answers.add_allow = ok(null);
  fake.answers.set_kill = ok(kill({ latched: true }));
});

const address = (): HTMLInputElement => one<HTMLInputElement>('#site');
const submit = async (): Promise<void> => {
  await act(async () => void one('form').dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })));
  await settle();
};

describe('settings', () => {
  it('the language is written and followed, in the page and in its head', async () => {
    await open();
    const picker = one<HTMLSelectElement>('[data-act="language"]');
    expect(picker.value).toBe('en');
    expect([...picker.options].map((o) => o.value)).toEqual(['auto', 'en', 'zh_CN', 'zh_TW']);
    fake.answers.lang_choose = () => {
      fake.stored.uiLanguage = 'zh_TW';
      fake.changed('uiLanguage');
      return ok({ sent: false });
    };
    await type(picker, 'zh_TW');
    await settle();
    expect(fake.log[0]).toEqual({ type: 'lang_choose', value: 'zh_TW' });
    expect(fake.log.filter((m) => 'wrote' in (m as object))).toEqual([]);
    expect(document.documentElement.lang).toBe('zh-TW');
    expect(one<HTMLSelectElement>('[data-act="language"]').value).toBe('zh_TW');
    expect(document.title).not.toBe('genkan settings');
  });

  it('the language is kept even where the worker cannot', async () => {
    await open();
    fake.answers.lang_choose = no('no');
    await type(one<HTMLSelectElement>('[data-act="language"]'), 'zh_CN');
    expect(fake.stored.uiLanguage).toBe('zh_CN');
  });

  it('says that the choice is shared while paired', async () => {
    await open();
    expect(text()).not.toContain('shared with the host');
    fake.answers.get_enrollment = ok(pairing({ serving: 'active', pin: { keyId: 'ab12'.repeat(16), at: 0 } }));
    fake.changed('enclavePin');
    await settle();
    expect(text()).toContain('shared with the host');
  });

  it('tabs are grouped unless that is turned off', async () => {
    await open();
    expect(one<HTMLInputElement>('[data-act="group-tabs"]').checked).toBe(true);
    await click('[data-act="group-tabs"]');
    expect(fake.log[0]).toEqual({ wrote: { groupTabs: false } });
    expect(one<HTMLInputElement>('[data-act="group-tabs"]').checked).toBe(false);
  });
});

describe('adding a site', () => {
  it.each([
    ['https://a.example', 'https://a.example/*', 'https://a.example/*'],
    ['a.example', 'https://a.example/*', 'https://a.example/*'],
    ['  HTTP://User:pw@A.Example:8080/path?q#f ', 'http://a.example:8080/*', 'http://a.example/*'],
    ['https://a.example:443/*', 'https://a.example/*', 'https://a.example/*'],
    ['http://[::1]:8080', 'http://[::1]:8080/*', 'http://[::1]/*'],
  ])('%s asks the browser without the port, then stores %s', async (given, entry, permission) => {
    await open();
    await type(address(), given);
    await submit();
    expect(fake.log).toEqual([{ asked: permission }, { type: 'add_allow', glob: entry }]);
    expect(address().value).toBe('');
  });

  it.each(['', '   ', 'ftp://a.example', 'chrome://version', 'https://', 'https://*.example.com', '*', 'not an address'])('refuses "%s" without asking anybody', async (given) => {
    await open();
    await type(address(), given);
    await submit();
    expect(fake.log).toEqual([]);
    expect(one('#site-error').textContent).toBe('That is no http or https address.');
    expect(address().getAttribute('aria-invalid')).toBe('true');
  });

  it('stores nothing that was not granted', async () => {
    await open();
    fake.prompt = false;
    await type(address(), 'https://a.example');
    await submit();
    expect(fake.log).toEqual([{ asked: 'https://a.example/*' }]);
    expect(one('#site-error').textContent).toContain('nothing was stored');
    expect(address().value).toBe('https://a.example');
  });

  it('tells what the worker has against it', async () => {
    await open();
    fake.answers.add_allow = no('no');
    await type(address(), 'https://a.example');
    await submit();
    expect(one('#site-error').textContent).toBe('no');
  });

  it.each([kill({ state: 'unknown' }), kill({ state: 'none' }), kill({ state: 'killed' }), kill({ latched: true })])('is off while the switch is %j', async (view) => {
    await open({ kill: view });
    expect([button('add-site').disabled, button('all-sites').disabled]).toEqual([true, true]);
    expect(text()).toContain('only while the kill switch is known to be off');
  });
});

describe('all sites', () => {
  it('asks the browser, then stores', async () => {
    await open();
    await click(button('all-sites'));
    expect(fake.log.slice(0, 2)).toEqual([{ asked: '<all_urls>' }, { wrote: { allowAllSites: true } }]);
  });

  it('stores nothing after a refusal', async () => {
    await open();
    fake.prompt = false;
    await click(button('all-sites'));
    expect(fake.log).toEqual([{ asked: '<all_urls>' }]);
    expect(text()).toContain('nothing was stored');
  });

  it('is taken back even while the switch is engaged', async () => {
    fake.stored.allowAllSites = true;
    await open({ kill: kill({ state: 'killed' }) }, { allowAllSites: true, allUrlsHeld: true });
    expect(text()).toContain('All sites are allowed.');
    expect(button('all-sites').textContent).toBe('Ask for each site again');
    await click(button('all-sites'));
    expect(fake.stored.allowAllSites).toBe(false);
    expect(fake.log).toContainEqual({ removed: '<all_urls>' });
  });

  it('leaves the listed sites what they have', async () => {
    fake.stored.allowAllSites = true;
    const entries = ['https://a.example/*', 'https://a.example:8443/*', 'http://b.example/*'].map((glob) => ({ glob, held: true }));
    await open({}, { allowAllSites: true, allUrlsHeld: true, entries });
    await click(button('all-sites'));
    // What the page asks the worker meanwhile is none of the browser's business.
    const done = fake.log.filter((m) => !(m as { type?: string }).type?.startsWith('get_'));
    expect(done.slice(-2)).toEqual([{ removed: '<all_urls>' }, { askedAll: ['https://a.example/*', 'http://b.example/*'] }]);
  });

  it('a stale true is put right', async () => {
    fake.stored.allowAllSites = true;
    fake.answers.get_status = ok(status());
    fake.answers.get_allowlist = ok(list({ allowAllSites: true, allUrlsHeld: false }));
    await show(Options);
    expect(fake.stored.allowAllSites).toBe(false);
    expect(text()).not.toContain('All sites are allowed.');
  });
});

describe('the kill switch', () => {
  it('is engaged by one click', async () => {
    await open();
    await click(button('kill'));
    expect(fake.log).toEqual([{ type: 'set_kill', on: true }, { type: 'get_status' }, { type: 'get_doctor' }]);
  });

  it('is not engaged twice, and names the terminal', async () => {
    await open({ kill: kill({ state: 'killed' }) });
    expect(all('[data-act="kill"]')).toEqual([]);
    expect(text()).toContain('genkan unkill');
  });

  it('says when the host last spoke, while it is away', async () => {
    await open({ port: { state: 'down', error: 'gone', hostMissing: false, served: false }, kill: kill({ at: Date.UTC(2026, 0, 15, 12) }) });
    expect(text()).toMatch(/It last said so on .*2026/);
  });
});

describe('pairing', () => {
  it('shows the fingerprint of the pin', async () => {
    fake.answers.get_enrollment = ok(pairing({ serving: 'active', pin: { keyId: 'ab12'.repeat(16), at: 0 }, lastVerifiedAt: Date.UTC(2026, 0, 15, 12) }));
    await open({ serving: 'active' });
    expect(all('#pairing .fingerprint span')).toHaveLength(16);
    expect(one('#pairing').textContent).toContain('Last verified');
  });

  it('a link into the page leads there once it is there', async () => {
    const seen: string[] = [];
    Element.prototype.scrollIntoView = function () {
      seen.push(this.id);
    };
    history.replaceState(null, '', '/options.html#pairing');
    await open();
    expect(seen).toEqual(['pairing']);
  });
});

describe('the page', () => {
  it('names host, version and protocol at its end', async () => {
    await open();
    expect(one('footer').textContent).toBe('Host com.vivswan.genkan.hostVersion 0.1.0, protocol 1');
  });

  it('asks again when it comes back into view', async () => {
    await open();
    await act(async () => void document.dispatchEvent(new Event('visibilitychange')));
    await settle();
    const asked = fake.log.map((m) => (m as { type: string }).type).sort();
    expect(asked).toEqual(['get_allowlist', 'get_doctor', 'get_enrollment', 'get_policy', 'get_status', 'webauthn_enrollment', 'webauthn_presence_pending']);
  });
});
