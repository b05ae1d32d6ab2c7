// torch.nn.functional, as far as notebooks on attention need it.
import { arithmetic, converted, elementwise, reshaped, unary } from '../arrays/arithmetic.js';
import { ArrayValue, sizeOf } from '../arrays/array.js';
import { shapeText } from '../../error.js';
import { upTo } from '../../graph/operations/common.js';
import { swapAxes } from '../arrays/moves.js';
import { matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import { definer, number, integer, integers } from '../language/signature.js';
import { Float, type Value } from '../language/values.js';
import { maskedFill, sigmoid } from './array-calls.js';
import { dtypeOf, tensorOf } from './make-arrays.js';

/** `x W^T + b` */
export function linear(
  x: ArrayValue,
  weight: ArrayValue,
  bias: ArrayValue | undefined,
): ArrayValue {
  const [width, wanted] = [x.shape.at(-1)!, weight.shape.at(-1)!];
  if (width !== wanted) {
    const rows = sizeOf(x.shape.slice(0, -1));
    raise(
      'RuntimeError',
      `mat1 and mat2 shapes cannot be multiplied (${rows}x${width} and ${wanted}x${weight.shape[0]})`,
    );
  }
  const { recorder } = x;
  const inputs = [
    reshaped(recorder, x.recorded, x.shape),
    weight.recorded,
    ...(bias ? [bias.recorded] : []),
  ];
  const shape = [...x.shape.slice(0, -1), weight.shape[0]!];
  return x.like(reshaped(recorder, recorder.make('linear', inputs), shape), shape, 'float32');
}

export function layerNorm(
  x: ArrayValue,
  sizes: readonly number[],
  weight: ArrayValue | undefined,
  bias: ArrayValue | undefined,
  eps: number,
): ArrayValue {
  const axes = upTo(sizes.length).map((i) => i - sizes.length);
  if (axes.some((axis, i) => x.shape.at(axis) !== sizes[i])) {
    const text = `Given normalized_shape=${shapeText(sizes)}, expected input with shape [*, ${sizes.join(', ')}], but got input of size${shapeText(x.shape)}`;
    raise('RuntimeError', text);
  }
  if (sizes.length === 1) {
    const inputs = [x, weight, weight && bias].flatMap((each) => (each ? [each.recorded] : []));
    return x.like(x.recorder.make('layerNorm', inputs, { eps }), x.shape);
  }
  const by = { axes, keepDims: true };
  const difference = arithmetic('-', x, reduce.mean(x, by));
  const scaled = arithmetic(
    '/',
    difference,
    unary('sqrt', arithmetic('+', reduce.variance(x, by, 0), new Float(eps))),
  );
  const weighted = weight ? arithmetic('*', scaled, weight) : scaled;
  return bias ? arithmetic('+', weighted, bias) : weighted;
}

export function embedding(ids: ArrayValue, table: ArrayValue): ArrayValue {
  if (ids.dtype !== 'int64')
    raise(
      'RuntimeError',
      `Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor instead (while checking arguments for embedding)`,
    );
  if (ids.numbers().some((id) => id < 0 || id >= table.shape[0]!))
    raise('IndexError', 'index out of range in self');
  const shape = [...ids.shape, table.shape[1]!];
  const { recorder } = table;
  return table.like(
    reshaped(recorder, recorder.make('embedding', [ids.recorded, table.recorded]), shape),
    shape,
  );
}

function crossEntropy(logits: ArrayValue, targets: ArrayValue): ArrayValue {
  if (logits.rank !== 2 || targets.rank !== 1) {
    raise(
      logits.rank < 2 ? 'ValueError' : 'RuntimeError',
      'cross_entropy takes logits [N, V] and targets [N] here; reshape with view(-1, V) and view(-1)',
    );
  }
  if (logits.shape[0] !== targets.shape[0]) {
    raise(
      'ValueError',
      `Expected input batch_size (${logits.shape[0]}) to match target batch_size (${targets.shape[0]}).`,
    );
  }
  return logits.like(logits.recorder.make('crossEntropy', [logits.recorded, targets.recorded]), []);
}

/** The attention of PyTorch's call, in small steps, so that each can be traced. */
function attention(
  q: ArrayValue,
  k: ArrayValue,
  v: ArrayValue,
  mask: Value,
  causal: boolean,
): ArrayValue {
  let scores = arithmetic(
    '/',
    matmul(q, swapAxes(k, -1, -2)),
    new Float(Math.sqrt(q.shape.at(-1)!)),
  );
  if (causal) scores = scores.like(scores.recorder.make('mask', [scores.recorded]), scores.shape);
  if (mask instanceof ArrayValue) {
    if (mask.dtype !== 'bool') scores = arithmetic('+', scores, mask);
    else scores = maskedFill(scores, arithmetic('==', mask, false), new Float(-Infinity));
  }
  return matmul(reduce.softmax(scores, -1), v);
}

export const optional = (value: Value | undefined): ArrayValue | undefined =>
  value instanceof ArrayValue ? value : undefined;

export function functional(): Map<string, Value> {
  const names = new Map<string, Value>();
  const add = definer(names);
  const axisOf = (dim: Value, x: ArrayValue) =>
    dim === null ? (x.rank === 0 || x.rank === 1 || x.rank === 3 ? 0 : 1) : integer(dim, 'dim');
  for (const [name, isLog] of [
    ['softmax', false],
    ['log_softmax', true],
  ] as const) {
    add(name, 'input, dim=None, dtype=None', ({ input, dim, dtype }) => {
      const own = tensorOf(name, input!);
      const x = converted(own, dtypeOf(dtype!, 'torch') ?? own.dtype);
      return reduce.softmax(x, axisOf(dim!, x), isLog);
    });
  }
  for (const name of ['relu', 'tanh', 'silu'])
    add(name, 'input', ({ input }) => unary(name, tensorOf(name, input!)));
  add('gelu', "input, approximate='none'", ({ input, approximate }) => {
    if (approximate !== 'none') raise('NotImplementedError', 'gelu is exact here');
    return unary('gelu', tensorOf('gelu', input!));
  });
  add('sigmoid', 'input', ({ input }) => sigmoid(tensorOf('sigmoid', input!)));
  add('linear', 'input, weight, bias=None', ({ input, weight, bias }) =>
    linear(tensorOf('linear', input!), tensorOf('linear', weight!), optional(bias)),
  );
  add(
    'layer_norm',
    'input, normalized_shape, weight=None, bias=None, eps=1e-5',
    ({ input, normalized_shape: shape, weight, bias, eps }) =>
      layerNorm(
        tensorOf('layer_norm', input!),
        integers(shape!, 'normalized_shape'),
        optional(weight),
        optional(bias),
        number(eps!, 'eps'),
      ),
  );
  add('embedding', 'input, weight', ({ input, weight }) =>
    embedding(tensorOf('embedding', input!), tensorOf('embedding', weight!)),
  );
  add('cross_entropy', 'input, target', ({ input, target }) =>
    crossEntropy(tensorOf('cross_entropy', input!), tensorOf('cross_entropy', target!)),
  );
  add('mse_loss', 'input, target', ({ input, target }) => {
    const difference = arithmetic('-', tensorOf('mse_loss', input!), target!);
    return reduce.mean(arithmetic('*', difference, difference), {
      axes: undefined,
      keepDims: false,
    });
  });
  // Dropout does nothing, as in a model in evaluation.
  add('dropout', 'input, p=0.5, training=True', ({ input }) => input!);
  add('one_hot', 'input, num_classes=-1', ({ input, num_classes }) => {
    const x = tensorOf('one_hot', input!);
    const given = integer(num_classes!, 'num_classes');
    const count = given < 0 ? x.numbers().reduce((a, b) => Math.max(a, b), -1) + 1 : given;
    x.recorder.check([...x.shape, count]);
    const all = [...x.numbers()].flatMap((id) => upTo(count).map((i) => Number(i === id)));
    return x.like(x.recorder.constant([...x.shape, count], all), [...x.shape, count]);
  });
  add('normalize', 'input, p=2.0, dim=1, eps=1e-12', ({ input, p, dim, eps }) => {
    const x = tensorOf('normalize', input!);
    if (number(p!, 'p') !== 2)
      raise('NotImplementedError', 'normalize divides by the norm of p=2 here');
    const by = { axes: [integer(dim!, 'dim')], keepDims: true };
    const norm = unary('sqrt', reduce.sum(arithmetic('*', x, x), by));
    return arithmetic('/', x, elementwise('maximum', norm, new Float(number(eps!, 'eps'))));
  });
  add(
    'scaled_dot_product_attention',
    'query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False',
    (args) => {
      const [q, k, v] = ['query', 'key', 'value'].map((name) =>
        tensorOf('scaled_dot_product_attention', args[name]!),
      );
      return attention(q!, k!, v!, args['attn_mask']!, args['is_causal'] === true);
    },
  );
  return names;
}
