import { createHash } from 'node:crypto';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'wxt';
import { LIMITS } from './.contract/host';
import { EXTENSION_ID, MANIFEST_KEY } from './.contract/identity';
import { compileLocales } from './scripts/locales.mjs';
import { pageSource } from './scripts/page-source.mjs';

/** The browser's rule: the first half of the key's digest, 0-f spelled a-p. */
export function extensionIdOf(keyB64: string): string {
  const digest = createHash('sha256').update(Buffer.from(keyB64, 'base64')).digest('hex');
  return [...digest.slice(0, 32)].map((c) => String.fromCharCode(97 + parseInt(c, 16))).join('');
}

const CSP = [
  "script-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "connect-src 'self'",
  "img-src 'self' data:",
].join('; ');

/** The table of limits holds many for few that a bundle asks for: each stands where it is used. */
const limitsInPlace = {
  name: 'limits-in-place',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | null {
    if (!/\/src\/.*\.tsx?$/.test(id) || !code.includes('LIMITS.')) return null;
    return code.replace(/\bLIMITS\.([A-Z][A-Z0-9_]*)\b/g, (all, name: string) => {
      const value = (LIMITS as Record<string, unknown>)[name];
      return typeof value === 'number' ? `(${value})` : all;
    });
  },
};

export default defineConfig({
  srcDir: 'src',
  outDir: '.output',
  manifestVersion: 3,
  imports: false,
  webExt: { disabled: true },
  alias: { '@contract': '.contract' },
  vite: () => ({
    plugins: [limitsInPlace, react()],
    build: {
      minify: true,
      sourcemap: false,
      target: 'chrome120',
      rollupOptions: {
        // Comments of a dependency, in a form meant for another bundler.
        onwarn: (warning, warn) => (warning.code === 'INVALID_ANNOTATION' ? undefined : warn(warning)),
      },
    },
  }),
  hooks: {
    // WXT wraps a content script in a context that announces itself to the page by events and
    // messages. Ours has to be invisible to pages, so it is built as a plain script.
    'entrypoints:found': (_wxt, infos) => {
      for (const info of infos) if (info.type === 'content-script') info.type = 'unlisted-script';
    },
    'build:publicAssets': async (wxt, files) => {
      files.push(...compileLocales(wxt.config.srcDir));
      files.push({ relativeDest: 'page-api.js', contents: await pageSource(wxt.config.srcDir) });
    },
  },
  manifest: () => {
    const derived = extensionIdOf(MANIFEST_KEY);
    if (derived !== EXTENSION_ID)
      throw new Error(`manifest key gives the id ${derived}, the contract pins ${EXTENSION_ID}`);
    return {
      name: '__MSG_app_name__',
      description: '__MSG_app_description__',
      default_locale: 'en',
      key: MANIFEST_KEY,
      minimum_chrome_version: '120',
      permissions: ['tabs', 'tabGroups', 'scripting', 'storage', 'nativeMessaging', 'debugger', 'cookies', 'alarms'],
      optional_host_permissions: ['<all_urls>'],
      incognito: 'not_allowed',
      content_security_policy: { extension_pages: CSP },
    };
  },
});
