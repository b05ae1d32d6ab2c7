// Every chapter from a small phone to a wall, light and dark: nothing scrolls sideways, no text is cut off. And on paper.
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { chapters, cutTexts, fold, open, still, themes, unfold } from './reach.ts';

const widths = [320, 360, 768, 1440, 2560];

for (const { id } of chapters) {
  test(`${id}: whole at every width, and on paper`, async ({ page }) => {
    await page.setViewportSize({ width: widths[0], height: 900 });
    await open(page, id);
    await unfold(page);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await still(page);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        await expectNoSidewaysScroll(page);
        expect(await cutTexts(page), `${width} px, ${colorScheme}`).toEqual([]);
      }
    }
    await fold(page);

    // A4 upright without its margins of 1 cm.
    await page.setViewportSize({ width: 718, height: 1047 });
    await still(page);
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
