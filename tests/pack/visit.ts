// A browser for the tests of the file that imports this.
import { chromium, type Browser, type Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(launchOptions());
});
afterAll(() => browser.close());

export const newPage = (): Promise<Page> => browser.newPage();

/** The value of `computed` in the page; any message on its console, and any missing file, is an error. */
export async function visit(address: string): Promise<unknown> {
  const page = await newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'debug') problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(address);
  const computed = page.waitForFunction(() => (globalThis as { computed?: unknown }).computed);
  const result: unknown = await (await computed).jsonValue().catch((error: Error) => error.message);
  await page.close();
  expect(problems).toEqual([]);
  return result;
}
