// The default programs of chapter "Write": one head without its scale, and self-attention from a notebook, by calls of
// the package.
import { loadTril, type Tensor, type Tril } from 'tril';
import { runProgram } from 'tril/notebook';
import { rowsOf, type Rows } from '../lessons.ts';

/** The exercise's normal numbers, [5, 4]. */
const given = (core: Tril, place: number) => core.randomNormal([5, 4], { seed: 100 + place });

/** e to the numbers of a row, minus the largest. */
const powers = (core: Tril, scores: Tensor) => {
  const rows = rowsOf(scores);
  return core.tensor(rows.map((row) => row.map((x) => Math.exp(x - Math.max(...row)))));
};

/** Random numbers of the notebook's generator; everything after them is computed here. */
function notebook(core: Tril): Record<string, Tensor> {
  const { tensors, values } = runProgram(
    core,
    `import numpy as np
np.random.seed(3)
X = np.random.randn(1, 4, 6)
W_KQV = np.random.randn(6, 18)
W_out = np.random.randn(6, 6)`,
  );
  const [X, W, O] = ['X', 'W_KQV', 'W_out'].map((name) => tensors[values[name].node!]);
  const x = core.reshape(X, [4, 6]);
  const [K, Q, V] = core.split(core.matmul(x, W), 3, { axis: 1 });
  const scores = core.multiply(core.matmul(K, core.transpose(Q)), 1 / Math.sqrt(6));
  const masked = core.add(scores, core.mask.toTensor(core.mask.causal(), [4, 4]));
  const weights = core.softmax(masked);
  const Y = core.matmul(core.matmul(weights, V), O);
  const sums = core.tensor([rowsOf(weights).map((row) => row.reduce((all, one) => all + one, 0))]);
  return {
    ...{ 'line4-e-0': powers(core, masked), 'line5-made-0': weights },
    ...{ 'line8-K-0': K, 'line8-Q-0': Q, 'line8-V-0': V },
    ...{ 'line9-scores-0': scores, 'line10-attn-0': weights, 'line11-made-0': Y },
    ...{ 'line15-X-0': x, 'line17-W_KQV': W, 'line18-W_out': O },
    'line16-mask': core.mask.toTensor(core.mask.causal(), [4, 4]),
    ...{ 'line19-Y-0': Y, 'line19-A-0': weights, 'line20-made': sums },
  };
}

export async function opening(): Promise<Record<string, Rows>> {
  const core = await loadTril();
  const [Q, K, V] = [0, 1, 2].map((place) => given(core, place));
  const scores = core.matmul(Q, core.transpose(K));
  const weights = core.softmax(scores);
  const head = {
    ...{ 'given-Q': Q, 'given-K': K, 'given-V': V },
    ...{ 'line4-scores': scores, 'line5-weights': weights },
    'line6-made': core.matmul(weights, V),
    ...{ 'line9-e': powers(core, scores), 'line10-made': weights },
  };
  const own = Object.entries(notebook(core)).map(([id, tensor]) => [`own-${id}`, tensor] as const);
  return Object.fromEntries(
    [...Object.entries(head), ...own].map(([id, tensor]) => [id, rowsOf(tensor)]),
  );
}
