// Positions of words on a line, and the arcs above it. A word is centred in its place, whatever its true width.
import { widthOf } from './segments';

/** Font sizes in pixels. */
const type = { least: 16, most: 46 } as const;
/** Minimum width of a place, for fingers. */
const leastPlace = 26;

/** Width of a word and the gap after it, in em. */
export const emOf = (word: string): number => widthOf(word, 0.5, true) + 0.36;

export interface Line {
  /** Font size and total width in pixels, which may exceed the room. */
  readonly type: number;
  readonly width: number;
  /** Place of each word, from the left. */
  readonly places: readonly { readonly left: number; readonly width: number }[];
}

/** Sets words on one line, as large as fits, and no larger than `most` pixels. */
export function lineOf(words: readonly string[], room: number, most: number = type.most): Line {
  const ems = words.map(emOf);
  const sum = ems.reduce((all, one) => all + one, 0);
  const size = Math.max(type.least, Math.min(most, Math.floor(room / sum)));
  let left = 0;
  const places = ems.map((em) => {
    const width = Math.max(leastPlace, em * size);
    left += width;
    return { left: left - width, width };
  });
  return { type: size, width: left, places };
}

export interface Arc {
  readonly key: number;
  readonly weight: number;
  readonly path: string;
  /** Its highest point, and its end. */
  readonly top: readonly [number, number];
  readonly end: number;
}

/** Arcs with smaller weights are invisible. */
export const leastWeight = 0.004;

const middle = ({ left, width }: Line['places'][number]) => left + width / 2;
const short = (value: number) => Math.round(10 * value) / 10;

/** Pixels above the line, for the tag on the highest arc and for its thickness. */
const above = { tag: 46, stroke: 14 } as const;
const highest = 260;

function liftOf(line: Line, query: number, key: number): number {
  if (key === query) return 0.95 * line.type;
  return 14 + 0.26 * Math.abs(middle(line.places[query]) - middle(line.places[key]));
}

/** Height of the arcs between these pairs of words, and of the room above them. */
export function heightOf(
  line: Line,
  pairs: readonly (readonly [number, number])[],
  tag: number = above.tag,
): number {
  const lifts = pairs.map(([query, key]) => liftOf(line, query, key));
  return Math.ceil(Math.min(highest, Math.max(line.type, ...lifts) + tag + above.stroke));
}

/** Arcs from a word to its sources, over a line at `height`. */
export function arcsOf(
  line: Line,
  query: number,
  weights: readonly number[],
  height: number,
): readonly Arc[] {
  const from = middle(line.places[query]);
  return weights.flatMap((weight, key) => {
    if (!(weight > leastWeight)) return [];
    const to = middle(line.places[key]);
    const lift = Math.min(height - above.stroke, liftOf(line, query, key));
    // An arc that ends where it begins is a loop.
    const [out, foot] = key === query ? [0.75 * line.type, 0.2 * line.type] : [0, 0];
    // The highest point of such a curve is at three quarters of the height of its two handles.
    const up = height - lift / 0.75;
    const path = [from + foot, height, from + out, up, to - out, up, to - foot, height].map(short);
    const [x0, y0, ...handles] = path;
    return [
      {
        ...{ key, weight, end: to - foot },
        path: `M${x0} ${y0}C${handles.join(' ')}`,
        top: [(from + to) / 2, height - lift] as const,
      },
    ];
  });
}
