// The position of the tour: the scroll, the dots, the keys and the address.
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { pressToScroll } from './scroll-key.ts';
import { open, scrollTo } from './tour-page.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('dots lead to the screens; keys, back and forward do what they do everywhere', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('./');
  for (const link of ['[data-way="tour"]', '.alive [data-to="tour"]']) {
    await page.locator(link).click();
    await expect(page).toHaveTitle(/^You already do this/u);
    await page.goBack();
  }
  await open(page);
  const dot = (id: string) => page.locator(`[data-stop="${id}"]`);
  await expect(dot('blank')).toHaveAttribute('aria-current', 'step');
  for (const id of ['alike', 'cards', 'shares', 'train', 'blank']) {
    await dot(id).click();
    await expect(dot(id)).toHaveAttribute('aria-current', 'step');
  }
  await page.locator('main').click({ position: { x: 40, y: 300 } });
  await pressToScroll(page, 'PageDown', 200);
  await expect(page).toHaveURL(/at=0\.\d/u);
});

test('what is pressed before the scroll has come to rest stays', async ({ page }) => {
  await open(page);
  await scrollTo(page, 2.5);
  await expect(page).toHaveURL(/at=2\.5(?!\d)/u);
  const name = message('tour.column', { place: 3, word: 'saw' });
  const column = page.getByRole('button', { name });
  await column.waitFor();
  await column.evaluate(async (element) => {
    window.scrollBy({ top: 40, behavior: 'instant' });
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  });
  await expect(page).toHaveURL(/at=2\.5\d/u); // it has stopped
  await expect(page.locator('.why[data-why="scores"]')).toBeVisible();
});
