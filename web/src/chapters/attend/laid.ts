// Softmax of one row as a motion: what is hidden falls away, columns of e^u rise, they are laid end to end, and the line
// shrinks to length 1. Every frame is made of the core's numbers.
import { part } from '../../figures/motion';

export interface LaidRow {
  readonly names: readonly string[];
  /** 0 where a key is hidden. */
  readonly powers: readonly number[];
  readonly weights: readonly number[];
  readonly sum: number;
}

interface LaidBar {
  readonly key: number;
  /** Its lower left corner; then how far it has been turned, 0 upright and 90 lying, in degrees. */
  readonly x: number;
  readonly y: number;
  readonly turn: number;
  readonly length: number;
  readonly thickness: number;
  /** Of a hidden one, until it has fallen. */
  readonly opacity: number;
}

export interface Laid {
  readonly bars: readonly LaidBar[];
  /** Pixels of length 1. */
  readonly unit: number;
  /** Where columns stand and the line lies. */
  readonly base: number;
  readonly middles: readonly number[];
}

/** Frames in all, and those in which one part of the motion is done. */
export const laidStops = [0, 20, 50, 85, 110] as const;

const [, fallen, risen, lying, shrunk] = laidStops;
export const laidHeight = 250;
const headroom = 26;
const thickest = 34;

/** Where every bar is in a frame. */
export function laidAt({ powers, sum }: LaidRow, width: number, frame: number): Laid {
  const count = powers.length;
  const slot = width / count;
  const thickness = Math.min(thickest, 0.7 * slot);
  const base = laidHeight - thickest - headroom;
  const unit = Math.min(base - headroom, width / Math.max(sum, 1));
  const middles = powers.map((_, key) => (key + 0.5) * slot);
  const fall = part(frame, 0, fallen);
  const rise = part(frame, fallen, risen);
  const shrink = part(frame, lying, shrunk);
  const scale = 1 + shrink * (1 / sum - 1);
  const seen = powers.filter((power) => power > 0).length;
  const span = lying - risen;
  let before = 0;
  let laid = 0;
  const bars = powers.map((power, key): LaidBar => {
    const left = middles[key] - thickness / 2;
    if (power === 0) {
      // A stub that says: here is a token, and it is hidden.
      const y = base + fall * (laidHeight - base);
      return { key, x: left, y, turn: 0, length: 10, thickness, opacity: 1 - fall };
    }
    // One after another, each while the one before is still on its way.
    const begin = risen + (0.5 * span * laid) / Math.max(1, seen - 1);
    const lie = part(frame, begin, begin + 0.5 * span);
    const x = left + lie * (before * unit * scale - left);
    before += power;
    laid += 1;
    const length = unit * (10 / unit + rise * (power - 10 / unit)) * (lie > 0 ? scale : 1);
    return { key, x, y: base, turn: 90 * lie, length, thickness, opacity: 1 };
  });
  return { bars, unit, base, middles };
}
