// @vitest-environment jsdom
//
// The text that the debugger backend evaluates, built as it is shipped, run with nothing around it.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { PAGE_DATA, PageReply, PRECISE_ATTR, REF_ATTR, type PageApi } from '@/page-channel';
import { giveLayout } from './layout';

const ROOT = path.resolve(__dirname, '../..');

let text = '';
let api: PageApi;

const made = (): PageApi =>
  (new Function(`return (${text})(${JSON.stringify(REF_ATTR)},${JSON.stringify(PRECISE_ATTR)},(e)=>e.shadowRoot)`) as () => PageApi)();

beforeAll(() => {
  // In a process of its own: the compiler does not run beside a simulated document.
  const script = `import { pageSource } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'scripts/page-source.mjs')).href)}; process.stdout.write(await pageSource('src'))`;
  text = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, encoding: 'utf8' });
  giveLayout();
  api = made();
});

describe('the shipped text', () => {
  it('is one expression that makes the page API', () => {
    expect(Object.keys(api).sort()).toEqual(Object.keys(PAGE_DATA).filter((op) => op !== 'ping' && op !== '_info_toast').sort());
  });

  it('runs, and each time anew', async () => {
    document.body.innerHTML = '<button>go</button><p>text</p>';
    const args = { interactiveOnly: false, refPrefix: '', limit: 2000, hasFocus: true };
    const outline = async (of: PageApi) => PageReply.parse(await of.page_snapshot({ call: 1, expectOrigin: location.origin, args }));
    const lines = [{ depth: 0, text: 'button "go" [ref=e1]', ref: true }, { depth: 0, text: 'text "text"', ref: false }];
    expect(await outline(api)).toMatchObject({ ok: true, data: { lines } });
    document.body.innerHTML = '<button>go</button><p>text</p>';
    // The first instance knows that number one is gone, another one does not.
    expect(await outline(made())).toMatchObject({ ok: true, data: { lines } });
    document.body.innerHTML = '<button>go</button>';
    expect(await outline(api)).toMatchObject({ ok: true, data: { lines: [{ text: 'button "go" [ref=e2]' }] } });
  });

  it('answers in the envelope', async () => {
    localStorage.setItem('k', 'v');
    const message = { call: 1, expectOrigin: location.origin, args: { type: 'local' as const, key: 'k' } };
    expect(PageReply.parse(await api.storage_get(message))).toEqual({ ok: true, data: { key: 'k', found: true, value: 'v' } });
    expect(await api.storage_get({ ...message, expectOrigin: 'https://other.example' })).toMatchObject({ ok: false, code: 'EXECUTION_FAILED' });
  });

  it('holds no import, and no export', () => {
    expect(text).not.toMatch(/\bimport\b|\bexport\b|\brequire\(/);
  });
});
