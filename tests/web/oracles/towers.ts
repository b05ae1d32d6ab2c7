// Chapter "Two towers" computed in Node: one call of the core's transformer, with the same weights by hand.
import type { Tensor, Tril } from 'tril';
import {
  generator,
  handMade,
  placing,
  type ModeId,
} from '../../../web/src/compute/handmade/towers-weights.ts';
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

function embedded(core: Tril, tokens: number[]): Tensor {
  const { who, where } = placing(vocabulary.length);
  const columns = { who: rowsOf(core.tensor([who.rows, who.cols], who.data)) };
  const hands = rowsOf(core.tensor([where.rows, where.cols], where.data));
  return core.tensor(
    tokens.map((word, place) => {
      const angle = (2 * Math.PI * place) / 16;
      return columns.who.map(
        (row, i) => row[word] + hands[i][0] * Math.sin(angle) + hands[i][1] * Math.cos(angle),
      );
    }),
  );
}

export function towers(core: Tril, mode: ModeId, given: Masks, read = inputs) {
  const made = handMade(vocabulary.length, mode, source.length);
  const weights = Object.fromEntries(
    Object.entries(made.weights).map(([name, { rows, cols, data }]) => [
      name,
      core.tensor([rows, cols], data),
    ]),
  );
  const mask = (rows: Rows) => core.mask.dense(core.tensor(rows), { kind: 'boolean' });
  const result = core.transformer(embedded(core, source), embedded(core, read), weights, {
    ...{ heads: 1, trace: true },
    sourceMask: mask(given.source),
    targetMask: mask(given.target),
    memoryMask: mask(given.memory),
  });
  const { rows, cols, data } = generator(vocabulary.length);
  const chances = rowsOf(core.softmax(core.linear(result.output, core.tensor([rows, cols], data))));
  return { ...result, chances };
}

/** Additive scores: tanh(1 + d) + tanh(1 - d) of the distance d = q / gain - k, times 3, written down again. */
export function additiveScores(queries: Rows, keys: Rows, mode: ModeId): Rows {
  const { gain } = handMade(vocabulary.length, mode, source.length);
  return queries.map((query) =>
    keys.map((key) =>
      query.reduce((sum, value, i) => {
        const distance = value / gain - key[i];
        return sum + 3 * (Math.tanh(1 + distance) + Math.tanh(1 - distance));
      }, 0),
    ),
  );
}
