// The frames of an animated picture, and the layout within it.
import type { Frame } from '../../compute/shared/training/protocol';

/** Sizes in pixels: the picture, its margins, and the curve below the head. */
export const size = { side: 288, margin: 16, title: 28, curve: 64 } as const;
export const width = size.side + 2 * size.margin;
export const height = size.title + size.side + size.curve + 3 * size.margin;
/** The centre of every cell of a head with `tokens` tokens, row by row. */
export function middles(tokens: number): (readonly [x: number, y: number])[] {
  const at = (i: number) => Math.floor(((i + 0.5) * size.side) / tokens);
  return Array.from({ length: tokens * tokens }, (_, i) => [
    size.margin + at(i % tokens),
    size.margin + size.title + at(Math.floor(i / tokens)),
  ]);
}

/** Milliseconds of each frame, and of the last, which can be read before the animation repeats. */
const stay = { each: 80, last: 2500 } as const;

/**
 * Milliseconds of each of `count` frames: all but the last are equal, up to the rounding to hundredths of a second, the
 * unit of GIF.
 */
export function delaysOf(count: number, all = stay.each * (count - 1) + stay.last): number[] {
  const until = (i: number) => 10 * Math.round(((all - stay.last) * i) / (count - 1 || 1) / 10);
  return Array.from({ length: count }, (_, i) =>
    i < count - 1 ? until(i + 1) - until(i) : stay.last,
  );
}

/** Maximum number of frames; a longer training is sampled evenly. */
const most = 120;

/** The frames at equal distances, and the last. */
export function chosenFrames(frames: readonly Frame[]): readonly Frame[] {
  const by = Math.ceil((frames.length - 1) / most) || 1;
  return frames.filter((_, i) => i % by === 0 || i === frames.length - 1);
}
