// Chapter "Heads" computed in Node: each head by a call of its own.
import type { Tensor } from 'tril';
import { layers } from '../../../web/src/compute/handmade/heads-circuit.ts';
import { rowsOf } from '../lessons.ts';
import { contentOf, idsOf, positionOf, tril } from '../oracle.ts';

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
/** A layer, each head by a call of its own. */
async function headsOf(layer: number, input: number[][]) {
  const core = await tril();
  const x = core.tensor(input);
  return layers[layer].map(({ wq, wk, wv }) => {
    const [q, k, v] = [wq, wk, wv].map(({ rows, cols, data }) =>
      core.linear(x, core.tensor([rows, cols], data)),
    );
    const { output, trace } = core.attention(q, k, v, { causal: true, trace: true });
    return { q, k, v, weights: trace.weights, output };
  });
}

export const headsApart = (order: number[]) => headsOf(0, inputOf(order));

/**
 * Both layers: the second reads what the first was given, and in its last six columns what the first head has found,
 * if that writes it there.
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
