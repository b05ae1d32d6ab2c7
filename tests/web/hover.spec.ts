// A chosen control stays readable while the mouse rests on it, as it does after every click.
import type { Page } from '@playwright/test';
import { contrastOf, type Rgb } from './colours.ts';
import { expect, test } from './fixtures.ts';
import { chapters, open, themes } from './reach.ts';
import { usual, weekly } from './weekly.ts';

const chosen =
  'main :is(button, a, [role="radio"]):is([aria-pressed="true"], [aria-checked="true"], [aria-expanded="true"], [aria-current])';

/** The colours of an element's text and of its background. */
const colours = (page: Page, index: number) =>
  page
    .locator(chosen)
    .nth(index)
    .evaluate((element) => {
      // The final colours, without waiting for their transitions.
      for (const glide of element.getAnimations()) glide.finish();
      const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
      const paint = (colour: string) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
      };
      const seen = () => Array.from(canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
      const around: Element[] = [];
      for (let e: Element | null = element; e; e = e.parentElement) around.unshift(e);
      for (const one of around) paint(getComputedStyle(one).backgroundColor);
      const ground = seen();
      paint(getComputedStyle(element).color);
      return { text: element.textContent!.trim(), ground, ink: seen() };
    });

test.use({ contextOptions: { reducedMotion: 'reduce' } });
for (const { id } of chapters) {
  test(
    `${id}: what is chosen can be read under the mouse, light and dark`,
    weekly(id, usual),
    async ({ page }) => {
      await open(page, id);
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        const all = page.locator(chosen);
        for (let i = 0; i < (await all.count()); ++i) {
          if (!(await all.nth(i).isVisible()) || !(await all.nth(i).isEnabled())) continue;
          await all.nth(i).hover();
          const { text, ground, ink } = await colours(page, i);
          if (text === '') continue;
          expect(
            contrastOf(ink as unknown as Rgb, ground as unknown as Rgb),
            `${text}, ${colorScheme}`,
          ).toBeGreaterThan(4.5);
        }
      }
    },
  );
}
