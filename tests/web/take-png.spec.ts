// A PNG is painted and an SVG is written from the same tracing of a figure. They show the same.
import type { Page } from '@playwright/test';
import { takeOf } from './menus.ts';
import { expect, test } from './fixtures.ts';
import { open } from './reach.ts';
import { saved } from './saved.ts';
import { settled } from './settled.ts';
import { weekly } from './weekly.ts';

/**
 * The side of a tile in pixels of the page. Edges are smoothed a little differently, so the means of tiles are
 * compared.
 */
const tile = 12;

/**
 * Compares the SVG as a part of the page, with its fonts, and the PNG at half its size. Returns the largest difference
 * of a tile, of 255, and the largest distance of a tile from the empty sheet.
 */
async function compared(
  page: Page,
  svg: string,
  png: Buffer,
): Promise<{ differ: number; shown: number }> {
  const size = await page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, 'image/svg+xml').documentElement;
    document.querySelector('body > svg')?.remove();
    // The SVG has a fixed position, independent of scrolling: a narrower page scrolls again, a frame later.
    parsed.style.cssText = 'position: fixed; left: 0; top: 0; z-index: 1000';
    document.body.append(document.adoptNode(parsed));
    return ['width', 'height'].map((name) => Number(parsed.getAttribute(name)));
  }, svg);
  await page.setViewportSize({ width: size[0], height: size[1] });
  await settled(page);
  const written = await page.screenshot();
  return page.evaluate(
    async ([one, other, width, height, side]) => {
      const pixels = async (base64: string) => {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const ink = new OffscreenCanvas(width, height).getContext('2d')!;
        ink.imageSmoothingQuality = 'high';
        ink.drawImage(bitmap, 0, 0, width, height);
        return ink.getImageData(0, 0, width, height).data;
      };
      const means = (data: Uint8ClampedArray) => {
        const sums = new Map<string, number>();
        /** The number of pixels in a tile; those at the edges are smaller. */
        const pixelsOf = (x: number, y: number) =>
          Math.min(side, width - (x - (x % side))) * Math.min(side, height - (y - (y % side)));
        for (let y = 0, i = 0; y < height; ++y) {
          for (let x = 0; x < width; ++x, ++i) {
            for (let colour = 0; colour < 3; ++colour) {
              const at = [Math.floor(x / side), Math.floor(y / side), colour].join();
              sums.set(at, (sums.get(at) ?? 0) + data[4 * i + colour] / pixelsOf(x, y));
            }
          }
        }
        return [...sums.values()];
      };
      const [a, b] = [means(await pixels(one)), means(await pixels(other))];
      return {
        differ: Math.max(...a.map((mean, i) => Math.abs(mean - b[i]))),
        shown: Math.max(...a.map((mean, i) => Math.abs(mean - a[i % 3]))),
      };
    },
    [written.toString('base64'), png.toString('base64'), size[0], size[1], tile] as const,
  );
}

/** A missing two-digit number makes a tile differ by 25; complete pictures differ by up to 10, or 13 with images. */
const limit = 18;

for (const [address, name] of [
  ['attend?step=weights', 'weights'], // hatched
  ['heads', 'divided'], // rotated words
  ['longer?step=1', 'online-softmax'],
  ['block?stage=residual1', 'block'],
  ['multiply', 'memory-ijk'], // of images
  ['model', 'all-heads'],
]) {
  test(
    `a PNG shows what the SVG shows: ${address}, ${name}`,
    weekly(name, ['weights', 'memory-ijk']),
    async ({ page }) => {
      await open(page, address);
      const take = await takeOf(page, name);
      const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
      const png = (await saved(page, take, 'PNG')).content;
      const { differ, shown } = await compared(page, svg, png);
      expect(shown).toBeGreaterThan(100);
      expect(differ).toBeLessThan(limit);
      // A picture without one of its words differs.
      const [words] = svg.match(/<text[^>]*>[^<]{2,}<\/text>/gsu)!;
      const less = svg.replace(words, '');
      expect((await compared(page, less, png)).differ).toBeGreaterThan(limit);
    },
  );
}
