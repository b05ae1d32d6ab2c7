// Numbers in cells stand out by 4.5 to 1 (WCAG 2.1, 1.4.3) from what they lie on: their square or, with a halo, the paper.
import { contrast, mix, type Rgb } from '../../web/src/figures/paint.ts';
import { expect, test } from './fixtures.ts';
import { open, still, themes } from './reach.ts';

const addresses = ['multiply', 'average', 'attend?step=scores', 'mask', 'heads'];

test('every number can be told from its ground, light and dark', async ({ page }) => {
  /** Written as rgb(r, g, b), or as color(srgb r g b / alpha), of shares. */
  const rgb = (colour: string) =>
    colour
      .match(/[\d.e-]+(?=[ ,)])/gu)!
      .slice(0, 3)
      .map((one) => Number(one) * (colour.startsWith('rgb') ? 1 : 255)) as unknown as Rgb;
  const strengthOf = (colour: string) => Number(/\/ ([\d.e-]+)\)/u.exec(colour)?.[1] ?? 1);
  for (const address of addresses) {
    await open(page, address);
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await still(page);
      const cells = await page
        .locator('main .cell:not(.hidden, .waiting):has(span)')
        .evaluateAll((all) =>
          all.map((cell) => {
            const [own, square] = [getComputedStyle(cell), getComputedStyle(cell, '::before')];
            return {
              text: cell.textContent!,
              halo: cell.classList.contains('spilling'),
              colour: own.color,
              paper: own.backgroundColor,
              square: square.backgroundColor,
            };
          }),
        );
      expect(cells.length).toBeGreaterThan(20);
      const faint = cells.filter(({ halo, colour, paper, square }) => {
        const ground = halo ? rgb(paper) : mix(rgb(square), rgb(paper), strengthOf(square));
        return contrast(rgb(colour), ground) < 4.5;
      });
      expect(faint, `${address}, ${colorScheme}`).toEqual([]);
    }
  }
});
