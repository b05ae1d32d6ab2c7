// The menu below a figure: its cost, and its exports.
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { settled } from './settled.ts';

/** Opens a figure's menu, and returns its exports. */
export async function unfolded(take: Locator): Promise<Locator> {
  await take.evaluate((offered) => {
    const menu = offered.closest<HTMLDetailsElement>('details[data-more]');
    if (menu) menu.open = true;
  });
  return take;
}

/** Shows a meter, since its time is measured only in view. */
export async function metered(meter: Locator): Promise<Locator> {
  await settled(meter.page());
  await unfolded(meter);
  await meter.scrollIntoViewIfNeeded();
  return meter;
}

/** Waits for a measured time, which needs an idle machine. */
export const expectTimed = (time: Locator): Promise<void> =>
  expect(time).toHaveText(/^[\d.]+ (s|ms|µs)$/u, { timeout: 60_000 });

/** The exports of the figure of this name, or of the first figure. */
export const takeOf = (page: Page, name = ''): Promise<Locator> =>
  unfolded(page.locator(name ? `[data-take="${name}"]` : '[data-take]').first());
