// Measures the time of scripts in each frame while a page is scrolled, down and up: node tests/web/scroll-frames.mjs
//   [--dist web/dist] [--slower 4] [--runs 3] [--step 40] [--widths 1440,390]
//   [--to .track] [--longest 0] [page, as tour/]
//
// The times come from the browser's own trace: processor time of the main thread in scripts, without the styles and
// layout that they request and without the script that scrolls, with a frame for each step. Prints the median, the 90th
// percentile and the largest time in milliseconds, of each run and of each step's median over the runs, which reduces
// the noise of a busy machine.
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
    runs: { type: 'string', default: '3' },
    step: { type: 'string', default: '40' },
    widths: { type: 'string', default: '1440,390' },
    to: { type: 'string', default: '.track' },
    longest: { type: 'string', default: '0' },
    port: { type: 'string', default: '4794' },
  },
});
const [place = 'tour/'] = positionals;

const scripts = new Set([
  ...['FunctionCall', 'FireAnimationFrame', 'RunMicrotasks', 'TimerFire', 'EventDispatch'],
  ...['EvaluateScript', 'v8.run', 'V8.GCScavenger', 'MinorGC', 'MajorGC', 'FireIdleCallback'],
]);
const others = new Set(['UpdateLayoutTree', 'Layout', 'HitTest', 'PrePaint', 'Paint']);

/** Runs in the page: scrolls one step per frame, to the end of the element and back. */
function scroll({ to, step }) {
  const all = document.querySelector(to).offsetHeight;
  return new Promise((done) => {
    let [at, by] = [0, step];
    const driver = () => {
      at += by;
      scrollTo({ top: at, behavior: 'instant' });
      if (at > all) by = -step;
      if (at <= 0) return setTimeout(done, 200);
      requestAnimationFrame(driver);
    };
    requestAnimationFrame(driver);
  });
}

/** Milliseconds of scripts in each step of the scroll, one frame each, and the names of the scripts. */
function stepsOf(events) {
  const main = events.find(
    ({ name, args }) => name === 'FunctionCall' && args?.data?.functionName === 'driver',
  );
  const own = events
    .filter(({ ph, pid, tid }) => ph === 'X' && pid === main.pid && tid === main.tid)
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
  const steps = [];
  const open = [];
  for (const event of own) {
    while (open.length > 0 && open.at(-1).ts + open.at(-1).dur <= event.ts) open.pop();
    const around = open.at(-1)?.kind;
    const isDriver = event.args?.data?.functionName === 'driver';
    const isOther = isDriver || others.has(event.name);
    const kind = isOther ? 'other' : scripts.has(event.name) ? 'script' : around;
    open.push({ ts: event.ts, dur: event.dur, kind });
    const sign = Number(kind === 'script') - Number(around === 'script');
    if (sign !== 0 && steps.length > 0) {
      const took = sign * ((event.tdur ?? event.dur) / 1000);
      const { parts } = steps.at(-1);
      steps.at(-1).spent += took;
      parts[event.name] = (parts[event.name] ?? 0) + took;
    }
    if (isDriver) steps.push({ spent: 0, parts: {} });
  }
  return steps;
}

async function once(browser, address, width) {
  const phone = width < 560;
  const context = await browser.newContext({
    ...{ viewport: { width, height: phone ? 844 : 900 }, isMobile: phone, hasTouch: phone },
    ...{ reducedMotion: 'no-preference', serviceWorkers: 'block' },
  });
  const page = await context.newPage();
  await page.goto(address + place);
  await page.locator(`${values.to} [data-place]`).waitFor();
  await page.waitForTimeout(1500);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slower) });
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const ended = new Promise((done) => session.once('Tracing.tracingComplete', done));
  const categories =
    'devtools.timeline,disabled-by-default-devtools.timeline,v8.execute,__metadata';
  await session.send('Tracing.start', { categories, transferMode: 'ReportEvents' });
  await page.evaluate(scroll, { to: values.to, step: Number(values.step) });
  await session.send('Tracing.end');
  await ended;
  await context.close();
  return stepsOf(events);
}

const server = await serve({ port: Number(values.port) }, resolve(values.dist));
const browser = await chromium.launch(launchOptions());
const middle = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
function tell(what, spent) {
  const sorted = [...spent].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const over = sorted.filter((each) => each > 16).length;
  console.log(
    `${what}: ${sorted.length} frames, median ${at(0.5).toFixed(1)}, nine of ten ${at(0.9).toFixed(1)}, ` +
      `most ${at(1).toFixed(1)} ms; over 16 ms: ${over}`,
  );
}
for (const width of values.widths.split(',').map(Number)) {
  const runs = [];
  for (let run = 0; run < Number(values.runs); ++run) {
    const steps = await once(browser, server.resolvedUrls.local[0], width);
    runs.push(steps);
    tell(
      `${width} px, run ${run + 1}`,
      steps.map(({ spent }) => spent),
    );
  }
  const typical = runs[0].map((_, i) => middle(runs.map((steps) => steps[i]?.spent ?? 0)));
  tell(`${width} px, of all runs`, typical);
  const longest = [...typical.entries()].sort(([, a], [, b]) => b - a);
  for (const [i, spent] of longest.slice(0, Number(values.longest))) {
    const { parts } = runs.find((steps) => steps[i]?.spent === spent)[i];
    const said = Object.entries(parts).map(([name, took]) => `${name} ${took.toFixed(1)}`);
    console.log(`  step ${i}: ${spent.toFixed(1)} ms (${said.join(', ')})`);
  }
}
await browser.close();
await server.close();
