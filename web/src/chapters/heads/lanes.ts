// The layout of the sentence, once for each head, and of the touched word's row of Q, divided into a strip for each
// head.
import { rowOf, type MatrixData } from '../../compute/page/protocol';
import { heightOf, lineOf, type Line } from '../../figures/sentence';

/** Sizes in pixels. */
const largest = { type: 26, cell: 34 } as const;
const title = 26;
const wordHeight = 44;
const gap = { x: 40, y: 22 } as const;
/** Minimum width at which two heads stand side by side. */
const wide = 740;
/** Minimum weight that is written at its arc. */
export const told = 0.095;

interface Place {
  readonly left: number;
  readonly top: number;
}

export interface Lanes {
  readonly width: number;
  readonly height: number;
  readonly line: Line;
  /** Upper left corner of each head, and the offsets of the strip, the arcs and the words below it. */
  readonly lanes: readonly Place[];
  readonly strip: number;
  readonly arcs: number;
  readonly band: number;
  readonly words: number;
  /** Position of each element of the row, the first head's first; and their size. */
  readonly entries: readonly Place[];
  readonly cell: number;
}

/** The weights of a query for itself and the tokens before it. */
export const seenBy = (weights: MatrixData, query: number): readonly number[] =>
  rowOf(weights, query).slice(0, query + 1);

/** `entries` elements of Q in as many strips as there are maps. */
export function lanesOf(
  maps: readonly MatrixData[],
  labels: readonly string[],
  entries: number,
  room: number,
): Lanes {
  const columns = maps.length > 1 && room >= wide ? 2 : 1;
  const place = (room - gap.x * (columns - 1)) / columns;
  const line = lineOf(labels, place, largest.type);
  const across = Math.max(place, line.width);
  const each = entries / maps.length;
  const cell = Math.min(largest.cell, Math.floor(across / each));
  const pairs = maps.flatMap((map) =>
    labels.flatMap((_, query) =>
      seenBy(map, query).flatMap((weight, key) => (weight >= told ? [[query, key] as const] : [])),
    ),
  );
  const band = heightOf(line, pairs, 10);
  const tall = title + cell + 4 + band + wordHeight + gap.y;
  const lanes = maps.map((_, head) => ({
    left: (head % columns) * (across + gap.x),
    top: Math.floor(head / columns) * tall,
  }));
  return {
    ...{ line, lanes, band, cell, strip: title, arcs: title + cell + 4 },
    words: title + cell + 4 + band,
    width: columns * across + gap.x * (columns - 1),
    height: Math.ceil(maps.length / columns) * tall - gap.y,
    entries: Array.from({ length: entries }, (_, entry) => {
      const { left, top } = lanes[Math.floor(entry / each)];
      return { left: left + (entry % each) * cell, top: top + title };
    }),
  };
}
