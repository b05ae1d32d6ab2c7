// Every chapter in Firefox, driven by WebDriver BiDi: it is computed, its numbers are Chromium's kind of numbers, keys
// work, and the console stays empty. What each figure shows is tested in Chromium.
import { expect, test } from '@playwright/test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findFirefox } from '../../wasm/toolchain/system.mjs';
import { chapters } from './chapters.ts';

let browser: Browser;
test.beforeAll(async () => {
  const executablePath = findFirefox();
  if (!executablePath) throw new Error('no Firefox found; `npm run setup` installs it');
  browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true });
});
test.afterAll(() => browser.close());

async function open(address: string): Promise<{ page: Page; trouble: string[] }> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) trouble.push(message.text());
  });
  page.on('pageerror', (error) => trouble.push(String(error)));
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(address);
  await page.waitForSelector('[data-variant]');
  await page.waitForSelector('main [role="gridcell"]');
  return { page, trouble };
}

for (const { id, title } of chapters) {
  test(`${id} computes, and its keys work`, async ({ baseURL }) => {
    const { page, trouble } = await open(`${baseURL}${id}/`);
    expect(await page.title()).toBe(`${title} · Tril`);
    await page.waitForFunction(() => document.querySelector('.formula:empty') === null);
    const { scroll, client } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect(scroll, 'no sideways scrolling').toBe(client);

    await page.focus('main [role="grid"]');
    const spoken = () =>
      page.$eval('main [role="grid"]', (grid) => {
        const cell = document.getElementById(grid.getAttribute('aria-activedescendant')!)!;
        return cell.getAttribute('aria-label') ?? cell.textContent!;
      });
    const first = await spoken();
    expect(first).toMatch(/\d|NaN|∞/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(
      (before) => {
        const grid = document.querySelector('main [role="grid"]')!;
        const cell = document.getElementById(grid.getAttribute('aria-activedescendant')!);
        return (cell?.getAttribute('aria-label') ?? cell?.textContent) !== before;
      },
      {},
      first,
    );
    expect(await page.$('[role="alert"]'), 'nothing went wrong').toBeNull();
    expect(trouble).toEqual([]);
    await page.browserContext().close();
  });
}
