// The length of the page for a first reading, counted in screens of scrolling.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

const screens = [
  { name: 'desk', width: 1440, height: 900, most: 45 },
  { name: 'phone', width: 390, height: 844, most: 80 },
];

/** Scrolls through the page, since sections get their height when they are reached. */
async function heightOf(page: Page): Promise<number> {
  await page.evaluate(async () => {
    const root = document.documentElement;
    for (let y = 0; y < root.scrollHeight; y += 0.8 * innerHeight) {
      scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)));
    }
  });
  await still(page);
  return page.evaluate(() => document.documentElement.scrollHeight);
}

test(
  'at a first visit all pages take 45 screens of a desk and 80 of a phone at most',
  weekly(),
  async ({ page }) => {
    await page.addInitScript(() => {
      if (!location.protocol.startsWith('http')) return;
      for (const name of ['veils', 'options', 'deeper']) localStorage.removeItem(`tril.${name}`);
    });
    const read = screens.map(() => 0);
    for (const id of ['.', ...chapters.map((chapter) => chapter.id)]) {
      await open(page, id);
      for (const [i, { width, height }] of screens.entries()) {
        await page.setViewportSize({ width, height });
        read[i] += (await heightOf(page)) / height;
      }
    }
    for (const [i, { name, most }] of screens.entries()) {
      expect(read[i], name).toBeLessThanOrEqual(most);
      test
        .info()
        .annotations.push({ type: 'screens', description: `${name}: ${read[i].toFixed(1)}` });
    }
  },
);
