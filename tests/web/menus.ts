// The quiet menu below a figure: what it costs, and how to take it along.
import type { Locator, Page } from '@playwright/test';
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

/** By the figure's name, or the first there is. */
export const takeOf = (page: Page, name = ''): Promise<Locator> =>
  unfolded(page.locator(name ? `[data-take="${name}"]` : '[data-take]').first());
