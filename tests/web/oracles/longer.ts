// Chapter "Longer" computed in Node: what it attends with.
import type { Tensor, Tril } from 'tril';

/** The chapter's random Q, K, V, [1, 1, T, 4] each. */
export function inputs(core: Tril, tokens = 8, seed = 1): [Tensor, Tensor, Tensor] {
  const all = core.randomNormal([3, tokens, 4], { seed }).read();
  const size = 4 * tokens;
  const part = (i: number) => core.tensor([1, 1, tokens, 4], all.slice(i * size, (i + 1) * size));
  return [part(0), part(1), part(2)];
}
