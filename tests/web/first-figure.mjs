// Measures how soon a chapter's first figure is computed and drawn: node tests/web/first-figure.mjs [--dist web/dist]
//   [--slower 4] [--runs 5] [chapter ...]
//
// Each load is cold, from this machine, in a new browser context, with the page's processor slowed down as in
// Chromium's developer tools. Prints the median, the least and the largest time in milliseconds.
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
    slower: { type: 'string', default: '4' },
    runs: { type: 'string', default: '5' },
    waterfall: { type: 'boolean', default: false },
    port: { type: 'string', default: '4793' },
  },
});

const server = await serve({ port: Number(values.port) }, resolve(values.dist));
const address = server.resolvedUrls.local[0];
const browser = await chromium.launch(launchOptions());

/** Runs in the page before its own scripts: records when the first cell with its number has been painted. */
function watch() {
  const look = () => {
    const cell = document.querySelector('main :is([role="gridcell"], canvas, [data-arcs])');
    if (!cell?.checkVisibility()) return requestAnimationFrame(look);
    requestAnimationFrame((now) =>
      setTimeout(() => (window.firstFigure = [now, performance.now()])),
    );
  };
  requestAnimationFrame(look);
}

async function once(chapter, waterfall) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slower) });
  await page.addInitScript(watch);
  const lines = [];
  page.on('requestfinished', (request) => {
    const { startTime, responseEnd } = request.timing();
    lines.push([startTime, responseEnd, request.url().slice(address.length)]);
  });
  await page.goto(`${address}${chapter}/`);
  const handle = await page.waitForFunction(() => window.firstFigure);
  const [, painted] = await handle.jsonValue();
  if (waterfall) {
    const origin = Math.min(...lines.map(([start]) => start));
    for (const [start, , name] of lines) console.log(`  ${(start - origin).toFixed(0)} ms ${name}`);
  }
  await context.close();
  return painted;
}

/** The chapters that the page lists. */
async function chapterIds() {
  const page = await browser.newPage();
  await page.goto(address);
  const links = page.locator('header .chapters a');
  await links.first().waitFor();
  const ids = await links.evaluateAll((all) => all.map((link) => link.pathname.split('/').at(-2)));
  await page.close();
  return ids;
}

await once('attend', false); // warms up the browser
const wanted = positionals.length > 0 ? positionals : await chapterIds();
for (const chapter of wanted) {
  const times = [];
  for (let run = 0; run < Number(values.runs); ++run) {
    times.push(await once(chapter, values.waterfall && run === 0));
  }
  times.sort((a, b) => a - b);
  const [least, median, most] = [0, Math.floor(times.length / 2), times.length - 1].map((at) =>
    times[at].toFixed(0),
  );
  console.log(`${chapter}: ${median} ms (${least} to ${most})`);
}
await browser.close();
server.httpServer.close();
