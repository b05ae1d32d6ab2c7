// Interpretations of a training's frames: names of the heads, the step of the birth, and the words of the sequence.
import type { Frame } from '../../compute/shared/training/protocol';
import type { TaskId } from '../../compute/shared/training/tasks';
import { drawnOf, word } from '../../figures/scene';
import type { Axis, Drawn } from '../../figures/matrix';
import type { MatrixData } from '../../compute/page/protocol';
import words from '$texts/learn-born.yaml';

const heads = 2;

export type Score = 'previous' | 'copy';
/** The score of a task. */
export const scoreOf = (task: TaskId): Score => (task === 'previous' ? 'previous' : 'copy');

/** The largest score of all heads. */
export const best = ({ scores }: Frame, score: Score) =>
  Math.max(...scores.map((one) => one[score]));

/** "1.2": layer and head, from 1. */
export const headName = (index: number) =>
  `${Math.floor(index / heads) + 1}.${(index % heads) + 1}`;

/** The last frame up to a step. */
export function frameAt(frames: readonly Frame[], step: number): Frame | null {
  let found: Frame | null = null;
  for (const frame of frames) if (frame.step <= step) found = frame;
  return found ?? frames[0] ?? null;
}

/** The step at which a value changes most, over four frames. */
function steepest(frames: readonly Frame[], value: (frame: Frame) => number): number | null {
  const span = 4;
  let [found, most]: [number | null, number] = [null, 0];
  for (let i = span; i < frames.length; ++i) {
    const rise = value(frames[i]) - value(frames[i - span]);
    if (rise > most) [found, most] = [frames[i - span / 2].step, rise];
  }
  return found;
}

export const fallOf = (frames: readonly Frame[]) => steepest(frames, ({ loss }) => -loss);

/** The step around which a score rises most, if it exceeds one half. */
export function birthOf(frames: readonly Frame[], score: Score): number | null {
  const last = frames.at(-1);
  return last && best(last, score) > 0.5 ? steepest(frames, (frame) => best(frame, score)) : null;
}

/** Tokens as letters without meaning. */
export const letterOf = (id: number) => String.fromCharCode(97 + id);

const axis = (title: string, example: readonly number[]): Axis => {
  const short = example.map(letterOf);
  return { title, short, names: short.map((letter, i) => `${letter} (${i + 1})`) };
};

const drawn = new WeakMap<MatrixData, Drawn>();

/** The result is cached, so that an unchanged matrix is not drawn again. */
export function headDrawn(index: number, matrix: MatrixData, example: readonly number[]): Drawn {
  const known = drawn.get(matrix);
  if (known) return known;
  const made = drawnOf('head', matrix, {
    ...{ role: 'weight', kind: 'weights', titled: true },
    symbol: word(words.head({ name: headName(index) })),
    ...{ rows: axis(words.query, example), cols: axis(words.key, example) },
    hidden: (row, col) => col > row,
  });
  drawn.set(matrix, made);
  return made;
}
