// Builds the extension and reads what came out: a build tool that adds hosts, scripts or resources
// is noticed here and nowhere else.
import { EXTENSION_ID, ID_VECTOR, MANIFEST_KEY } from '@contract/identity';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from 'wxt';
import { ROOT } from '../../scripts/lint.mjs';
import { extensionIdOf } from '../../wxt.config';

let out: string;
let dir: string;
let manifest: Record<string, unknown>;

beforeAll(async () => {
  out = mkdtempSync(path.join(tmpdir(), 'genkan-built-'));
  await build({ root: ROOT, outDir: out, logger: Object.assign({}, quiet) });
  dir = path.join(out, 'chrome-mv3');
  manifest = JSON.parse(readFileSync(path.join(dir, 'manifest.json'), 'utf8')) as Record<string, unknown>;
}, 180_000);
afterAll(() => rmSync(out, { recursive: true, force: true }));

const silent = (): void => undefined;
const quiet = { debug: silent, log: silent, info: silent, warn: silent, error: silent, fatal: silent, success: silent, level: 0 };

describe('the built manifest', () => {
  it('says what it should', () => {
    expect(manifest).toMatchObject({
      manifest_version: 3,
      minimum_chrome_version: '120',
      key: MANIFEST_KEY,
      incognito: 'not_allowed',
      default_locale: 'en',
      name: '__MSG_app_name__',
      description: '__MSG_app_description__',
      optional_host_permissions: ['<all_urls>'],
      background: { service_worker: 'background.js' },
      content_security_policy: {
        extension_pages:
          "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; img-src 'self' data:",
      },
    });
    expect(manifest.permissions).toEqual([
      'tabs', 'tabGroups', 'scripting', 'storage', 'nativeMessaging', 'debugger', 'cookies', 'alarms',
    ]);
    expect(manifest.host_permissions ?? []).toEqual([]);
    expect((manifest.action as { default_popup: string }).default_popup).toBe('popup.html');
    expect(manifest.options_ui).toEqual({ open_in_tab: true, page: 'options.html' });
  });

  it('has nothing else', () => {
    for (const absent of ['content_scripts', 'externally_connectable', 'web_accessible_resources'])
      expect(manifest).not.toHaveProperty(absent);
    const known = [
      'manifest_version', 'name', 'description', 'version', 'default_locale', 'icons', 'key', 'minimum_chrome_version',
      'permissions', 'host_permissions', 'optional_host_permissions', 'incognito', 'content_security_policy',
      'background', 'action', 'options_ui',
    ];
    expect(Object.keys(manifest).filter((k) => !known.includes(k))).toEqual([]);
  });

  it('has the key whose id is pinned', () => {
    expect(extensionIdOf(MANIFEST_KEY)).toBe(EXTENSION_ID);
    expect(extensionIdOf(ID_VECTOR.key)).toBe(ID_VECTOR.id);
  });

  it('takes its name from every locale', () => {
    const locales = readdirSync(path.join(dir, '_locales'));
    expect(locales.sort()).toEqual(['en', 'zh_CN', 'zh_TW']);
    for (const locale of locales) {
      const messages = JSON.parse(readFileSync(path.join(dir, '_locales', locale, 'messages.json'), 'utf8')) as Record<string, { message: string }>;
      expect(messages.app_name?.message).toBeTruthy();
      expect(messages.app_description?.message).toBeTruthy();
      for (const name of Object.keys(messages)) expect(name).toMatch(/^[A-Za-z0-9_]+$/);
    }
  });
});

describe('the built folder', () => {
  it('has the pages, the worker and the page half, and icons', () => {
    for (const file of ['background.js', 'page.js', 'page-api.js', 'popup.html', 'options.html', 'confirm.html'])
      expect(existsSync(path.join(dir, file)), file).toBe(true);
    for (const icon of Object.values(manifest.icons as Record<string, string>)) expect(existsSync(path.join(dir, icon))).toBe(true);
  });

  it('has a worker below 200 KiB', () => {
    expect(statSync(path.join(dir, 'background.js')).size).toBeLessThan(200 * 1024);
  });

  it('has a page half that does not announce itself to the page', () => {
    const text = readFileSync(path.join(dir, 'page.js'), 'utf8');
    expect(/window\.postMessage|wxt:/.test(text)).toBe(false);
  });

  it('loads nothing from elsewhere', () => {
    for (const page of ['popup.html', 'options.html', 'confirm.html']) {
      const html = readFileSync(path.join(dir, page), 'utf8');
      expect(html.match(/(?:src|href)="(?!\/|data:)[^"]*"/g) ?? []).toEqual([]);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>/);
    }
  });
});
