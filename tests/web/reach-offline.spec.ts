// The page on any static host, and on none: in a sub-path, without a network after the first visit, new after an
// update.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { dist, host } from './host.ts';
import { message, messagePattern } from './messages.ts';
import { chapters, computed, kept, open } from './reach.ts';
import { inThisRun, weekly } from './weekly.ts';

test.use({ serviceWorkers: 'allow' });

const cacheNames = (page: Page) => page.evaluate(() => caches.keys());

test('it works in a sub-path of a plain host without special headers', async ({ page }) => {
  const server = await host('/deep/down/');
  await page.goto(`${server.address}attend/#?head=previous&strict=12&step=weights`);
  await expect(page.locator('#cell-weights-1-0')).toHaveText(/^1(\.00)?$/);
  await page.goto('about:blank');
  await server.close();
});

test('after one visit every chapter computes without a network', async ({ page, guard }) => {
  guard.expect(/ERR_CONNECTION_REFUSED|Failed to (load resource|fetch)|ERR_FAILED/);
  const server = await host();
  await open(page, 'attend', server.address);
  await kept(page);
  // The cache has only the modules that the chapters load in this engine.
  const modules = await page.evaluate(async () => {
    const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    const requests = (await Promise.all(opened.map((cache) => cache.keys()))).flat();
    return requests.map(({ url }) => url).filter((url) => url.endsWith('.wasm'));
  });
  const kinds = modules.map(
    (url) => /tril-(?:simd|relaxed)(?:-threads)?(?:-lessons|-training)?/u.exec(url)![0],
  );
  expect(kinds.sort()).toEqual(['tril-relaxed-lessons', 'tril-relaxed-threads-lessons']);
  await server.close();
  await page.reload();
  await computed(page);
  for (const { id, title } of inThisRun(chapters)) {
    await open(page, id, server.address);
    await expect(page).toHaveTitle(`${title} · Tril`);
  }
  // The page also opens by its file name, and with a query, as in some links.
  await page.goto('about:blank');
  await page.goto(`${server.address}attend/index.html?from=mail`);
  await computed(page);
});

/** The figures of each chapter that fetch something: the button that asks for it, and the element that shows it. */
const fetching: Readonly<
  Record<string, readonly { figure: string; button: RegExp; there: string }[]>
> = {
  learn: [
    {
      ...{ figure: '#born', button: messagePattern('learn-born.buttons.first') },
      there: '[data-step]:not([data-step="0"])',
    },
    { figure: '#if', button: messagePattern('learn-if.buttons.first'), there: '[data-loss]' },
    { figure: '#own', button: messagePattern('learn-own.buttons.first'), there: '[data-sample]' },
    {
      ...{ figure: '#cost', button: messagePattern('learn-cost.buttons.first') },
      there: '[data-bar]',
    },
  ],
  meaning: [
    {
      ...{ figure: '#words', button: messagePattern('meaning.load.all') },
      there: '[data-words="finished"]',
    },
    {
      ...{ figure: '#bank', button: messagePattern('meaning-senses.load') },
      there: '[data-senses="there"]',
    },
  ],
  model: [
    {
      ...{ figure: '#open', button: messagePattern('model.load.button') },
      there: '[data-live="true"]',
    },
  ],
};
const awayFromNetwork =
  /ERR_(CONNECTION_REFUSED|FAILED|INTERNET_DISCONNECTED)|Failed to (load resource|fetch)|could not be loaded/;

test(
  'what cannot be fetched says what to do, and is fetched once there is a network',
  weekly(),
  async ({ page, guard }) => {
    guard.expect(awayFromNetwork);
    const server = await host();
    await open(page, 'attend', server.address);
    await kept(page);
    for (const [id, figures] of Object.entries(fetching)) {
      await page.context().setOffline(true);
      await open(page, id, server.address);
      for (const { figure, button } of figures) {
        const part = page.locator(figure);
        await part.locator('.card').scrollIntoViewIfNeeded();
        // Once when the figure comes into view, and again on request.
        await part.getByRole('button', { name: button }).click();
        await expect(part).toContainText(message('shell.offline'));
      }
      await page.context().setOffline(false);
      for (const { figure, button, there } of figures) {
        const part = page.locator(figure);
        await part.getByRole('button', { name: button }).click();
        await part.locator(there).first().waitFor();
        await expect(part).not.toContainText(message('shell.offline'));
      }
    }
    await server.close();
  },
);

test('a network that does not answer is none', weekly(), async ({ page, guard }) => {
  guard.expect(awayFromNetwork);
  const server = await host();
  await open(page, 'attend', server.address);
  await kept(page);
  server.hold('-training');
  await open(page, 'learn', server.address);
  await page.locator('#born .card').scrollIntoViewIfNeeded();
  await expect(page.locator('#born')).toContainText(message('shell.offline'));
  await server.close();
});

test('an update is seen at the next visit, and what was kept of the old one goes, but for models', async ({
  page,
  guard,
}) => {
  guard.expect(/\b404\b/);
  const server = await host();
  await open(page, 'attend', server.address);
  await kept(page);
  const [before] = await cacheNames(page);
  // See models-kept.spec.ts.
  await page.evaluate(async () => (await fetch('../models/gpt/config.json')).text());
  await expect.poll(() => cacheNames(page)).toHaveLength(2);

  const read = (path: string) => readFile(join(dist, path), 'utf8');
  for (const path of ['attend/index.html', 'multiply/index.html']) {
    server.change(path, (await read(path)).replace('<html', '<html data-release="2"'));
  }
  const worker = await read('service-worker.js');
  server.change('service-worker.js', worker.replace(/"version":"\w+"/, '"version":"second"'));
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-release', '2');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready).update());
  await expect.poll(() => cacheNames(page)).toHaveLength(3);

  // The tab may still need files of the old version; they are deleted once it has left.
  await page.goto(new URL('/elsewhere', server.address).href);
  await expect.poll(() => cacheNames(page)).toHaveLength(2);
  expect(await cacheNames(page)).not.toContain(before);
  expect(await cacheNames(page)).toContain(`tril ${server.address} models`);
  await open(page, 'multiply', server.address);
  await expect(page.locator('html')).toHaveAttribute('data-release', '2');
  expect(await page.evaluate(() => crossOriginIsolated), 'and it is isolated').toBe(true);
  await server.close();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-release', '2');
  await computed(page);
});

test('what other pages of the same host keep is left alone', async ({ page }) => {
  const server = await host();
  await page.goto(server.address);
  await page.evaluate(() => caches.open('tril http://localhost/elsewhere/ 1'));
  await open(page, 'attend', server.address);
  await kept(page);
  expect(await cacheNames(page)).toContain('tril http://localhost/elsewhere/ 1');
  await server.close();
});
