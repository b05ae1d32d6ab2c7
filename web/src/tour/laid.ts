// The layout of the sentence in a room, and of the threads from the gap to its words.
import { emOf, lineOf } from '../figures/sentence';
import { sentence } from '../state/tour';

export interface Room {
  readonly width: number;
  readonly height: number;
}

interface Spot {
  /** Its centre. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Line index: the sentence has two lines if it does not fit on one. */
  readonly line: number;
}

export interface Laid extends Room {
  readonly narrow: boolean;
  /** Font size in pixels. */
  readonly type: number;
  readonly words: readonly Spot[];
  readonly gap: Spot;
  /** Vertical position of the area below the sentence. */
  readonly below: number;
  /** Offsets of its parts within that area. */
  readonly lows: (typeof lows)[keyof typeof lows];
  /** Centre of each word's column below. */
  readonly columns: readonly number[];
  readonly column: number;
}

const largest = 64;
const lows = {
  wide: { even: 34, formula: 4, line: 66, strict: 128, chances: 172 },
  tight: { even: 14, formula: 0, line: 54, strict: 112, chances: 144 },
} as const satisfies Record<string, Record<string, number>>;
/** Height of that area in pixels. */
const deep = { wide: 298, tight: 266 } as const;
/** A gap as wide as a word. */
const blank = 'xxxxx';

function spotsOf(words: readonly string[], type: number, width: number, y: number, line: number) {
  const { places, width: all } = lineOf(words, width, type);
  const from = (width - all) / 2;
  return places.map((place) => ({
    ...{ x: from + place.left + place.width / 2, y, line },
    width: place.width,
  }));
}

export function laidIn({ width, height }: Room): Laid {
  const narrow = width < 560;
  const all = [...sentence, blank];
  const half = sentence.length / 2;
  const lines = narrow ? [all.slice(0, half), all.slice(half)] : [all];
  const em = (line: readonly string[]) => line.reduce((sum, each) => sum + emOf(each), 0);
  const most = narrow ? 38 : largest;
  const type = Math.min(
    ...[most, narrow ? most : Math.floor(0.105 * height)],
    ...lines.map((line) => Math.floor(width / em(line))),
  );
  const room = narrow ? 4.7 * type : 100 + 0.9 * type;
  const fit = height < room + deep.wide ? 'tight' : 'wide';
  const left = height - deep[fit] - 0.9 * type;
  const first = narrow ? 1.3 * type : Math.min(215, 0.36 * height, Math.max(84, left));
  const apart = narrow ? Math.min(2.5 * type, Math.max(2 * type, left - first)) : 0;
  const spots = lines.flatMap((line, i) => spotsOf(line, type, width, first + i * apart, i));
  const words = spots.slice(0, -1);
  const column = narrow ? width / words.length : Math.min(...words.map((spot) => spot.width), 118);
  return {
    ...{ width, height, narrow, type, words, gap: spots.at(-1)! },
    below: first + apart + 0.9 * type,
    lows: lows[fit],
    columns: narrow ? words.map((_, i) => (i + 0.5) * column) : words.map(({ x }) => x),
    column,
  };
}

export interface Thread {
  readonly path: string;
  /** Its handle: the highest point, or a point near its word if there is little room. */
  readonly hold: readonly [x: number, y: number];
}

/** A held thread: it goes through the finger. */
export function threadThrough(laid: Laid, to: Spot, [x, y]: readonly [number, number]): Thread {
  const { gap, type } = laid;
  const endOf = (spot: Spot) => {
    const isUnder = spot.line < Math.max(gap.line, to.line);
    return [spot.x, spot.y + (isUnder ? 0.62 : -0.62) * type];
  };
  const [[x0, y0], [x1, y1]] = [endOf(gap), endOf(to)];
  const bend = [2 * x - (x0 + x1) / 2, 2 * y - (y0 + y1) / 2];
  const [a, b, c, d, e, f] = [x0, y0, ...bend, x1, y1].map(round);
  return { path: `M${a} ${b}Q${c} ${d} ${e} ${f}`, hold: [x, y] };
}

/** Rounds to a tenth of a pixel. */
export const round = (value: number) => Math.round(10 * value) / 10;

/** A thread between two spots: above their common line, else through the room between the lines. */
export function threadOf({ type, narrow, width }: Laid, from: Spot, to: Spot): Thread {
  const top = from.y - 0.62 * type;
  const across = Math.abs(from.x - to.x);
  if (from.line !== to.line) {
    const [end, up] = [to.y + 0.62 * type, (from.y + to.y) / 2];
    const path = [from.x, top, from.x, up, to.x, up, to.x, end].map(round);
    const [x0, y0, ...rest] = path;
    return {
      path: `M${x0} ${y0}C${rest.join(' ')}`,
      hold: [to.x, end + 6],
    };
  }
  const most = narrow ? 0.9 * type : top - 26;
  const lift = 16 + (most - 16) * Math.min(1, across / (0.94 * width));
  const up = top - lift / 0.75;
  const [x0, y0, ...rest] = [from.x, top, from.x, up, to.x, up, to.x, top].map(round);
  return {
    path: `M${x0} ${y0}C${rest.join(' ')}`,
    hold: narrow ? [to.x, top - 6] : [(from.x + to.x) / 2, top - lift],
  };
}
