// Costs of the computations of chapter "Check", by the core's count and in milliseconds: PyTorch's examples, and a
// visitor's own case by the shapes of its tensors.
import type { Cost, MultiHeadWeights, TransformerBlockWeights, Tril } from 'tril';
import type { Answers } from '../answers';
import type { CostData } from '../../page/protocol';
import type { Speed } from '../../shared/steady';
import { fourAxes } from './attention-variants';
import type { CheckInputs } from './check';
import { isBackward, type CheckKind } from '../../shared/lessons/check-names';
import { examples, type ExampleId } from '../../shared/lessons/golden';
import { costData } from '../../shared/lessons/matrices';
import { timed, type Call } from './timed';

/** A visitor's case without its numbers. */
interface CaseShapes {
  readonly kind: CheckKind;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly choices: CheckInputs['choices'];
}

export interface CheckCostLessons {
  proofCost: { ask: { readonly id: ExampleId }; answer: { readonly cost: CostData | null } };
  proofTime: { ask: { readonly id: ExampleId }; answer: Speed };
}

/** In a backward pass heads are always an axis. */
const attentionShapes = ({ kind, shapes, choices }: CaseShapes) =>
  ['q', 'k', 'v'].map((name) => fourAxes(shapes[name], isBackward(kind) ? 0 : choices.heads));

/**
 * The products of a backward pass, whatever the mask hides: for a linear layer two, the gradients of its input and of
 * its weight; for attention five, the recomputed scores and the gradients of the weights, of v, of q and of k.
 */
function backwardCost({ cost }: Tril, given: CaseShapes): Cost {
  const { kind, shapes } = given;
  if (kind === 'linearBackward') {
    const [cols, depth] = shapes.weight;
    const rows = shapes.x.slice(0, -1).reduce((a, b) => a * b, 1);
    return cost.sum([
      cost.matmul({ rows, depth: cols, cols: depth }),
      cost.matmul({ rows: cols, depth: rows, cols: depth }),
    ]);
  }
  const [[batches, heads, queries, width], [, , keys], v] = attentionShapes(given);
  const product = (rows: number, depth: number, cols: number) => cost.matmul({ rows, depth, cols });
  const each = [
    ...[product(queries, width, keys), product(queries, v[3], keys), product(keys, queries, v[3])],
    ...[product(queries, keys, width), product(keys, queries, width)],
  ];
  return cost.sum(Array.from({ length: batches * heads }, () => each).flat());
}

function ownCost(tril: Tril, given: CaseShapes): Cost {
  const { cost } = tril;
  const { kind, shapes, choices } = given;
  if (isBackward(kind)) return backwardCost(tril, given);
  const { causal, heads, activation } = choices;
  if (kind === 'attention') {
    const [[batches, count, queries, width], [, kvHeads, keys], v] = attentionShapes(given);
    const sizes = { batches, heads: count, kvHeads, queries, keys, width, valueWidth: v[3] };
    return cost.attention({ ...sizes, causal });
  }
  const { x } = shapes;
  const [tokens, width] = x.slice(-2);
  const batches = x.length > 2 ? x[0] : 1;
  if (kind === 'multiHead') {
    const bias = 'out_proj.bias' in shapes;
    return cost.multiHeadAttention({ batches, queries: tokens, width, heads, causal, bias });
  }
  const [hidden] = shapes['linear1.weight'];
  return cost.transformerBlock({ batches, tokens, width, heads, hidden, activation, causal });
}

function preparedOwn(tril: Tril, given: CaseShapes): () => unknown {
  const { kind, shapes, choices } = given;
  const { causal, heads, norm, activation } = choices;
  const drawn = (shape: readonly number[]) => tril.randomNormal([...shape], { seed: 1 });
  if (kind === 'linearBackward') {
    const [x, weight, d] = ['x', 'weight', 'd_output'].map((name) => drawn(shapes[name]));
    return () => tril.linearBackward(d, x, weight);
  }
  if (kind === 'attention' || kind === 'attentionBackward') {
    const [q, k, v] = attentionShapes(given).map(drawn);
    if (kind === 'attention') return () => tril.attention(q, k, v, { causal });
    const { output, logSumExp } = tril.attention(q, k, v, { causal, logSumExp: true });
    const d = drawn(output.shape);
    return () => tril.attentionBackward(d, q, k, v, { causal, output, logSumExp });
  }
  const { x, ...weights } = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, drawn(shape)]),
  );
  return kind === 'multiHead'
    ? () => tril.multiHeadAttention(x, weights as unknown as MultiHeadWeights, { heads, causal })
    : () =>
        tril.transformerBlock(x, weights as unknown as TransformerBlockWeights, {
          ...{ heads, causal, norm, activation },
        });
}

export const ownCall: Call<CaseShapes> = (tril, given) => ({
  cost: ownCost(tril, given),
  prepare: () => preparedOwn(tril, given),
});

export const checkCostAnswers: Answers<CheckCostLessons> = {
  proofCost(tril, { id }) {
    const { inputs, cost } = examples[id];
    return { cost: cost && costData(tril, cost(tril, inputs(tril))) };
  },

  proofTime(tril, { id }) {
    const { inputs, call, cost } = examples[id];
    const given = inputs(tril);
    return timed(tril, ['proof', id], cost?.(tril, given) ?? { flops: 0 }, call(tril, given));
  },
};
