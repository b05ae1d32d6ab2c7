// Every chapter from a phone to a wall, light and dark: nothing scrolls sideways, no text is cut off. And on paper.
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { chapters, cutTexts, open, still, themes, unfold, widths } from './reach.ts';

for (const { id } of chapters) {
  test(`${id}: whole at every width`, async ({ page }) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await open(page, id);
      await unfold(page);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        await expectNoSidewaysScroll(page);
        expect(await cutTexts(page), `${width} px, ${colorScheme}`).toEqual([]);
      }
    }
  });

  test(`${id}: whole on paper`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    // A4 upright without its margins of 1 cm.
    await page.setViewportSize({ width: 718, height: 1047 });
    await open(page, id);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await still(page);
    expect(await cutTexts(page, true), 'on paper').toEqual([]);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper, 'no ink for the background').toBe('rgb(255, 255, 255)');
    for (const button of await page.getByRole('button', { name: /theme|Copy link/ }).all()) {
      await expect(button).toBeHidden();
    }
  });
}
