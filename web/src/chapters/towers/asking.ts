// Two rows of words, the encoder's above the decoder's, and the arcs of three attentions: over the encoder's words, between the
// rows, and under the decoder's words. Each arc is as thick as its weight.
import { at, rowOf, type MatrixData } from '../../compute/page/protocol';
import { between } from '../../figures/motion';
import { emOf, leastWeight } from '../../figures/sentence';

/** The attentions by whose words they are of: the encoder's own, the decoder's own, and what one asks the other. */
const partIds = ['source', 'target', 'memory'] as const;
export type PartId = (typeof partIds)[number];
export type TowerId = 'source' | 'target';

export interface Word {
  readonly tower: TowerId;
  readonly index: number;
}
export const isSame = (a: Word | null, b: Word | null): boolean =>
  a?.tower === b?.tower && a?.index === b?.index;

/** Pixels. */
const type = { least: 15, most: 25 } as const;
/** A finger needs that much. */
const leastPlace = 30;
/** Of the numeral that tells equal words apart, and of what the decoder writes below its words. */
const numeral = 11;
const written = 14;
/** Words do not drift further apart than this, however much room there is. */
const mostGap = 44;
export const wordHeight = 44;
const lifts = { least: 15, a: 0.26, most: 46, tag: 18 } as const;
/** From where on an arc within a row says its weight. */
export const told = 0.095;

export interface Place {
  readonly left: number;
  readonly width: number;
}
export const middle = ({ left, width }: Place): number => left + width / 2;

export interface Layout {
  /** Pixels: the words' type, and all of it, which may be wider than there is room for. */
  readonly type: number;
  readonly width: number;
  readonly height: number;
  readonly places: Readonly<Record<TowerId, readonly Place[]>>;
  /** The upper edges of both rows. */
  readonly tops: Readonly<Record<TowerId, number>>;
}

const sumOf = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0);

/** Side by side in the middle of the room, apart from each other as far as there is some. */
function placesOf(widths: readonly number[], room: number): readonly Place[] {
  const free = Math.max(0, room - sumOf(widths));
  const gap = Math.min(mostGap, free / widths.length);
  let left = (free - gap * widths.length) / 2;
  return widths.map((width) => {
    left += width + gap;
    return { left: left - width - gap, width: width + gap };
  });
}

const liftOf = (from: Place, to: Place) =>
  Math.min(lifts.most, lifts.least + lifts.a * Math.abs(middle(from) - middle(to)));

export type Maps = Readonly<Record<PartId, MatrixData>>;

/** Both rows in one type, as large as there is room for; `below` each of the decoder's words has room for others. */
export function layoutOf(
  source: readonly string[],
  target: readonly string[],
  below: readonly (readonly string[])[],
  maps: Maps,
  room: number,
): Layout {
  const widthsAt = (size: number) => ({
    source: source.map((word) => Math.max(leastPlace, emOf(word) * size + numeral)),
    target: target.map((word, i) =>
      Math.max(
        leastPlace,
        emOf(word) * size + numeral,
        ...below.map((row) => emOf(row[i]) * written),
      ),
    ),
  });
  const widest = (size: number) => {
    const widths = widthsAt(size);
    return Math.max(sumOf(widths.source), sumOf(widths.target));
  };
  let size: number = type.most;
  while (size > type.least && widest(size) > room) size -= 1;
  const widths = widthsAt(size);
  const width = Math.max(room, widest(size));
  const places = { source: placesOf(widths.source, width), target: placesOf(widths.target, width) };
  /** Room for the highest arc of a row, so that nothing moves from one word to the next. */
  const band = (tower: TowerId) =>
    lifts.tag +
    Math.max(
      lifts.least,
      ...maps[tower].data
        .reduce<number[]>((all, weight, i) => (weight >= told ? [...all, i] : all), [])
        .map((i) => {
          const [row, col] = [Math.floor(i / maps[tower].cols), i % maps[tower].cols];
          return liftOf(places[tower][row], places[tower][col]);
        }),
    );
  const tops = { source: band('source'), target: 0 };
  tops.target = tops.source + wordHeight + (room < 500 ? 104 : 132);
  return { type: size, width, places, tops, height: tops.target + wordHeight + band('target') };
}

export interface Curve {
  readonly part: PartId;
  readonly row: number;
  readonly col: number;
  readonly weight: number;
  readonly path: string;
  /** Its highest or lowest point. */
  readonly tag: readonly [number, number];
}

/** Pixels: as thick as the weight is large. */
export const thickOf = ({ part, weight }: Pick<Curve, 'part' | 'weight'>): number =>
  (part === 'memory' ? 11 : 6) * weight;

const short = (value: number) => Math.round(10 * value) / 10;

/** Over the encoder's words or under the decoder's; what ends where it begins is a loop. */
function within({ places, tops, type: size }: Layout, tower: TowerId, row: number, col: number) {
  const [base, up] = tower === 'source' ? [tops.source, -1] : [tops.target + wordHeight, 1];
  const [from, to] = [places[tower][row], places[tower][col]];
  const lift = liftOf(from, to);
  const [out, foot] = row === col ? [0.75 * size, 0.2 * size] : [0, 0];
  // The highest point of such a curve is three quarters of the way to its two handles.
  const handle = base + (up * lift) / 0.75;
  const [x0, x1] = [middle(from), middle(to)];
  const points = [x0 + out, handle, x1 - out, handle, x1 - foot, base].map(short);
  return {
    path: `M${short(x0 + foot)} ${short(base)}C${points.join(' ')}`,
    tag: [(x0 + x1) / 2, base + up * lift] as const,
  };
}

/** From a word of the decoder up to one of the encoder's. */
function across({ places, tops }: Layout, row: number, col: number) {
  const [x0, x1] = [middle(places.target[row]), middle(places.source[col])];
  const [y0, y1] = [tops.target, tops.source + wordHeight];
  const half = (y0 + y1) / 2;
  const points = [x0, half, x1, half, x1, y1].map(short);
  return {
    path: `M${short(x0)} ${short(y0)}C${points.join(' ')}`,
    tag: [between(x0, x1, 0.5), half] as const,
  };
}

/** Every weight that can be seen, of all three. */
export function curvesOf(layout: Layout, maps: Maps): readonly Curve[] {
  return partIds.flatMap((part) =>
    Array.from(maps[part].data, (weight, i) => ({
      ...{ part, weight, row: Math.floor(i / maps[part].cols), col: i % maps[part].cols },
    }))
      .filter(({ weight }) => weight > leastWeight)
      .map((one) => ({
        ...one,
        ...(part === 'memory'
          ? across(layout, one.row, one.col)
          : within(layout, part, one.row, one.col)),
      })),
  );
}

/** Where a word looks in its own tower, and what lies between it and the other one. */
export function isOf({ part, row, col }: Curve, { tower, index }: Word): boolean {
  if (part === 'memory') return (tower === 'target' ? row : col) === index;
  return part === tower && row === index;
}

/** What lies between a word and every word of the other tower. */
export function sharesOf(memory: MatrixData, { tower, index }: Word): readonly number[] {
  return tower === 'target'
    ? rowOf(memory, index)
    : Array.from({ length: memory.rows }, (_, row) => at(memory, row, index));
}
