import { describe, expect, it } from 'vitest';
import { classify, entryOf, isEntry, matches, permissionOf, webUrl } from '../../src/gate/site';

describe('entries', () => {
  it.each([
    ['https://Example.COM', 'https://example.com/*'],
    ['https://example.com:443/path?q#f', 'https://example.com/*'],
    ['http://example.com:80', 'http://example.com/*'],
    ['https://a:8443/x', 'https://a:8443/*'],
    ['https://user:pw@a.example/', 'https://a.example/*'],
    ['http://[::1]:8080/', 'http://[::1]:8080/*'],
    ['http://[0:0:0:0:0:0:0:1]/', 'http://[::1]/*'],
    ['https://b\u00fccher.example', 'https://xn--bcher-kva.example/*'],
    ['http://127.1/', 'http://127.0.0.1/*'],
    [' https://a.example/* ', 'https://a.example/*'],
  ])('%s is %s', (address, entry) => {
    expect(entryOf(address)).toBe(entry);
    expect(isEntry(entry)).toBe(true);
  });

  it.each(['ftp://a/', 'file:///etc', 'chrome-extension://abc/', 'about:blank', 'a.example', '', 'https://', 'https://*.a/', 'javascript:1'])(
    '%s is none',
    (address) => {
      expect(entryOf(address)).toBeNull();
    },
  );

  it.each(['https://A.example/*', 'https://a.example:443/*', 'https://a.example/', 'https://a.example/x/*', '*://a/*', 7, null])(
    '%s is not stored as one',
    (entry) => {
      expect(isEntry(entry)).toBe(false);
    },
  );

  it.each([
    ['https://a:8443/*', 'https://a/*'],
    ['https://a/*', 'https://a/*'],
    ['http://[::1]:8080/*', 'http://[::1]/*'],
  ])('%s asks the browser for %s', (entry, permission) => {
    expect(permissionOf(entry)).toBe(permission);
  });
});

describe('the matcher', () => {
  it.each([
    ['https://a/*', 'https://a/', true],
    ['https://a/*', 'https://a', true],
    ['https://a/*', 'https://a/x/y', true],
    ['https://a/*', 'https://ab/', false],
    ['https://a/*', 'https://a:8443/', false],
    ['https://a:8443/*', 'https://a/', false],
    ['https://a/*', 'http://a/', false],
    ['https://a/x*', 'https://a/xyz', true],
    ['https://a/x', 'https://a/x', true],
    ['https://a/x', 'https://a/xy', false],
  ])('%s and %s: %s', (entry, href, hit) => {
    expect(matches(entry, href)).toBe(hit);
  });
});

describe('page addresses', () => {
  it.each(['http://a/', 'https://a:8443/x', 'https://chrome.google.com/', 'https://chrome.google.com/webstores', 'https://microsoftedge.microsoft.com/x'])(
    '%s can be acted on',
    (address) => {
      expect(classify(address).kind).toBe('web');
    },
  );

  it.each([
    '',
    'about:blank',
    'data:text/html,x',
    'file:///x',
    'view-source:https://a/',
    'chrome://settings/',
    'devtools://devtools/x',
    'chrome-extension://abc/page.html',
    'chrome-error://chromewebdata/',
    'https://chromewebstore.google.com/',
    'https://chromewebstore.google.com/detail/x',
    'https://chrome.google.com/webstore',
    'https://chrome.google.com/webstore/x',
    'https://microsoftedge.microsoft.com/addons',
    'https://microsoftedge.microsoft.com/addons/x',
    'javascript:1',
    'null/',
  ])('%s cannot', (address) => {
    expect(classify(address)).toMatchObject({ kind: 'unsupported' });
  });

  it('gives the origin that is checked', () => {
    expect(classify('https://A.example:443/x')).toMatchObject({ origin: 'https://a.example' });
    expect(webUrl('https://a/x y')?.href).toBe('https://a/x%20y');
    expect(webUrl('//a/x')).toBeNull();
  });
});
