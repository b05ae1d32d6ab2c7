// The quiet menu below a figure: what it costs, and how to take it along.
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { settled } from './settled.ts';

/** What a figure offers to take along, its menu open. */
export async function unfolded(take: Locator): Promise<Locator> {
  await take.evaluate((offered) => {
    const menu = offered.closest<HTMLDetailsElement>('details[data-more]');
    if (menu) menu.open = true;
  });
  return take;
}

/** A meter that is seen, as its time is measured only then. */
export async function metered(meter: Locator): Promise<Locator> {
  await settled(meter.page());
  await unfolded(meter);
  await meter.scrollIntoViewIfNeeded();
  return meter;
}

/** A time that is measured, which takes as long as the machine has something else to do. */
export const expectTimed = (time: Locator): Promise<void> =>
  expect(time).toHaveText(/^[\d.]+ (s|ms|µs)$/u, { timeout: 60_000 });

/** By the figure's name, or the first there is. */
export const takeOf = (page: Page, name = ''): Promise<Locator> =>
  unfolded(page.locator(name ? `[data-take="${name}"]` : '[data-take]').first());
