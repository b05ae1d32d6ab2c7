// Sampling of indices by probabilities: torch.multinomial and np.random.choice.
import type { ArrayValue, Library } from '../arrays/array.js';
import { fromNumbers } from '../arrays/make.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { worked } from '../language/work.js';
import { random } from './make-arrays.js';

interface Drawing {
  count: number;
  /** Whether an index can be drawn more than once. */
  replacement: boolean;
}

/**
 * Indices drawn from one row of weights, one for each number in [0, 1): the index at which the cumulative weight passes
 * that share of the total.
 */
function placesOf(
  weights: Float32Array,
  uniform: Float32Array,
  replacement: boolean,
): Float64Array {
  const left = Float64Array.from(weights);
  worked(left.length * uniform.length);
  return Float64Array.from(uniform, (value) => {
    const sum = left.reduce((total, weight) => total + weight, 0);
    let [rest, place] = [value * sum, -1];
    for (let i = 0; i < left.length; ++i) {
      if (left[i] === 0) continue;
      place = i; // the last one that has a chance, where rounding leaves something
      rest -= left[i]!;
      if (rest < 0) break;
    }
    if (!replacement) left[place] = 0;
    return place;
  });
}

/** Indices for every row of weights, [rows, n]. */
export function drawPlaces(
  machine: Machine,
  weights: Float32Array,
  rows: number,
  { count, replacement }: Drawing,
  library: Library,
): number[] {
  const uniform = random(machine, [rows, count], 'uniform', library).numbers();
  const width = weights.length / rows;
  return Array.from({ length: rows }, (_, row) => [
    ...placesOf(
      weights.subarray(row * width, (row + 1) * width),
      uniform.subarray(row * count, (row + 1) * count),
      replacement,
    ),
  ]).flat();
}

/** `torch.multinomial`: for weights [n] or [rows, n], which need not add up to 1, indices [count] or [rows, count]. */
export function multinomial(machine: Machine, x: ArrayValue, drawing: Drawing): ArrayValue {
  const { count, replacement } = drawing;
  const fail = (text: string) => raise('RuntimeError', text);
  if (x.rank < 1 || x.rank > 2) fail('prob_dist must be 1 or 2 dim');
  if (x.dtype === 'int64' || x.dtype === 'bool')
    fail(
      `multinomial only supports floating-point dtypes for input, got: ${x.dtype === 'bool' ? 'Bool' : 'Long'}`,
    );
  if (count <= 0) fail('cannot sample n_sample <= 0 samples');
  const width = x.shape.at(-1)!;
  if (!replacement && count > width)
    fail('cannot sample n_sample > prob_dist.size(-1) samples without replacement');
  const weights = x.numbers();
  if (weights.some((weight) => !(weight >= 0 && weight < Infinity)))
    fail('probability tensor contains either `inf`, `nan` or element < 0');
  const rows = x.rank === 1 ? 1 : x.shape[0]!;
  for (let row = 0; row < rows; ++row) {
    const positive = weights.subarray(row * width, (row + 1) * width).filter((each) => each > 0);
    if (positive.length === 0) fail('invalid multinomial distribution (sum of probabilities <= 0)');
    if (!replacement && positive.length < count)
      fail(
        'invalid multinomial distribution (with replacement=False, not enough non-negative category to sample)',
      );
  }
  const places = drawPlaces(machine, weights, rows, drawing, 'torch');
  return fromNumbers(machine.recorder, places, [...x.shape.slice(0, -1), count], 'int64', 'torch');
}

/** Checks the probabilities of `np.random.choice`; makes uniform weights where there are none. */
function chancesOf(p: ArrayValue | undefined, size: number): Float32Array {
  const fail = (text: string) => raise('ValueError', text);
  if (!p) return new Float32Array(size).fill(1);
  if (p.rank !== 1) fail("'p' must be 1-dimensional");
  if (p.shape[0] !== size) fail("'a' and 'p' must have same size");
  const chances = p.numbers();
  if (chances.some(Number.isNaN)) fail('probabilities contain NaN');
  if (chances.some((chance) => chance < 0)) fail('probabilities are not non-negative');
  const sum = chances.reduce((total, chance) => total + chance, 0);
  // The tolerance allows for the rounding of float32.
  if (!(Math.abs(sum - 1) <= size * 2 ** -24 + 2 ** -20)) fail('probabilities do not sum to 1');
  return chances;
}

/** `np.random.choice`: indices into a population, in the shape `sizes`. */
export function choosePlaces(
  machine: Machine,
  population: number,
  p: ArrayValue | undefined,
  { count, replacement }: Drawing,
): number[] {
  const fail = (text: string) => raise('ValueError', text);
  if (population <= 0 && count > 0) fail('a must be greater than 0 unless no samples are taken');
  const chances = chancesOf(p, Math.max(0, population));
  if (count === 0) return [];
  if (!replacement && count > population)
    fail("Cannot take a larger sample than population when 'replace=False'");
  if (!replacement && chances.filter((chance) => chance > 0).length < count)
    fail('Fewer non-zero entries in p than size');
  return drawPlaces(machine, chances, 1, { count, replacement }, 'numpy');
}
