// Numbers in cells, as pixels: their contrast with the actual background is at least 4.5 to 1 (WCAG 2.1, 1.4.3), they
// are at least 11 px high, and their background has one colour and a margin around them.
import type { Page } from '@playwright/test';
import { contrastOf, type Rgb } from './colours.ts';
import { expect, test } from './fixtures.ts';
import { open, themes } from './reach.ts';
import { still } from './settled.ts';
import { usual, weekly } from './weekly.ts';

const addresses = [
  ...['multiply', 'average', 'attend?step=scores', 'attend?step=weights', 'mask', 'heads'],
  ...['block', 'towers', 'longer', 'learn', 'model', 'write'],
];

interface Seen {
  readonly where: string;
  readonly text: string;
  readonly pixels: number;
  /** The most frequent colour of the cell, and the colour inside the letters. */
  readonly ground: Rgb;
  readonly ink: Rgb;
  /** The number of pixels outside the letters' box that differ from the background. */
  readonly stray: number;
  /** The distance of the letters from the cell's edge. */
  readonly clear: number;
}

/** Every cell with digits in the figures on the screen, from a screenshot of three pixels per pixel. */
async function look(page: Page): Promise<Seen[]> {
  const shot = (await page.screenshot()).toString('base64');
  return page.evaluate(async (picture) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const scale = image.width / innerWidth;
    const canvas = new OffscreenCanvas(image.width, image.height);
    const ink = canvas.getContext('2d', { willReadFrequently: true })!;
    ink.drawImage(image, 0, 0);
    const far = (a: readonly number[], b: readonly number[]) =>
      Math.max(...[0, 1, 2].map((i) => Math.abs(a[i] - b[i])));
    const bottom = document.querySelector('header')!.getBoundingClientRect().bottom;
    return [...document.querySelectorAll('main .matrix:not(.small) .cell:not(.hidden, .waiting)')]
      .filter((cell) => !cell.closest('.stills'))
      .flatMap((cell) => {
        const [box, span] = [cell, cell.firstElementChild ?? cell].map((one) =>
          one.getBoundingClientRect(),
        );
        const text = cell.textContent!.trim();
        const x = box.left + box.width / 2;
        const inSight =
          box.top > bottom && box.bottom < innerHeight && box.left > 0 && box.right < innerWidth;
        // Skips cells under a sticky label, and cells that are lit, changed or edited.
        const top = inSight && document.elementFromPoint(x, box.top + box.height / 2);
        const plain = !cell.matches('.changed, .edited, .odd');
        if (!top || !cell.contains(top) || !plain || text === '' || text === '·') return [];
        const inset = 3; // round corners, and the lit edge
        const left = Math.ceil((box.left + inset) * scale);
        const upper = Math.ceil((box.top + inset) * scale);
        const width = Math.floor((box.width - 2 * inset) * scale);
        const height = Math.floor((box.height - 2 * inset) * scale);
        const { data } = ink.getImageData(left, upper, width, height);
        const at = (i: number) => [data[4 * i], data[4 * i + 1], data[4 * i + 2]];
        const counts = new Map<string, number>();
        for (let i = 0; i < width * height; ++i) {
          const key = at(i).join();
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        const [[most]] = [...counts].sort((a, b) => b[1] - a[1]);
        const ground = most.split(',').map(Number);
        let furthest = ground;
        let stray = 0;
        for (let i = 0; i < width * height; ++i) {
          const colour = at(i);
          if (far(colour, ground) > far(furthest, ground)) furthest = colour;
          const [px, py] = [(left + (i % width)) / scale, (upper + Math.floor(i / width)) / scale];
          const outside =
            px < span.left - 1 || px > span.right + 1 || py < span.top - 1 || py > span.bottom + 1;
          if (outside && far(colour, ground) > 6) stray += 1;
        }
        return [
          {
            where: cell.id,
            text,
            pixels: parseFloat(getComputedStyle(cell).fontSize),
            ground: ground as unknown as Rgb,
            ink: furthest as unknown as Rgb,
            stray,
            clear: Math.min(span.left - box.left, box.right - span.right),
          },
        ];
      });
  }, shot);
}

test.use({ deviceScaleFactor: 3, viewport: { width: 1440, height: 900 } });

for (const address of addresses) {
  test(
    `every number can be told from its ground, light and dark: ${address}`,
    weekly(address, usual),
    async ({ page }) => {
      await open(page, address);
      await page.locator('main .matrix:not(.small)').first().scrollIntoViewIfNeeded();
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await still(page);
        const cells = await look(page);
        expect(cells.length).toBeGreaterThan(10);
        expect(
          cells.filter(({ ink, ground }) => contrastOf(ink, ground) < 4.5),
          `contrast, ${colorScheme}`,
        ).toEqual([]);
        expect(cells.filter(({ pixels }) => pixels < 11)).toEqual([]);
        expect(cells.filter(({ stray }) => stray > 0)).toEqual([]);
        expect(cells.filter(({ clear }) => clear < 1)).toEqual([]);
      }
    },
  );
}
