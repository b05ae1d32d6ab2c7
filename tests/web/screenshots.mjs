// Pictures of the page, to be looked at: node tests/web/screenshots.mjs [--dist web/dist] [step ...]
//
// Three widths in two themes, and a few situations, into tests/results/screenshots/ (not committed).
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { preview } from 'vite';
import { launchOptions } from './chromium.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: join(root, 'web', 'dist') },
    out: { type: 'string', default: join(root, 'tests', 'results', 'screenshots') },
  },
});
mkdirSync(values.out, { recursive: true });

const situations = {
  x: 'step=x',
  q: 'step=q',
  scores: 'step=scores&pin=scores.4.3',
  masked: 'step=masked',
  weights: 'step=weights&pin=weights.7.6',
  output: 'step=output&pin=output.7.3',
  edited: 'step=q&edits=wq~0~7~5&pin=wq.0.7',
  arabic: 'text=القطة رأت الكلب والكلب رأى القطة&step=weights&head=same',
  characters: 'by=characters&text=日本語🙂日本👩‍👩‍👧x&step=scores&head=same',
  numbers: 'by=numbers&text=1 0 2\n0 1 1\n2 1 0\n1 2 nan&head=same&step=scores',
  long: `text=${Array.from({ length: 64 }, (_, i) => `w${i}`).join(' ')}&step=weights&head=previous`,
  longq: `text=${Array.from({ length: 64 }, (_, i) => `w${i}`).join(' ')}&step=scores&head=previous`,
  broken: 'step=nonsense&pin=q.99.1&foo=1',
};
const wanted = positionals.length > 0 ? positionals : Object.keys(situations);

const server = await preview({
  root: join(root, 'web'),
  logLevel: 'warn',
  build: { outDir: resolve(values.dist) },
  preview: { port: 4790 },
});
const address = server.resolvedUrls.local[0];
const browser = await chromium.launch(launchOptions());
for (const width of [1440, 768, 360]) {
  for (const theme of ['light', 'dark']) {
    const context = await browser.newContext({
      viewport: { width, height: width === 360 ? 740 : 900 },
      colorScheme: theme,
      deviceScaleFactor: width === 360 ? 2 : 1,
      hasTouch: width === 360,
    });
    const page = await context.newPage();
    page.on('console', (message) => console.log(`${width} ${theme}: ${message.text()}`));
    page.on('pageerror', (error) => console.log(`${width} ${theme}: ${error.message}`));
    for (const name of wanted) {
      await page.goto('about:blank');
      await page.goto(`${address}#attend?${encodeURI(situations[name])}`);
      await page.waitForSelector('[data-measured]');
      await page.waitForTimeout(350);
      await page.screenshot({
        path: join(values.out, `${name}-${width}-${theme}.png`),
        fullPage: true,
      });
    }
    await context.close();
  }
}
await browser.close();
server.httpServer.close();
process.exit(0);
