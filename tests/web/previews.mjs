// Makes the previews of shared links from the built pages, one per page: node tests/web/previews.mjs [name ...]
//
// A chapter's picture has its title and a figure, as its button "SVG" gives it. The files go to web/static/previews/,
// which is committed: building the page takes no browser. Build it once more afterwards.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { dist, serve } from '../../web/serve.mjs';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';

/** Each chapter in a characteristic state, and its figure. */
const figures = {
  multiply: ['#?step=5', 'product'],
  average: ['', 'averages'],
  attend: ['#?step=weights&pin=weights.7.6', 'weights'],
  mask: ['', 'mask'],
  heads: ['', 'reads'],
  block: ['', 'block'],
  towers: ['', 'asking'],
  longer: ['#?step=4', 'online-softmax'],
  check: ['', 'check-bug'],
  write: ['', 'write-attention'],
  learn: ['#step', 'step'],
  meaning: ['', 'words'],
  model: ['', 'model'],
};

/** Runs in the page: replaces it by the picture, in the page's own colours and fonts. */
function compose({ svg, title }) {
  document.body.innerHTML = `<div id="preview"><h1>${title}</h1><p>Tril</p><div>${svg}</div></div>`;
  const style = (selector, rules) =>
    Object.assign(document.querySelector(`#preview${selector}`).style, rules);
  const box = { position: 'fixed', inset: '0', display: 'grid', background: 'var(--paper)' };
  const grid = { gridTemplate: '1fr auto / 330px minmax(0, 1fr)', gap: '0 24px' };
  style('', { ...box, ...grid, padding: '30px 30px 30px 48px' });
  style(' h1', { alignSelf: 'center', font: '500 50px/1.1 var(--serif)', textWrap: 'balance' });
  style(' p', { margin: '0', font: '500 34px/1 var(--serif)', color: 'var(--soft)' });
  style(' div', { gridArea: '1 / 2 / span 2', minHeight: '0' });
  const picture = document.querySelector('#preview svg');
  const { width, height } = picture;
  if (!picture.hasAttribute('viewBox'))
    picture.setAttribute('viewBox', `0 0 ${width.baseVal.value} ${height.baseVal.value}`);
  // A very tall figure is shown from its top.
  if (height.baseVal.value > 1.2 * width.baseVal.value)
    picture.setAttribute('preserveAspectRatio', 'xMidYMin slice');
  for (const name of ['width', 'height']) picture.setAttribute(name, '100%');
}

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../web/static/previews');
mkdirSync(folder, { recursive: true });
const server = await serve({ port: 4789 }, dist);
const browser = await chromium.launch(launchOptions());
const context = await browser.newContext({
  ...{ viewport: { width: 1800, height: 1000 }, colorScheme: 'light', serviceWorkers: 'block' },
});
await context.addInitScript(() => localStorage.setItem('tril.veils', 'none'));
const wanted = (name) => process.argv.length === 2 || process.argv.includes(name);
// Two pages show themselves: the sentence with its arcs, and the thread from the gap to the word before.
const own = { home: '', tour: 'tour/#?at=0.9' };
for (const [name, place] of Object.entries(own)) {
  if (!wanted(name)) continue;
  const page = await context.newPage();
  await page.setViewportSize({ width: 1200, height: 630 });
  await page.goto(server.resolvedUrls.local[0] + place);
  await page.waitForSelector('[data-variant]');
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(1200); // the arcs have landed
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
for (const [chapter, [state, figure]] of Object.entries(figures)) {
  if (!wanted(chapter)) continue;
  const page = await context.newPage();
  await page.goto(`${server.resolvedUrls.local[0]}${chapter}/${state}`);
  await page.waitForSelector('[data-variant]');
  await page.evaluate(() => document.fonts.ready);
  const download = page.waitForEvent('download');
  const take = page.locator(`[data-take="${figure}"]`);
  await take.evaluate((offered) => (offered.closest('details').open = true));
  await take.getByRole('button', { name: 'SVG' }).click();
  const svg = readFileSync(await (await download).path(), 'utf8');
  const title = await page.locator('h1').textContent();
  await page.evaluate(compose, { svg: svg.replace(/^<\?xml[^>]*\?>/, ''), title });
  await page.setViewportSize({ width: 1200, height: 630 });
  await page.screenshot({ path: join(folder, `${chapter}.png`) });
  await page.close();
}
await browser.close();
server.httpServer.close();
process.exit(0);
