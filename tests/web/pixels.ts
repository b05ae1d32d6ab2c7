// The pixels of a canvas.
import type { Locator } from '@playwright/test';

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: readonly number[];
}

/** Pixels of a canvas as they were painted, row by row. They come as one text: an array is checked number by number. */
export async function readCanvas(canvas: Locator): Promise<Picture> {
  const text = await canvas.evaluate((element: HTMLCanvasElement) => {
    const { width, height } = element;
    const { data } = element.getContext('2d')!.getImageData(0, 0, width, height);
    return JSON.stringify({ width, height, data: Array.from(data) });
  });
  return JSON.parse(text) as Picture;
}
