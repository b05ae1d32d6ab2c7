// The pixels of a canvas.
import type { Locator } from '@playwright/test';

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

/**
 * Pixels of a canvas, row by row. They are transferred as one text, since an array is checked number by number, and
 * read from a copy made for it, since browsers warn about reading a page's canvas twice.
 */
export async function readCanvas(canvas: Locator): Promise<Picture> {
  const text = await canvas.evaluate((element: HTMLCanvasElement) => {
    const { width, height } = element;
    const copy = new OffscreenCanvas(width, height);
    const on = copy.getContext('2d', { willReadFrequently: true })!;
    on.drawImage(element, 0, 0);
    const { data } = on.getImageData(0, 0, width, height);
    return JSON.stringify({ width, height, data: Array.from(data) });
  });
  return JSON.parse(text) as Picture;
}

/** The opacity of each pixel, 0 to 255. */
export const coverOf = ({ data }: Picture) => data.filter((_, i) => i % 4 === 3);
