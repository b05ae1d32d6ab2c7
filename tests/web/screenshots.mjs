// Takes screenshots of the page, to look at: node tests/web/screenshots.mjs [--dist web/dist] [name ...]
//
// Three widths in two themes, and a few situations, into tests/results/screenshots/ (not committed). With --pictures
// instead those of the README, into web/pictures/.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { serve } from '../../web/serve.mjs';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: join(root, 'web', 'dist') },
    pictures: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'tests', 'results', 'screenshots') },
  },
});
mkdirSync(values.out, { recursive: true });

/**
 * Every chapter in its default state, and a few situations of the head in chapter "Attend"; addresses without their #.
 */
const chapters = [
  ...[
    'multiply',
    'average',
    'attend',
    'mask',
    'heads',
    'block',
    'towers',
    'longer',
    'check',
    'write',
  ],
  ...['learn', 'meaning', 'model'],
];
const many = Array.from({ length: 64 }, (_, i) => `w${i}`).join(' ');
const situations = {
  ...Object.fromEntries(chapters.map((chapter) => [chapter, chapter])),
  'multiply-steps': 'multiply?step=3&access=900&pin=c.0.1&spin=sc.0.3',
  'average-leak': 'average?hidden=0&pin=soft.0.0&blend=free',
  q: 'attend?step=q',
  scores: 'attend?step=scores&pin=scores.4.3',
  masked: 'attend?step=masked',
  weights: 'attend?step=weights&pin=weights.7.6',
  output: 'attend?step=output&pin=output.7.3&head=average&added=100&width=8&spin=naive.0.0',
  edited: 'attend?step=q&edits=wq~0~7~5&pin=wq.0.7',
  arabic: 'attend?text=القطة رأت الكلب والكلب رأى القطة&step=weights&head=same',
  characters: 'attend?by=characters&text=日本語🙂日本👩‍👩‍👧x&step=scores&head=same',
  numbers: 'attend?by=numbers&text=1 0 2\n0 1 1\n2 1 0\n1 2 nan&head=same&step=scores',
  long: `attend?text=${many}&step=weights&head=previous`,
  longq: `attend?text=${many}&step=scores&head=previous`,
  broken: 'attend?step=nonsense&pin=q.99.1&foo=1',
};
const wanted = positionals.length > 0 ? positionals : Object.keys(situations);

const server = await serve({ port: 4790 }, resolve(values.dist));
const address = server.resolvedUrls.local[0];
const browser = await chromium.launch(launchOptions());

async function open(context, hash) {
  const page = await context.newPage();
  page.on('console', (message) => console.log(message.text()));
  page.on('pageerror', (error) => console.log(error.message));
  const [chapter, query] = hash.split('?');
  await page.goto(`${address}${chapter}/${query ? `#?${encodeURI(query)}` : ''}`);
  await page.waitForSelector('[data-variant]');
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1500); // costs are measured once nothing changes any more
  return page;
}

async function allSituations() {
  for (const width of [1440, 768, 360]) {
    for (const theme of ['light', 'dark']) {
      const context = await browser.newContext({
        viewport: { width, height: width === 360 ? 740 : 900 },
        colorScheme: theme,
        deviceScaleFactor: width === 360 ? 2 : 1,
        hasTouch: width === 360,
      });
      for (const name of wanted) {
        const page = await open(context, situations[name]);
        const path = join(values.out, `${name}-${width}-${theme}.png`);
        await page.screenshot({ path, fullPage: true });
        await page.close();
      }
      await context.close();
    }
  }
}

async function readmePictures() {
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: theme,
    });
    const page = await open(context, situations.weights);
    await page.screenshot({ path: join(root, 'web', 'pictures', `attend-${theme}.png`) });
    await context.close();
  }
}

await (values.pictures ? readmePictures() : allSituations());
await browser.close();
server.httpServer.close();
process.exit(0);
