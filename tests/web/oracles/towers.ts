// Chapter "Two towers" computed in Node: one call of the core's transformer, with the hand-made weights written again.
import type { Tensor, Tril } from 'tril';
import type { ModeId } from '../../../web/src/compute/shared/handmade/towers-weights.ts';
import { rowsOf, type Rows } from '../lessons.ts';

export const start = '‹s›';
const words = 'the red house by the lake'.split(' ');
export const vocabulary = [start, ...new Set(words)];
const ids = (tokens: string[]) => tokens.map((word) => vocabulary.indexOf(word));
export const source = ids([start, ...words]);
export const inputs = ids([start, ...words.slice(0, -1)]);

export const full = (
  rows: number,
  cols: number,
  sees = (_row: number, _col: number) => true,
): Rows =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: cols }, (__, col) => Number(sees(row, col))),
  );

export interface Masks {
  source: Rows;
  target: Rows;
  memory: Rows;
}
export const masks = (): Masks => ({
  source: full(7, 7),
  target: full(6, 6, (row, col) => col <= row),
  memory: full(6, 7),
});

/** A row of the towers: who (a column per word), where (a hand and its opposite), before and read (as who). */
const V = vocabulary.length;
const [who, where, before, read] = [0, V, V + 4, 2 * V + 4];
const C = 3 * V + 4;
/** The width of queries, keys and values: the number of words. */
const D = V;

/** A matrix [count, C] from the nonzero columns of row i. */
const matrix = (count: number, entries: (i: number) => Readonly<Record<number, number>>): Rows =>
  full(count, C).map((row, i) => row.map((_, col) => entries(i)[col] ?? 0));
const across = (rows: Rows): Rows => rows[0].map((_, col) => rows.map((row) => row[col]));

/** A full turn takes 16 positions; the hand points up at 0. */
const angleOf = (places: number) => (Math.PI / 8) * places;
/** Takes `count` columns from `from` on, times `factor`; further rows are 0. */
const take = (count: number, from: number, factor = 1) =>
  matrix(D, (i) => (i < count ? { [from + i]: factor } : {}));

/** Turns the hand of position t into that of position by + t, or of by - t; the opposite hand turns along. */
function moved(by: number, sign: 1 | -1, factor: number): Rows {
  const [x, y] = [Math.sin(angleOf(by)), Math.cos(angleOf(by))].map((one) => factor * one);
  return matrix(D, (i) => {
    if (i >= 4) return {};
    const [side, up] = i < 2 ? [where, where + 1] : [where + 2, where + 3];
    return i % 2 === 0 ? { [side]: sign * y, [up]: x } : { [side]: -sign * x, [up]: y };
  });
}

const isOfPlaces = (mode: ModeId) => mode === 'place' || mode === 'reverse';
/** The factor of queries in the attention between the towers. */
const gainOf = (mode: ModeId) => ((isOfPlaces(mode) ? 160 : 28) * Math.sqrt(D)) / C;

function attentionOf(queries: Rows, keys: Rows, to: number) {
  return {
    ...{ q_proj_weight: queries, k_proj_weight: keys, v_proj_weight: take(V, who) },
    'out_proj.weight': across(take(V, to)),
  };
}

function weightsOf(mode: ModeId): Record<string, Rows> {
  const self = attentionOf(moved(-1, 1, 40 * Math.sqrt(D)), take(4, where), before);
  const gain = gainOf(mode);
  const queries = {
    place: () => moved(1, 1, gain),
    reverse: () => moved(source.length - 1, -1, gain),
    same: () => take(V, who, gain),
    follows: () => take(V, who, gain),
  }[mode]();
  // The start found itself before it, which does not count.
  const follows = matrix(D, (i) => ({ [before + i]: 1, ...(i === 0 && { [who]: -1 }) }));
  const keys = {
    ...{ place: take(4, where), reverse: take(4, where) },
    ...{ same: take(V, who), follows },
  }[mode];
  // relu(x) - relu(-x) is x.
  const both = matrix(2 * C, (i) => (i < C ? { [i]: 1 } : { [i - C]: -1 }));
  const network = { 'linear1.weight': both, 'linear2.weight': across(both) };
  const named = (prefix: string, weights: Record<string, Rows>) =>
    Object.fromEntries(Object.entries(weights).map(([name, one]) => [`${prefix}.${name}`, one]));
  return {
    ...named('encoder.layers.0.self_attn', self),
    ...named('encoder.layers.0', network),
    ...named('decoder.layers.0.self_attn', self),
    ...named('decoder.layers.0.multihead_attn', attentionOf(queries, keys, read)),
    ...named('decoder.layers.0', network),
  };
}

function embedded(core: Tril, tokens: number[]): Tensor {
  return core.tensor(
    tokens.map((word, place) => {
      const [x, y] = [Math.sin(angleOf(place)), Math.cos(angleOf(place))];
      const row = Array<number>(C).fill(0);
      row[who + word] = 1;
      row.splice(where, 4, x, y, -x, -y);
      return row;
    }),
  );
}

export function towers(core: Tril, mode: ModeId, given: Masks, taught = inputs) {
  const weights = Object.fromEntries(
    Object.entries(weightsOf(mode)).map(([name, rows]) => [name, core.tensor(rows)]),
  );
  const mask = (rows: Rows) => core.mask.dense(core.tensor(rows), { kind: 'boolean' });
  const result = core.transformer(embedded(core, source), embedded(core, taught), weights, {
    ...{ heads: 1, trace: true },
    sourceMask: mask(given.source),
    targetMask: mask(given.target),
    memoryMask: mask(given.memory),
  });
  // The words that were read, times 3.
  const scores = core.linear(result.output, core.tensor(take(V, read, 3)));
  const chances = rowsOf(core.softmax(scores));
  return { ...result, chances };
}

/** Additive scores: tanh(1 + d) + tanh(1 - d) of the distance d = q / gain - k, times 3, implemented again. */
export function additiveScores(queries: Rows, keys: Rows, mode: ModeId): Rows {
  const gain = gainOf(mode);
  return queries.map((query) =>
    keys.map((key) =>
      query.reduce((sum, value, i) => {
        const distance = value / gain - key[i];
        return sum + 3 * (Math.tanh(1 + distance) + Math.tanh(1 - distance));
      }, 0),
    ),
  );
}
