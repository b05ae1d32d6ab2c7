// A late answer belongs to its question: other words or another head of the same size are not drawn with its numbers.
import { expect, test } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { holdWorkers, inPage } from './workers.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('the strip of a pair is of the head that is looked at', async ({ page }) => {
  await holdWorkers(page);
  const heads = new Lesson(page, 'heads');
  await heads.open({ layer: '2', head: '1' });
  const strip = page.locator('[data-strip]');
  await expect(strip).toHaveCount(1);
  await inPage(page, (held) => void (held.hold = 'strip'));
  await page.evaluate(() => {
    location.hash = '#?layer=1&head=2';
  });
  await expect(page.locator('[data-figure="circuit"] h3').first()).toContainText('1');
  await expect(strip).toHaveCount(0);
  // Back at the state of the last answer, nothing newer is pending.
  await inPage(page, (held) => void (held.hold = ''));
  await page.reload();
  await expect(strip).toHaveCount(1);
});

for (const kind of ['towers', 'steps', 'additive'] as const) {
  test(`other words of the same number are not drawn with the numbers before: ${kind}`, async ({
    page,
  }) => {
    await holdWorkers(page);
    const towers = new Lesson(page, 'towers');
    await towers.open({ source: 'one two three', target: 'one two three' });
    const drawn = {
      towers: '[data-matrix="memoryWeights"]',
      steps: '[data-figure="steps"] [data-word]',
      additive: '[data-matrix="additive"]',
    }[kind];
    await page.locator(drawn).first().waitFor();
    await page.evaluate((held) => Object.assign(window, { hold: held }), kind);
    await page.evaluate(() => {
      location.hash = '#?source=three+two+three&target=one+one+three';
    });
    await expect(page.locator(drawn)).toHaveCount(0);
  });
}
