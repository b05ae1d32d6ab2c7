// Results of attention and its gradients with mistakes: tril/notebook has the correct steps, and the frequent mistakes
// as edits of them.
import type { Tensor, Tril } from 'tril';
import { edit, run, type GraphEdit } from 'tril/graph';
import { attentionSteps } from 'tril/notebook';
import { asMask, maskAxes, type MaskReading } from '../../shared/lessons/file-mask';
import { dataOf, tensorOf, type TensorData } from '../../shared/lessons/layouts';

const { forward, backward } = attentionSteps;
/** Mistakes that are shared with the exercises: edits of the steps between Q and K. */
export const { mistakes } = attentionSteps;

/** An edit that adds a node. */
export const adds = (
  name: string,
  operation: string,
  inputs: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): GraphEdit => ({ add: { name, operation, inputs, options } });

/**
 * Repeats the heads of x, [B, Hk, S, D], until there are `heads`: each beside its copies, or with `inTurn` all of them
 * in turn.
 */
export function filled(tril: Tril, x: Tensor, heads: number, inTurn = false): Tensor {
  const [batches, own, ...one] = x.shape;
  if (own === heads) return x;
  const from = Array.from({ length: batches * heads }, (_, i) =>
    inTurn ? Math.floor(i / heads) * own + (i % own) : Math.floor((i * own) / heads),
  );
  const all = tril.embedding(from, tril.reshape(x, [batches * own, one[0] * one[1]]));
  return tril.reshape(all, [batches, heads, ...one]);
}

/**
 * Computes one step, `result`, of attention with Q, K and V, [B, H, ., D], after these edits; or of its backward pass
 * if d_output is given.
 */
export function changed(
  tril: Tril,
  { mask, ...inputs }: Readonly<Record<string, TensorData>>,
  { causal, reading = 'look' }: { readonly causal: boolean; readonly reading?: MaskReading },
  edits: readonly GraphEdit[],
  result: string,
): TensorData {
  const [batches, heads, queries] = inputs.Q.shape;
  const scores = [batches, heads, queries, inputs.K.shape[2]];
  const given: Record<string, Tensor> = {};
  for (const [name, one] of Object.entries(inputs))
    given[name] = filled(tril, tensorOf(tril, one), heads);
  const right = (inputs.d_output ? backward : forward)({ name: '', inputs: given });
  if (mask) {
    const dense = asMask(tril, mask, reading, scores);
    given.mask = tril.mask.toTensor(dense, maskAxes(mask.shape, scores));
  }
  const hidden = causal ? 'masked' : 'scores';
  const { nodes } = edit(right, [
    ...(causal ? [adds('masked', 'mask', ['scores'])] : []),
    ...(mask ? [adds('mask', 'input', [], { shape: given.mask.shape })] : []),
    ...(mask ? [adds('added', 'add', [hidden, 'mask'])] : []),
    { rewire: 'weights', input: 'x', to: mask ? 'added' : hidden },
    ...edits,
  ]);
  const needed = new Set([result]);
  // The loop also visits the elements that it adds.
  for (const name of needed)
    for (const each of nodes.find((node) => node.name === name)!.inputs) needed.add(each);
  const used = Object.entries(given).filter(([name]) => needed.has(name));
  const graph = { nodes: nodes.filter(({ name }) => needed.has(name)) };
  return dataOf(run(tril, graph, Object.fromEntries(used))[result]);
}
