// The tour, for its tests.
import type { Page } from '@playwright/test';
import { expect } from './expect.ts';
import { settled } from './settled.ts';

export async function open(page: Page, query = ''): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`./tour/${query && `#?${query}`}`);
  await page.locator('[data-moving="true"] [data-place]').waitFor();
  await page.evaluate(() => document.fonts.ready);
  await settled(page);
}

/** Scrolls, like a wheel or a finger, to a position of the story. */
export async function scrollTo(page: Page, place: number): Promise<void> {
  await page.evaluate((to) => {
    const lengths = [1.3, 1.3, 3, 2.2, 1];
    const gone = lengths.slice(0, Math.floor(to)).reduce((sum, one) => sum + one, 0);
    const windows = gone + (to - Math.floor(to)) * (lengths[Math.floor(to)] ?? 0);
    const track = document.querySelector<HTMLElement>('.track')!;
    const top = scrollY + track.getBoundingClientRect().top;
    window.scrollTo({ top: top + windows * innerHeight, behavior: 'instant' });
  }, place);
  const at = async () => Number(await page.locator('[data-place]').getAttribute('data-place'));
  await expect.poll(async () => Math.abs((await at()) - place)).toBeLessThan(0.01);
  await settled(page);
}
