// Figures out of view are drawn later: near ones first, the rest when the page is idle; for printing, searching and
// links all of them are drawn.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { computed } from './reach.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test.use({ viewport: { width: 1280, height: 500 } });

const sections = ['online', 'linear', 'rank', 'measured'] as const;

/** The sections of chapter "Longer" whose figures are drawn. */
async function drawn(page: Page): Promise<string[]> {
  return page
    .locator('main section.part:has(.card:not(.held))')
    .evaluateAll((all) => all.map((section) => section.id));
}

/** Makes the browser never idle from now on. */
const neverIdle = (page: Page) =>
  page.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });

test('what is far is drawn when one comes near it', async ({ page }) => {
  await neverIdle(page);
  await page.goto('./longer/');
  await page.locator('#online [role="gridcell"]').first().waitFor();
  await expect(page.locator('.stills')).toHaveCount(0);
  expect(await drawn(page)).not.toContain('measured');
  // The undrawn figure keeps its room.
  expect((await page.locator('#measured .card').boundingBox())!.height).toBeGreaterThan(500);
  await page.locator('#rank').scrollIntoViewIfNeeded();
  await expect(page.locator('#rank [data-more]')).toBeVisible();
  await page.locator('#measured').scrollIntoViewIfNeeded();
  await expect(page.locator('#measured [data-more]')).toBeVisible();
});

test('a link ends at its section, whatever is drawn above it later', async ({ page }) => {
  await page.goto('./longer/#measured');
  await page.locator('[data-variant]').first().waitFor(); // all are drawn
  expect(await drawn(page)).toEqual([...sections]);
  await expect
    .poll(async () => Math.abs((await page.locator('#measured').boundingBox())!.y))
    .toBeLessThan(110); // leaves 104 for the header
});

test('paper has every figure', async ({ page }) => {
  await neverIdle(page);
  await page.goto('./longer/');
  await page.locator('#online [role="gridcell"]').first().waitFor();
  await expect(page.locator('.stills')).toHaveCount(0);
  await expect.poll(() => drawn(page)).not.toContain('measured');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await drawn(page)).toEqual([...sections]);
});

test('a text that stays beside its figure goes with it, and covers nothing below', async ({
  page,
}) => {
  for (const chapter of ['attend', 'heads', 'longer']) {
    await page.goto(`./${chapter}/`);
    await computed(page);
    for (const section of await page.locator('.part:has(.after)').all()) {
      const places = await section.evaluate((part) => {
        part.scrollIntoView({ block: 'end' });
        const bottom = (of: string) => part.querySelector(of)!.getBoundingClientRect().bottom;
        return [bottom('.after'), bottom('.beside')];
      });
      expect(places[0], `${chapter}, ${await section.getAttribute('id')}`).toBeLessThanOrEqual(
        places[1] + 1,
      );
    }
  }
});

test('words of the last figure are found without going there', async ({ page }) => {
  await page.goto('./longer/');
  await page.locator('[data-variant]').first().waitFor();
  const find = () =>
    page.evaluate(() => (window as unknown as { find: (text: string) => boolean }).find('Up to T'));
  await expect.poll(find).toBe(true);
});
