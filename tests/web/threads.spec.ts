// Threads on a host that sends no headers for them: the page's own service worker adds them, from the second visit on.
import { availableParallelism } from 'node:os';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { host } from './host.ts';
import { message, messagePattern, titleOf } from './messages.ts';
import { computed, kept, open } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

const threads = Math.min(8, availableParallelism());
const footer = (page: Page) => page.locator('footer [data-threads]');
const isIsolated = (page: Page) => page.evaluate(() => crossOriginIsolated);
/** The accessible text of every visible number. */
const spoken = (page: Page) =>
  page
    .locator('main [role="gridcell"]')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));

async function expectThreads(page: Page): Promise<void> {
  expect(await isIsolated(page)).toBe(true);
  await expect(footer(page)).toHaveAttribute('data-threads', String(threads));
  await expect(footer(page)).toHaveAttribute('data-module', /^(simd|relaxed)-threads$/);
  await expect(footer(page)).toContainText(messagePattern('shell.module', { threads }));
}

test.describe('with the service worker', () => {
  test.use({ serviceWorkers: 'allow' });
  test.skip(threads === 1, 'one processor');

  test('from the second visit on it computes with threads, without a network as well', async ({
    page,
    guard,
  }) => {
    guard.expect(/ERR_CONNECTION_REFUSED|Failed to (load resource|fetch)|ERR_FAILED/);
    const server = await host();
    let loads = 0;
    page.on('load', () => (loads += 1));
    await open(page, 'attend?step=weights', server.address);
    await kept(page); // and by then everything is computed
    await still(page);
    const before = await spoken(page);
    loads = 0;

    await test.step('the first visit is not interrupted', async () => {
      await page
        .getByRole('navigation', { name: message('shell.chapters') })
        .getByText(message('attend.mask.label'))
        .click();
      await expect(page).toHaveTitle(titleOf('mask'));
      await computed(page);
      expect(loads).toBe(0);
      expect(await isIsolated(page)).toBe(false);
      await expect(footer(page)).toHaveAttribute('data-threads', '1');
    });

    await test.step('the second visit has threads, and the same numbers', async () => {
      await open(page, 'attend?step=weights', server.address);
      await expectThreads(page);
      await expect.poll(() => spoken(page)).toEqual(before);
      await page
        .getByRole('navigation', { name: message('shell.chapters') })
        .getByText(message('attend.mask.label'))
        .click();
      await expect(page).toHaveTitle(titleOf('mask'));
      await computed(page);
      await expectThreads(page);
    });

    await test.step('without a network, too', async () => {
      await server.close();
      await open(page, 'attend?step=weights', server.address);
      await expectThreads(page);
      await expect.poll(() => spoken(page)).toEqual(before);
    });
  });

  test('where threads cannot be started it computes without', weekly(), async ({ page, guard }) => {
    guard.expect(/no threads today|worker sent an error/);
    const server = await host();
    await open(page, 'average', server.address);
    await kept(page);
    const broken = await page.evaluate(async () => {
      const cache = await caches.open((await caches.keys())[0]);
      const scripts = (await cache.keys()).filter(({ url }) => /-threads\b.*\.js$/.test(url));
      for (const script of scripts) {
        const { headers } = (await cache.match(script))!;
        await cache.put(script, new Response('throw new Error("no threads today")', { headers }));
      }
      return scripts.length;
    });
    expect(broken).toBeGreaterThan(0);
    await page.reload();
    await computed(page);
    expect(await isIsolated(page)).toBe(true);
    await expect(footer(page)).toHaveAttribute('data-threads', '1');
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.goto('about:blank');
    await server.close();
  });
});

test('a browser without service workers computes on one thread', async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
  await open(page, 'attend');
  expect(await page.evaluate(() => 'serviceWorker' in navigator)).toBe(false);
  await expect(footer(page)).toHaveAttribute('data-threads', '1');
  await expect(footer(page)).toHaveAttribute('data-module', /^(simd|relaxed)$/);
});
