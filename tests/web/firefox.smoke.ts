// The page in Firefox, driven by WebDriver BiDi: every chapter, with an empty console, and threads on the second visit.
import { availableParallelism } from 'node:os';
import { expect, test } from '@playwright/test';
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core';
import { findFirefox } from '../../wasm/toolchain/system.mjs';
import { chapters } from './chapters.ts';
import {
  expectTwoFigures,
  expectWords,
  figureOf,
  foreign,
  scriptOf,
  twoFigures,
  type Framed,
} from './foreign.ts';
import { host } from './host.ts';
import { motions, placeOf } from './places.ts';
import {
  expectChapter,
  expectMotion,
  expectPicture,
  expectTour,
  knowAll,
  isComputed,
  until,
  type Driven,
} from './smoke.ts';

/** Milliseconds, enough for a browser under load. */
const timeout = 120_000;

let browser: Browser;
let context: BrowserContext;
test.beforeAll(async () => {
  const executablePath = findFirefox();
  if (!executablePath) throw new Error('no Firefox found; `npm run setup` installs it');
  browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, timeout });
});
test.afterAll(() => browser.close());
test.beforeEach(async () => {
  context = await browser.createBrowserContext();
});
test.afterEach(() => context.close());

/**
 * Firefox's warning about a formula that has arrived in part, which it lays out all the same. malformed() finds
 * formulas that stay wrong.
 */
const halfRead = /Invalid markup: Incorrect number of children/u;

/** Formulas that are still malformed now that the page has loaded. */
const malformed = () =>
  [...document.querySelectorAll('msub, msup, mfrac, mover, munder, mroot, msubsup, munderover')]
    .filter(({ localName, children }) => children.length !== (localName.length > 6 ? 3 : 2))
    .map((formula) => formula.outerHTML);

async function expectQuiet(page: Driven & { trouble: string[] }): Promise<void> {
  expect(await page.evaluate(malformed)).toEqual([]);
  expect(page.trouble).toEqual([]);
}

async function newPage(base?: string): Promise<Framed & { trouble: string[] }> {
  const page = await context.newPage();
  page.setDefaultTimeout(timeout);
  const trouble: string[] = [];
  const note = (what: string) => {
    if (!halfRead.test(what)) trouble.push(what);
  };
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) note(message.text());
  });
  page.on('pageerror', (error) => note(String(error))); // Firefox may report the same error here
  await page.setViewport({ width: 1280, height: 900 });
  const driven: Framed = {
    goto: (address) => page.goto(address),
    evaluate: (work) => page.evaluate(work) as Promise<never>,
    press: (key) => page.keyboard.press(key),
    async inFigure(n, work) {
      const figure = (await page.$$('tril-figure'))[n];
      const frame = await figure.evaluateHandle(({ shadowRoot }) =>
        shadowRoot!.querySelector('iframe')!,
      );
      return (await frame.contentFrame()).evaluate(work) as Promise<never>;
    },
  };
  if (base) await knowAll(driven, base);
  return { ...driven, trouble };
}

for (const { id, title } of chapters) {
  test(`${id} computes, and its keys work`, async ({ baseURL }) => {
    const page = await newPage(baseURL);
    await expectChapter(page, `${baseURL}${id}/`, title);
    await expectQuiet(page);
  });
}

for (const place of motions) {
  test(`${place} moves`, async ({ baseURL }) => {
    const page = await newPage(baseURL);
    await expectMotion(page, `${baseURL}${placeOf(place)}`);
    await expectQuiet(page);
  });
}

test('the tour scrolls, and its head is trained', async ({ baseURL }) => {
  const page = await newPage(baseURL);
  await expectTour(page, `${baseURL}tour/`);
  await expectQuiet(page);
});

test('a figure becomes a picture', async ({ baseURL }) => {
  const page = await newPage(baseURL);
  await expectPicture(page, `${baseURL}block/`);
  await expectQuiet(page);
});

test('two figures in a foreign page, each in its own state', async ({ baseURL }) => {
  const around = await foreign(baseURL!, twoFigures(baseURL!));
  const page = await newPage();
  await expectTwoFigures(page, around.address);
  // Firefox requests an icon of that page, which its policy forbids.
  expect(page.trouble.filter((what) => !what.includes('favicon.ico'))).toEqual([]);
  await around.close();
});

test('where there is no such figure, words say so', async ({ baseURL }) => {
  const around = await foreign(baseURL!, scriptOf(baseURL!) + figureOf(baseURL!, 'average/no/'));
  await expectWords(await newPage(), around.address);
  await around.close();
});

test('from the second visit on it computes with threads', async () => {
  const threads = Math.min(8, availableParallelism());
  test.skip(threads === 1, 'one processor');
  const server = await host();
  const page = await newPage();
  const said = () =>
    [
      crossOriginIsolated,
      document.querySelector<HTMLElement>('[data-threads]')?.dataset.threads,
    ].join();
  await page.goto(`${server.address}attend/`);
  await until(page, isComputed).toBe(true);
  await until(page, said).toBe('false,1');
  // The service worker answers once it has claimed the page. Firefox may go on reporting its state as "activating".
  await until(page, () => navigator.serviceWorker.controller !== null).toBe(true);
  await page.goto(`${server.address}attend/`);
  await until(page, isComputed).toBe(true);
  await until(page, said).toBe(`true,${threads}`);
  await server.close();
});
