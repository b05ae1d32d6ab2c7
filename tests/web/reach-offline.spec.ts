// Any static host, and none at all: in a sub-path, without a network after the first visit, new after an update.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { dist, host } from './host.ts';
import { message, messagePattern } from './messages.ts';
import { chapters, computed, kept, open } from './reach.ts';

test.use({ serviceWorkers: 'allow' });

const cacheNames = (page: Page) => page.evaluate(() => caches.keys());

test('it works in a sub-path of a plain host without special headers', async ({ page }) => {
  const server = await host('/deep/down/');
  await page.goto(`${server.address}attend/#?step=weights`);
  await expect(page.locator('#cell-weights-1-0')).toHaveText(/^1(\.00)?$/);
  await page.goto('about:blank');
  await server.close();
});

test('after one visit every chapter computes without a network', async ({ page, guard }) => {
  guard.expect(/ERR_CONNECTION_REFUSED|Failed to (load resource|fetch)|ERR_FAILED/);
  const server = await host();
  await open(page, 'attend', server.address);
  await kept(page);
  await server.close();
  await page.reload();
  await computed(page);
  for (const { id, title } of chapters) {
    await open(page, id, server.address);
    await expect(page).toHaveTitle(`${title} · Tril`);
  }
  // By its file name, too, and with a query, as some links have.
  await page.goto('about:blank');
  await page.goto(`${server.address}attend/index.html?from=mail`);
  await computed(page);
});

test('a model that is asked for where there is no network says so', async ({ page, guard }) => {
  guard.expect(
    /ERR_CONNECTION_REFUSED|Failed to (load resource|fetch)|ERR_FAILED|could not be loaded/,
  );
  const server = await host();
  await open(page, 'learn', server.address);
  await kept(page);
  await server.close();
  await open(page, 'model', server.address);
  await page
    .getByRole('button', { name: messagePattern('model.load.button') })
    .first()
    .click();
  await expect(page.getByText(message('shell.offline')).first()).toBeVisible();
});

test('an update is seen at the next visit, and what was kept of the old one goes', async ({
  page,
  guard,
}) => {
  guard.expect(/\b404\b/);
  const server = await host();
  await open(page, 'attend', server.address);
  await kept(page);
  const [before] = await cacheNames(page);

  const read = (path: string) => readFile(join(dist, path), 'utf8');
  for (const path of ['attend/index.html', 'multiply/index.html']) {
    server.change(path, (await read(path)).replace('<html', '<html data-release="2"'));
  }
  const worker = await read('service-worker.js');
  server.change('service-worker.js', worker.replace(/"version":"\w+"/, '"version":"second"'));
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-release', '2');
  await page.evaluate(async () => void (await navigator.serviceWorker.ready).update());
  await expect.poll(() => cacheNames(page)).toHaveLength(2);

  // The tab may still need files of the old version; when it has left, they go.
  await page.goto(new URL('/elsewhere', server.address).href);
  await expect.poll(() => cacheNames(page)).toHaveLength(1);
  expect(await cacheNames(page)).not.toContain(before);
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
