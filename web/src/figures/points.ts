// Paints a matrix that is too large for cells: a point of colour for each entry.
import type { Rgb } from './paint';

/** The share of the colour for a share of the scale. It grows with the root, so that small shares are visible, too. */
export const strengthOf = (share: number): number => Math.sqrt(Math.min(1, share));

/** Gives the canvas a point for each strength, 0 to 1, row by row. A strength of 0 leaves the ground visible. */
export function paintPoints(
  canvas: HTMLCanvasElement,
  cols: number,
  strengths: ArrayLike<number>,
  colourOf: (index: number) => Rgb,
): void {
  const image = new ImageData(cols, strengths.length / cols);
  // Writes number by number: an array for each point would cost more than the rest.
  const { data } = image;
  for (let i = 0; i < strengths.length; ++i) {
    const colour = colourOf(i);
    data[4 * i] = colour[0];
    data[4 * i + 1] = colour[1];
    data[4 * i + 2] = colour[2];
    data[4 * i + 3] = Math.round(255 * strengths[i]);
  }
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')!.putImageData(image, 0, 0);
}
