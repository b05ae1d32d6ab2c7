// A Transformer of one block a tower that copies, by weights written by hand. These entries are inputs;
// everything made of them is the core's.
//
// A row is [ who | where | before | read ], C = 3 V + 4 wide, of a vocabulary of V words:
//   who     which word, one of V
//   where   its place, a clock hand (x, y, -x, -y) that turns once in 16 places: rows keep mean and variance
//   before  which word stands before it: self-attention writes it, in both towers
//   read    what cross-attention has read in the source: the next word, if all goes well
// Both texts begin with word 0, the start. The feed-forward gives back what it gets, relu(x) - relu(-x), which the norm after it divides out.
import type { MatrixData } from '../../page/protocol';

/** What the cross-attention's hand-made weights look for. */
export const modeIds = ['place', 'reverse', 'same', 'follows'] as const;
export type ModeId = (typeof modeIds)[number];

export const handWidth = 4;
export const turnsIn = 16;
export const widthOf = (words: number) => 3 * words + handWidth;

interface Mutable extends MatrixData {
  readonly data: Float32Array;
}
const zeros = (rows: number, cols: number): Mutable => ({
  ...{ rows, cols },
  data: new Float32Array(rows * cols),
});

function set(matrix: Mutable, row: number, col: number, value: number): void {
  matrix.data[row * matrix.cols + col] = value;
}

/** [count, C], or its transpose: `count` columns of a row from `from` on, times `factor`. */
function pick(count: number, rows: number, from: number, width: number, factor = 1): Mutable {
  const matrix = zeros(rows, width);
  for (let i = 0; i < count; ++i) set(matrix, i, from + i, factor);
  return matrix;
}

function transposed({ rows, cols, data }: MatrixData): Mutable {
  const matrix = zeros(cols, rows);
  for (let row = 0; row < rows; ++row) {
    for (let col = 0; col < cols; ++col) set(matrix, col, row, data[row * cols + col]);
  }
  return matrix;
}

/** Turns the hand by so many places; mirrored, the place t becomes places - t. */
function turn(
  rows: number,
  words: number,
  places: number,
  mirrored: boolean,
  gain: number,
): Mutable {
  const matrix = zeros(rows, widthOf(words));
  const angle = (2 * Math.PI * places) / turnsIn;
  const [cosine, sine] = [gain * Math.cos(angle), gain * Math.sin(angle)];
  const flip = mirrored ? -1 : 1;
  for (const half of [0, 2]) {
    const from = words + half;
    // x = sin, y = cos: sin(a +- t) = sin a cos t +- cos a sin t, cos(a +- t) = cos a cos t -+ sin a sin t
    set(matrix, half, from, flip * cosine);
    set(matrix, half, from + 1, sine);
    set(matrix, half + 1, from, -flip * sine);
    set(matrix, half + 1, from + 1, cosine);
  }
  return matrix;
}

/** What an attention finds its keys by, and how steeply. */
export interface HandMade {
  readonly weights: Readonly<Record<string, MatrixData>>;
  /** What cross-attention's queries are multiplied by. */
  readonly gain: number;
  /** D, of all attentions. */
  readonly width: number;
}

/** Weights by the names of nn.Transformer, `decoder.layers.0.multihead_attn.q_proj_weight` and so on. */
export function handMade(words: number, mode: ModeId, sourceLength: number): HandMade {
  const C = widthOf(words);
  const D = Math.max(handWidth, words);
  const [who, where, before, read] = [0, words, words + handWidth, 2 * words + handWidth];
  const write = (to: number) => transposed(pick(words, D, to, C));
  // Scores of neighbouring places differ by 2 gain (1 - cos 22.5 degrees) / sqrt(D): by 6 here. After a
  // norm every number is about sqrt(C / 4) times as large, in queries and keys alike.
  const steep = 40 * Math.sqrt(D);
  const onPlaces = (4 * steep) / C;
  const onWords = (28 * Math.sqrt(D)) / C;
  const self = {
    q_proj_weight: turn(D, words, -1, false, steep),
    k_proj_weight: pick(handWidth, D, where, C),
    v_proj_weight: pick(words, D, who, C),
    'out_proj.weight': write(before),
  };
  const gain = mode === 'place' || mode === 'reverse' ? onPlaces : onWords;
  // Before the first word there is none: it finds itself, which must not count.
  const afterStart = pick(words, D, before, C);
  set(afterStart, 0, who, -1);
  const finds = {
    place: [turn(D, words, 1, false, gain), pick(handWidth, D, where, C)],
    reverse: [turn(D, words, sourceLength - 1, true, gain), pick(handWidth, D, where, C)],
    same: [pick(words, D, who, C, gain), pick(words, D, who, C)],
    follows: [pick(words, D, who, C, gain), afterStart],
  }[mode];
  const cross = {
    ...{ q_proj_weight: finds[0], k_proj_weight: finds[1] },
    v_proj_weight: pick(words, D, who, C),
    'out_proj.weight': write(read),
  };
  const both = zeros(2 * C, C);
  for (let i = 0; i < C; ++i) {
    set(both, i, i, 1);
    set(both, C + i, i, -1);
  }
  const network = { 'linear1.weight': both, 'linear2.weight': transposed(both) };
  const named = (prefix: string, weights: Record<string, MatrixData>) =>
    Object.entries(weights).map(([name, matrix]) => [`${prefix}.${name}`, matrix] as const);
  return {
    weights: Object.fromEntries([
      ...named('encoder.layers.0.self_attn', self),
      ...named('encoder.layers.0', network),
      ...named('decoder.layers.0.self_attn', self),
      ...named('decoder.layers.0.multihead_attn', cross),
      ...named('decoder.layers.0', network),
    ]),
    ...{ gain, width: D },
  };
}

/** From the decoder's output to a score a word: what was read, times 3, [V, C]. */
export function generator(words: number): MatrixData {
  return pick(words, words, 2 * words + handWidth, widthOf(words), 3);
}

/** Words and hands to their columns, [C, V] and [C, 2], as a linear layer takes them. */
export function placing(words: number): { readonly who: MatrixData; readonly where: MatrixData } {
  const hand = zeros(widthOf(words), 2);
  for (const i of [0, 1]) {
    set(hand, words + i, i, 1);
    set(hand, words + 2 + i, i, -1);
  }
  return { who: transposed(pick(words, words, 0, widthOf(words))), where: hand };
}

/**
 * Additive attention that finds what is equal to the query: v . tanh(w_q [q | 1] + w_k k) with two units a
 * number, tanh(1 + d) + tanh(1 - d) of the distance d = q / gain - k, greatest where d is 0.
 */
export function additiveWeights(D: number, gain: number) {
  const w_q = zeros(2 * D, D + 1);
  const w_k = zeros(2 * D, D);
  for (let i = 0; i < D; ++i) {
    for (const [unit, sign] of [
      [i, 1],
      [D + i, -1],
    ]) {
      set(w_q, unit, i, sign / gain);
      set(w_q, unit, D, 1);
      set(w_k, unit, i, -sign);
    }
  }
  return { w_q, w_k, v: new Float32Array(2 * D).fill(3) };
}
