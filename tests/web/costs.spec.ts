// The meters of what a figure costs: in chapters 3 to 6 each has a time that was measured here, and a speed.
import { expect, test } from './fixtures.ts';

for (const [chapter, meters] of [
  ['attend', 3],
  ['mask', 3],
  ['heads', 5],
  ['block', 5],
] as const) {
  test(`every cost meter has a measured time: ${chapter}`, async ({ page }) => {
    await page.goto(`./#${chapter}`);
    const costs = page.locator('[data-cost]');
    await expect(costs).toHaveCount(meters);
    for (const cost of await costs.all()) {
      const time = cost.locator('[data-measured]');
      await expect(time).toHaveText(/^[\d.]+ (s|ms|µs)$/);
      expect(Number(await time.getAttribute('data-measured'))).toBeGreaterThan(0);
      await expect(cost.locator('div:last-child dd')).toHaveText(/\d/);
    }
  });
}

test('what has been timed keeps its time: two figures of one call say the same', async ({
  page,
}) => {
  await page.goto('./#block');
  const read = async (name: string) => {
    const time = page.locator(`[data-cost]:has(+ [data-take="${name}"]) [data-measured]`);
    await expect(time).toHaveText(/\d/);
    return time.getAttribute('data-measured');
  };
  expect(await read('block')).toBe(await read('shuffled'));
});
