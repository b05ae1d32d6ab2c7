// The reason for a weight of the home page's sentence: its text, its link, and that nothing moves when it appears.
import { boxOf } from './box.ts';
import { expect, test } from './fixtures.ts';
import { open, sentence, weightsOf } from './home-page.ts';
import { computed } from './reach.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('why a weight: the equation that makes it, what a score is, and the way to both', async ({
  page,
}) => {
  await open(page, '#?like=same&word=8');
  const weights = await weightsOf(sentence, 'same');
  const most = weights[7].indexOf(Math.max(...weights[7]));
  await page.locator('.tag').click();
  const reason = page.locator('[data-reason]');
  await expect(reason).toHaveAttribute('data-reason', `7.${most}`);
  const said = await reason.locator('[data-value]').textContent();
  expect(Math.abs(Number(said) - weights[7][most])).toBeLessThan(6e-4);
  for (const [to, matrix] of [
    ['score', 'scaled'],
    ['weights', 'weights'],
  ]) {
    const score = (await reason.locator('.note').textContent())!.trim();
    await reason.locator(`[data-to="${to}"]`).click();
    await expect(page).toHaveTitle('Attend · Tril');
    await expect(page.locator(`#cell-${matrix}-7-${most}`)).toBeVisible();
    const value = page.locator('#steps [data-value]');
    if (to === 'weights') await expect(value).toHaveText(said!);
    else expect(score).toContain((await value.textContent())!);
    await page.goBack();
    await computed(page);
  }
  await page.keyboard.press('Escape');
  await expect(reason).toHaveCount(0);
});

test('on a phone the reason lies at the lower edge, and nothing moves for it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open(page);
  const parts = ['[data-sentence]', '[data-said]', '.heads'].map((part) =>
    page.locator(`.alive ${part}`),
  );
  const tops = () => Promise.all(parts.map(async (part) => (await boxOf(part)).y));
  const before = await tops();
  await page.locator('.alive .tag').click();
  await expect(page.locator('[data-reason]')).toBeInViewport({ ratio: 0.99 });
  const edge = (await boxOf(page.locator('[data-reason]'))).y;
  const { y, height } = await boxOf(parts[1]);
  expect(y + height).toBeLessThanOrEqual(edge);
  expect(await tops()).toEqual(before);
});
