// "In 15 minutes": the path from stop to stop, what the browser remembers of it, its questions, and how to leave it.
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { message, titleOf } from './messages.ts';
import { computed, cutTexts } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const stops = ['home', 'attend', 'heads', 'learn', 'meaning', 'model'];
const pathOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-2);
const thread = (page: Page) => page.locator('[data-thread]');

async function begin(page: Page): Promise<void> {
  await page.goto('./');
  await computed(page);
  await page.locator('[data-way="new"]').click();
  await expect(thread(page)).toBeInViewport();
}

test('six stops lead to one another, and say how much is left', async ({ page }) => {
  test.slow();
  await begin(page);
  let before = Infinity;
  for (const [index, id] of stops.entries()) {
    await expect(thread(page)).toHaveAttribute('data-thread', String(index + 1));
    await expect(thread(page)).toHaveCount(1);
    await expect(thread(page)).toBeInViewport();
    await expect(page.getByText(message(`path.stops.${id}.look`))).toBeVisible();
    const left = Number(await thread(page).locator('[data-left]').getAttribute('data-left'));
    expect(left).toBeLessThan(before);
    if (index === 0) expect(left).toBe(15);
    before = left;
    await expect(thread(page).locator('[data-left]')).toHaveText(
      message('path.where', { at: index + 1, all: stops.length, left }),
    );
    if (id !== 'home') expect(pathOf(page)).toBe(id);
    const on = page.locator(`[data-thread-end="${index + 1}"] .on`).last();
    await on.click();
  }
  // After the last stop the path ends, and the chapters begin.
  await expect(page).toHaveTitle(titleOf('attend'));
  await computed(page);
  await expect(thread(page)).toHaveCount(0);
});

test(
  'the browser remembers the way; back is a stop back; it can be left',
  weekly(),
  async ({ page }) => {
    await begin(page);
    await page.locator('[data-thread-end="1"] .on').click();
    await expect(thread(page)).toHaveAttribute('data-thread', '2');
    await page.reload();
    await expect(thread(page)).toHaveAttribute('data-thread', '2');
    await page.goto('./mask/');
    await computed(page);
    await expect(thread(page)).toHaveCount(0);
    await page.goto('./heads/');
    await expect(thread(page)).toHaveAttribute('data-thread', '3');
    // The home page leads to the last stop of the visitor, and is the first stop itself.
    await page.goto('./');
    await expect(thread(page)).toHaveAttribute('data-thread', '1');
    await expect(page.locator('[data-way="new"]')).toContainText(
      message('home.ways.new.goOn', { at: 3, all: stops.length }),
    );
    await page.reload();
    await page.locator('[data-way="new"]').click();
    await expect(thread(page)).toHaveAttribute('data-thread', '3');
    await page
      .getByRole('link', {
        name: message('path.stop', { number: 4, name: message('path.stops.learn.name') }),
      })
      .click();
    await expect(thread(page)).toHaveAttribute('data-thread', '4');
    await page.getByRole('button', { name: message('path.leave') }).click();
    await expect(thread(page)).toHaveCount(0);
    await page.reload();
    await computed(page);
    await expect(thread(page)).toHaveCount(0);
  },
);

test('every answer to the question of a stop gets its own sentence', async ({ page }) => {
  await begin(page);
  const end = page.locator('[data-thread-end="1"]');
  for (const at of [0, 1, 2]) {
    const key = `path.stops.home.options.${at}`;
    await end.getByRole('button', { name: message(`${key}.name`) }).click();
    await expect(end).toContainText(message(`${key}.says`));
  }
});

for (const width of [1440, 360]) {
  test(`the thread fits, for axe, light and dark, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await begin(page);
    await still(page);
    await expectNoSidewaysScroll(page);
    expect(await cutTexts(page)).toEqual([]);
    await expectAccessible(page);
  });
}

test('where storage is forbidden the way still leads on', async ({ page }) => {
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('', 'SecurityError');
    };
    Object.defineProperty(window, 'localStorage', { get: refuse });
  });
  await begin(page);
  await page.locator('[data-thread-end="1"] .on').click();
  await expect(thread(page)).toHaveAttribute('data-thread', '2');
});
