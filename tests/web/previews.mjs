// The pictures that go with shared links, one a chapter, of the page as it is built: node tests/web/previews.mjs
//
// Into web/static/previews/, which is committed: to build the page takes no browser. Build it once more afterwards.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { dist, serve } from '../../web/serve.mjs';
import { launchOptions } from './chromium.mjs';

/** Each chapter in a state that tells what it is about. */
const states = {
  multiply: '#?step=5',
  average: '',
  attend: '#?step=weights&pin=weights.7.6',
  mask: '',
  heads: '',
  block: '',
  towers: '',
  longer: '#?step=4',
  check: '',
};

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../web/static/previews');
mkdirSync(folder, { recursive: true });
const server = await serve({ port: 4796 }, dist);
const browser = await chromium.launch(launchOptions());
const context = await browser.newContext({
  ...{ viewport: { width: 1200, height: 630 }, colorScheme: 'light', serviceWorkers: 'block' },
});
for (const [chapter, state] of Object.entries(states)) {
  const page = await context.newPage();
  await page.goto(`${server.resolvedUrls.local[0]}${chapter}/${state}`);
  await page.waitForSelector('[data-variant]');
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(2500); // formulas, and figures that come one after another
  await page.screenshot({ path: join(folder, `${chapter}.png`) });
  await page.close();
}
await browser.close();
server.httpServer.close();
process.exit(0);
