// Chapter "Heads" computed in Node: a call for each head, with the weights written again.
import type { Tensor } from 'tril';
import { rowsOf } from '../lessons.ts';
import {
  contentOf,
  idsOf,
  positionOf,
  strictest,
  tril,
  weightsOf,
  type HeadWeights,
} from '../oracle.ts';

const words = 'the cat saw the dog chase the cat'.split(' ');
export const ids = idsOf(words);
const nobody = Array<number>(6).fill(0);
export const inputOf = (order: number[]) =>
  [nobody, ...order.map(contentOf)].map((who, place) => [
    1,
    ...who,
    ...positionOf(place),
    ...nobody,
  ]);

/** Columns of X: 1, who (six, from 1), where (six), before (six, from 13). */
const [who, before, columns] = [1, 13, 19];
/** Rows of a matrix from their nonzero columns. */
const rowsBy = (entries: readonly Readonly<Record<number, number>>[]) =>
  entries.map((row) => Array.from({ length: columns }, (_, col) => row[col] ?? 0));

/** A head of chapter "Attend" at its strictest, blind to the columns "before". */
function known(head: 'previous' | 'same' | 'first' | 'average'): HeadWeights {
  const { wq, wk, wv } = weightsOf({ head, tokens: true, strict: strictest, turn: false }, 6);
  const wider = (rows: number[][]) => rows.map((row) => [...row, ...nobody]);
  return { wq: wider(wq), wk: wider(wk), wv: wider(wv) };
}

/**
 * A head that looks for keys whose content from `shown` on equals the query's from `asked` on, in its last four
 * numbers: those of two digits. Its second number is 1 for a word and 2.5 for the start sign, since that hand points up
 * for every word.
 */
const matching = (asked: number, shown: number): HeadWeights => ({
  wq: rowsBy([{}, { 0: 24 }, ...[2, 3, 4, 5].map((i) => ({ [asked + i]: 24 }))]),
  wk: rowsBy([
    {},
    // 2.5 (1 - who) + shown, in one column if both are the same.
    shown === who ? { 0: 2.5, [who + 1]: -1.5 } : { 0: 2.5, [who + 1]: -2.5, [shown + 1]: 1 },
    ...[2, 3, 4, 5].map((i) => ({ [shown + i]: 1 })),
  ]),
  wv: rowsBy([0, 1, 2, 3, 4, 5].map((i) => ({ [who + i]: 1 }))),
});

const layers: readonly (readonly HeadWeights[])[] = [
  [known('previous'), known('same'), known('first'), known('average')],
  [matching(who, before), matching(before, who), matching(before, before), known('previous')],
];

/** A layer, with a call for each head. */
async function headsOf(layer: number, input: number[][]) {
  const core = await tril();
  const x = core.tensor(input);
  return layers[layer].map(({ wq, wk, wv }) => {
    const [q, k, v] = [wq, wk, wv].map((weight) => core.linear(x, core.tensor(weight)));
    const { output, trace } = core.attention(q, k, v, { causal: true, trace: true });
    return { q, k, v, weights: trace.weights, output };
  });
}

export const headsApart = (order: number[]) => headsOf(0, inputOf(order));

/**
 * Both layers: the second reads the input of the first, and in its last six columns the output of the first head, if
 * `writes`.
 */
export async function circuit(order: number[], writes: boolean) {
  const first = await headsApart(order);
  const found = rowsOf(first[0].output);
  const input = inputOf(order).map((row, t) => [
    ...row.slice(0, 13),
    ...(writes ? found[t] : nobody),
  ]);
  return [first, await headsOf(1, input)];
}

export function sideBySide(parts: readonly Tensor[]): number[][] {
  const all = parts.map((part) => rowsOf(part));
  return all[0].map((_, row) => all.flatMap((part) => part[row]));
}
