// No question has its answer beside it: what answers is covered until a guess is made, or it is asked for.
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { open } from './reach.ts';

/** By chapter, the veils there are. */
const veils: Readonly<Record<string, readonly string[]>> = {
  multiply: ['memory'],
  average: ['averages', 'series'],
  attend: ['blend', 'scale'],
  mask: ['blocks'],
  heads: ['circuit'],
  block: ['shuffle', 'depth'],
  towers: ['cross'],
  longer: ['online', 'rank'],
};

for (const [chapter, names] of Object.entries(veils)) {
  test(`what answers is covered until guessed or asked for: ${chapter}`, async ({ page }) => {
    await page.addInitScript(() => {
      if (location.protocol.startsWith('http')) localStorage.removeItem('tril.veils');
    });
    await open(page, chapter);
    for (const name of names) {
      const veil = page.locator(`[data-veil="${name}"]`);
      const cover = veil.locator('.cover').first();
      await cover.scrollIntoViewIfNeeded();
      const ask = page.locator('.part').filter({ has: veil.first() }).locator('.ask');
      await expect(ask).toBeVisible();
      expect(
        await veil
          .locator('> .under')
          .first()
          .evaluate((under: HTMLElement) => under.inert),
      ).toBe(true);
      // It lies over all of what it covers, and nothing shines through.
      const [over, under] = [await cover.boundingBox(), await veil.first().boundingBox()];
      expect(over!.width).toBeGreaterThanOrEqual(under!.width);
      expect(over!.height).toBeGreaterThanOrEqual(under!.height);
      await ask.locator('.chips .chip').first().click();
      await expect(veil.locator('.cover')).toHaveCount(0);
      const another = ask.getByRole('button', { name: message('figures.ask.another') });
      if ((await another.count()) === 0) continue;
      await another.click();
      await expect(cover).toBeVisible();
      await cover.getByRole('button', { name: message('figures.ask.skip') }).click();
      await expect(veil.locator('.cover')).toHaveCount(0);
    }
  });
}

test('a link to a state shows what it is a link to; who wants no covers has none', async ({
  page,
}) => {
  await page.addInitScript(() => {
    if (location.protocol.startsWith('http')) localStorage.removeItem('tril.veils');
  });
  await open(page, 'average?blend=free');
  await expect(page.locator('[data-veil]').first()).toBeVisible();
  await expect(page.locator('.cover')).toHaveCount(0);
  await open(page, 'average');
  await page
    .locator('.cover')
    .first()
    .getByRole('button', { name: message('figures.ask.never') })
    .click();
  await expect(page.locator('.cover')).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('tril.veils'))).toBe('none');
});
