// The output as a motion: what the mask hides goes, every row of V shrinks to its share, and one after the other they slide
// together into one row, as high as any other, since the shares are one whole.
import { between, part } from '../../figures/motion';

interface Joining {
  /** Of the rows of V from top to bottom; null where a key is hidden. */
  readonly shares: readonly (number | null)[];
}

interface JoinLayout {
  /** Height of a row, and from one to the next. */
  readonly row: number;
  readonly pitch: number;
  readonly top: number;
  /** Where the output's row begins. */
  readonly out: number;
  readonly height: number;
}

/** Frames at which a part is done: hidden rows are gone, rows have shrunk, they are together, they are one. */
export const joinStops = [0, 20, 50, 110, 135] as const;
const [, gone, shrunk, together, one] = joinStops;
const largest = 40;
const gap = 26;

export function joinLayout({ shares }: Joining, height: number): JoinLayout {
  const top = 24;
  const pitch = Math.max(12, Math.min(largest + 4, (height - top - gap) / (shares.length + 1)));
  const row = pitch - Math.min(4, pitch / 6);
  const out = top + shares.length * pitch + gap;
  return { row, pitch, top, out, height: out + row + 4 };
}

export interface Strip {
  readonly key: number;
  readonly y: number;
  readonly height: number;
  readonly opacity: number;
  /** How much of its way to the output is done. */
  readonly joined: number;
}

interface Joined {
  readonly strips: readonly Strip[];
  /** How many have joined: the last one perhaps in part. */
  readonly count: number;
  /** Of the output's own row. */
  readonly output: number;
}

export function joinAt({ shares }: Joining, layout: JoinLayout, frame: number): Joined {
  const seen = shares.filter((share) => share !== null).length;
  const span = (together - shrunk) / Math.max(1, seen);
  const output = part(frame, together, one);
  let order = 0;
  let below = 0;
  let count = 0;
  const strips = shares.map((share, key): Strip => {
    const from = layout.top + key * layout.pitch;
    if (share === null) {
      return { key, y: from, height: layout.row, opacity: 1 - part(frame, 0, gone), joined: 0 };
    }
    const begin = shrunk + span * order;
    const joined = part(frame, begin, begin + span);
    const height = layout.row * between(1, share, part(frame, gone, shrunk));
    const y = between(from + (layout.row - height) / 2, layout.out + below, joined);
    below += layout.row * share;
    order += 1;
    count += joined;
    return { key, y, height, opacity: 1 - output, joined };
  });
  return { strips, count, output };
}
