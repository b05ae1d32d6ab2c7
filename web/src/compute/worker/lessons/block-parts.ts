// A Transformer block put together from the core's layers, so that any part of it can be left out.
// With all parts it is the core's own transformerBlock, which the page compares it with.
import type { Activation, Tensor, TransformerBlockWeights, Tril } from 'tril';

interface BlockSizes {
  /** C, a multiple of the number of heads. */
  readonly width: number;
  readonly heads: number;
  /** F */
  readonly hidden: number;
}

export type Part = 'norm1' | 'attention' | 'residual1' | 'norm2' | 'feedForward' | 'residual2';

export interface BlockForm {
  readonly norm: 'post' | 'pre';
  readonly activation: Activation;
  readonly causal: boolean;
  readonly rotary: boolean;
  readonly off: readonly Part[];
}

type Weights = TransformerBlockWeights & { readonly 'self_attn.in_proj_weight': Tensor };

/** As PyTorch begins: evenly distributed up to sqrt(6 / (in + out)) (Glorot, Bengio 2010); no biases. */
export function randomWeights(tril: Tril, sizes: BlockSizes, seed: number): Weights {
  const { width, hidden } = sizes;
  const draw = (rows: number, cols: number, nth: number) => {
    const high = Math.sqrt(6 / (rows + cols));
    return tril.randomUniform([rows, cols], { seed: 100 * seed + nth, low: -high, high });
  };
  return {
    'self_attn.in_proj_weight': draw(3 * width, width, 1),
    'self_attn.out_proj.weight': draw(width, width, 2),
    'linear1.weight': draw(hidden, width, 3),
    'linear2.weight': draw(width, hidden, 4),
  };
}

/** What is made on the way; of attention a head each, `[H, T, ...]`. */
interface BlockSteps {
  /** Before they are turned, where positions are rotary. */
  readonly unturned: { readonly queries: Tensor; readonly keys: Tensor } | null;
  readonly queries: Tensor;
  readonly keys: Tensor;
  readonly values: Tensor;
  readonly scores: Tensor;
  readonly masked: Tensor;
  readonly weights: Tensor;
  readonly heads: Tensor;
  /** The heads side by side, `[T, C]`. */
  readonly joined: Tensor;
  readonly attention: Tensor;
  readonly residual1: Tensor;
  readonly normed1: Tensor;
  readonly hidden: Tensor;
  readonly activated: Tensor;
  readonly feedForward: Tensor;
  readonly residual2: Tensor;
  readonly normed2: Tensor;
  readonly output: Tensor;
}

/** `[H, T, D]` side by side as `[T, H * D]`. */
function joinHeads(tril: Tril, heads: Tensor): Tensor {
  const [count, rows, cols] = heads.shape.slice(-3);
  const data = heads.read();
  const joined = new Float32Array(data.length);
  for (let head = 0; head < count; ++head) {
    for (let row = 0; row < rows; ++row) {
      const from = (head * rows + row) * cols;
      joined.set(data.subarray(from, from + cols), (row * count + head) * cols);
    }
  }
  return tril.tensor([rows, count * cols], joined);
}

function attend(tril: Tril, x: Tensor, weights: Weights, heads: number, form: BlockForm) {
  const projections = {
    in_proj_weight: weights['self_attn.in_proj_weight'],
    'out_proj.weight': weights['self_attn.out_proj.weight'],
  };
  const { causal } = form;
  const { output, trace } = tril.multiHeadAttention(x, projections, { heads, causal, trace: true });
  const plain = { ...trace, unturned: null, joined: joinHeads(tril, trace.heads) };
  if (!form.rotary) return { ...plain, attention: output };
  const [queries, keys] = [trace.queries, trace.keys].map((one) => tril.rotaryPositions(one));
  const turned = tril.attention(queries, keys, trace.values, { causal, trace: true });
  const joined = joinHeads(tril, turned.output);
  return {
    ...{ ...turned.trace, queries, keys, values: trace.values },
    unturned: { queries: trace.queries, keys: trace.keys },
    ...{ heads: turned.output, joined },
    attention: tril.linear(joined, projections['out_proj.weight']),
  };
}

/** x `[T, C]`. A part that is off adds nothing; a norm that is off lets pass what comes; a residual that is off drops x. */
export function composedBlock(
  tril: Tril,
  x: Tensor,
  weights: Weights,
  heads: number,
  form: BlockForm,
): BlockSteps {
  const on = (part: Part) => !form.off.includes(part);
  const zeros = tril.zeros(x.shape);
  const normal = (part: Part, y: Tensor) => (on(part) ? tril.layerNorm(y) : y);
  const residual = (part: Part, y: Tensor, branch: Tensor) =>
    on(part) ? tril.add(y, branch) : branch;
  const pre = form.norm === 'pre';

  const before = pre ? normal('norm1', x) : x;
  const attended = attend(tril, before, weights, heads, form);
  const attention = on('attention') ? attended.attention : zeros;
  const residual1 = residual('residual1', x, attention);
  const normed1 = pre ? before : normal('norm1', residual1);

  const between = pre ? residual1 : normed1;
  const input = pre ? normal('norm2', between) : between;
  const layers = {
    'linear1.weight': weights['linear1.weight'],
    'linear2.weight': weights['linear2.weight'],
  };
  const { activation } = form;
  const { output, trace } = tril.feedForward(input, layers, { activation, trace: true });
  const feedForward = on('feedForward') ? output : zeros;
  const residual2 = residual('residual2', between, feedForward);
  const normed2 = pre ? input : normal('norm2', residual2);
  return {
    ...{ ...attended, attention, residual1, normed1, ...trace, feedForward, residual2, normed2 },
    output: pre ? residual2 : normed2,
  };
}
