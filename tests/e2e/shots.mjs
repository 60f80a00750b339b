// Pictures of every page in every state that matters, in each language and both themes:
//
//   node shots.mjs [FOLDER [PART-OF-A-NAME]]
//
// writes FOLDER/<language>/<theme>/<page>-<state>.png; the folder is `screenshots` by default.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { launch, needChromium } from './cdp.mjs';
import { extension, LANGUAGES, opener, THEMES, VIEWS } from './views.mjs';

needChromium();
const folder = path.resolve(process.argv[2] ?? 'screenshots');
const wanted = VIEWS.filter((v) => `${v.page}-${v.name}`.includes(process.argv[3] ?? ''));

const fonts = spawnSync('fc-list', [':lang=zh-tw', 'family'], { encoding: 'utf8' });
if (fonts.status === 0 && fonts.stdout.trim() === '') console.warn('shots: no font here has Chinese, so it shows as boxes (Debian: fonts-noto-cjk)');

const browser = await launch({ extension });
try {
  await browser.worker(opener(browser).id);
  const pages = opener(browser);
  let count = 0;
  for (const language of LANGUAGES) {
    await pages.language(language);
    for (const theme of THEMES) {
      const to = path.join(folder, language, theme);
      mkdirSync(to, { recursive: true });
      for (const view of wanted) {
        const page = await pages.open(view, { theme });
        // Long enough for Allow to be armed; the popup ends where its content does, as the real one.
        if (view.page === 'confirm') await page.until('!document.querySelector(\'[data-act="allow"]:disabled\') || document.querySelector(".alert, main.over") !== null', 3_000);
        const { width, height } = await page.eval(`({ width: innerWidth, height: ${
          { popup: 'Math.min(600, document.querySelector("main").offsetHeight)', confirm: 'innerHeight', options: 'document.documentElement.scrollHeight' }[view.page]
        } })`);
        const { data } = await page.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: view.page === 'options', clip: { x: 0, y: 0, width, height, scale: 1 } });
        writeFileSync(path.join(to, `${view.page}-${view.name}.png`), Buffer.from(data, 'base64'));
        await page.close();
        count++;
      }
    }
  }
  console.log(`${count} pictures in ${folder}`);
} finally {
  await browser.close();
}
