// Methods of PyTorch's tensors.
import { upTo } from '../../graph/operations/common.js';
import { arithmetic, converted, elementwise, inverted, unary } from '../arrays/arithmetic.js';
import { ArrayValue, sizeOf, type DtypeName } from '../arrays/array.js';
import { axisIn, expandDims, part, reshape, squeeze, transpose, viewAs } from '../arrays/moves.js';
import { matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import { truth } from '../language/comparisons.js';
import { type Args, integer, integers, number } from '../language/signature.js';
import { Float, Tuple, type Value } from '../language/values.js';
import {
  absolute,
  choose,
  clip,
  diag,
  expand,
  extreme,
  flip,
  gather,
  isAll,
  isClose,
  isEqual,
  logSumExp,
  maskedFill,
  other,
  repeat,
  roll,
  round,
  sigmoid,
  sort,
  splitSizes,
  tile,
  topk,
} from './array-calls.js';
import { finite, finiteSignature, kinds, logical, plainFunctions } from './elementwise.js';
import { along, axisOrNone, dtypeOf } from './make-arrays.js';
import { type Call, filled, type Methods, reduction, shapeValue, spread, swap } from './methods.js';

type Method = Methods[string];

const floats = (name: string): Method => ['', ({ self }) => unary(name, self)];
const cast = (dtype: DtypeName): Method => ['', ({ self }) => converted(self, dtype)];
const sign = (operator: string): Method => [
  'other',
  ({ self, other: b }) => arithmetic(operator, self, b!),
];
const elementwiseOf = (calls: Readonly<Record<string, (x: ArrayValue) => Value>>): Methods =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, ['', ({ self }) => call(self)]]),
  );
const ofTwo = (call: (x: ArrayValue, y: ArrayValue) => Value): Method => [
  'other',
  ({ self, other: b }) => call(self, other(self, b!)),
];
const { floor, ceil, ...others } = plainFunctions as Record<'floor' | 'ceil', Plain>;
type Plain = (x: ArrayValue) => ArrayValue;
/** Integers stay unchanged. */
const ofFloats =
  (call: Plain): Plain =>
  (x) =>
    x.dtype === 'int64' ? x : call(x);
const tolerances = 'other, rtol=1e-5, atol=1e-8, equal_nan=False';
const same: Method = ['*args', ({ self }) => self];
const reduced = (call: Call): Method => ['axis=None, keepdims=False', call];
const most = (which: 'max' | 'min'): Method =>
  reduced(({ self, axis, keepdims }) => extreme(self, which, axis!, keepdims!));
const spreads = (name: 'variance' | 'deviation'): Method => [
  'axis=None, unbiased=True, keepdims=False, *, correction=None',
  spread(name, ({ unbiased, correction }: Args) =>
    correction === null ? Number(truth(unbiased!)) : number(correction!, 'correction'),
  ),
];
const product: Method = ['other', ({ self, other: b }) => matmul(self, other(self, b!))];
const triangle = (isUpper: boolean): Method => [
  'diagonal=0',
  ({ self, diagonal }) => reduce.triangle(self, integer(diagonal!, 'diagonal'), isUpper),
];
const softmax = (isLog: boolean): Method => [
  'axis',
  ({ self, axis }) => reduce.softmax(self, integer(axis!, 'dim'), isLog),
];

export const torchMethods: Methods = {
  sum: ['axis=None, keepdims=False, *, dtype=None', reduction('sum')],
  mean: ['axis=None, keepdims=False, *, dtype=None', reduction('mean')],
  any: reduced(reduction('any')),
  all: reduced(reduction('all')),
  max: most('max'),
  min: most('min'),
  amax: reduced(reduction('max')),
  amin: reduced(reduction('min')),
  argmax: reduced(reduction('argmax')),
  argmin: reduced(reduction('argmin')),
  var: spreads('variance'),
  std: spreads('deviation'),
  cumsum: ['axis', ({ self, axis }) => reduce.cumulativeSum(self, integer(axis!, 'dim'))],
  flatten: [
    'start_dim=0, end_dim=-1',
    ({ self, start_dim, end_dim }) => {
      if (self.rank === 0) return reshape(self, [1]);
      const first = axisIn(self, integer(start_dim!, 'start_dim'));
      const last = axisIn(self, integer(end_dim!, 'end_dim'));
      const size = sizeOf(self.shape.slice(first, last + 1));
      return reshape(self, [...self.shape.slice(0, first), size, ...self.shape.slice(last + 1)]);
    },
  ],
  view: ['*shape', ({ self, shape }) => viewAs(self, integers(shape!, 'shape'))],
  view_as: ['other', ({ self, other: b }) => viewAs(self, other(self, b!).shape)],
  permute: ['*dims', ({ self, dims }) => transpose(self, integers(dims!, 'dims'))],
  transpose: swap('dim0', 'dim1'),
  swapaxes: swap('axis0', 'axis1'),
  t: [
    '',
    ({ self }) =>
      self.rank <= 2
        ? transpose(self, upTo(self.rank).reverse())
        : raise(
            'RuntimeError',
            `t() expects a tensor with <= 2 dimensions, but self is ${self.rank}D`,
          ),
  ],
  contiguous: ['', ({ self }) => (self.isContiguous ? self : self.copy())],
  is_contiguous: ['', ({ self }) => self.isContiguous],
  clone: ['', ({ self }) => self.copy()],
  unsqueeze: ['axis', ({ self, axis }) => expandDims(self, [integer(axis!, 'dim')])],
  expand: ['*sizes', ({ self, sizes }) => expand(self, integers(sizes!, 'sizes'))],
  expand_as: ['other', ({ self, other: b }) => expand(self, other(self, b!).shape)],
  repeat: ['*sizes', ({ self, sizes }) => tile(self, integers(sizes!, 'sizes'))],
  repeat_interleave: [
    'repeats, axis=None',
    ({ self, repeats, axis }) => repeat(self, repeats!, axis!),
  ],
  size: [
    'axis=None',
    ({ self, axis }) =>
      axis === null ? shapeValue(self) : self.shape[axisIn(self, integer(axis!, 'dim'))]!,
  ],
  dim: ['', ({ self }) => self.rank],
  numel: ['', ({ self }) => self.size],
  softmax: softmax(false),
  log_softmax: softmax(true),
  masked_fill: [
    'mask, value',
    ({ self, mask, value }) => maskedFill(self, other(self, mask!), value!),
  ],
  masked_fill_: [
    'mask, value',
    ({ self, mask, value }) => {
      self.become(maskedFill(self, other(self, mask!), value!).recorded);
      return self;
    },
  ],
  tril: triangle(false),
  triu: triangle(true),
  matmul: product,
  mm: product,
  bmm: product,
  split: ['size, axis=0', ({ self, size, axis }) => splitSizes(self, size!, integer(axis!, 'dim'))],
  chunk: [
    'chunks, axis=0',
    ({ self, chunks, axis }) => {
      const at = axisIn(self, integer(axis!, 'dim'));
      const size = Math.ceil(self.shape[at]! / integer(chunks!, 'chunks'));
      return splitSizes(self, Math.max(1, size), at);
    },
  ],
  unbind: [
    'axis=0',
    ({ self, axis }) => {
      const at = axisIn(self, integer(axis!, 'dim'));
      return new Tuple(upTo(self.shape[at]!).map((i) => squeeze(part(self, at, i, i + 1), [at])));
    },
  ],
  gather: [
    'axis, index',
    ({ self, axis, index }) => gather(self, integer(axis!, 'dim'), other(self, index!)),
  ],
  fill_: ['value', ({ self, value }) => filled(self, value!)],
  zero_: ['', ({ self }) => filled(self, 0)],
  copy_: ['other', ({ self, other: b }) => filled(self, converted(other(self, b!), self.dtype))],
  clamp: ['min=None, max=None', ({ self, min, max }) => clip(self, min!, max!)],
  pow: sign('**'),
  add: sign('+'),
  sub: sign('-'),
  mul: sign('*'),
  div: sign('/'),
  eq: sign('=='),
  ne: sign('!='),
  lt: sign('<'),
  le: sign('<='),
  gt: sign('>'),
  ge: sign('>='),
  exp: floats('exp'),
  log: floats('log'),
  sqrt: floats('sqrt'),
  tanh: floats('tanh'),
  relu: floats('relu'),
  abs: ['', ({ self }) => absolute(self)],
  neg: ['', ({ self }) => arithmetic('*', self, -1)],
  square: ['', ({ self }) => arithmetic('*', self, self)],
  sigmoid: ['', ({ self }) => sigmoid(self)],
  float: cast('float32'),
  double: cast('float64'),
  long: cast('int64'),
  int: cast('int64'),
  bool: cast('bool'),
  to: [
    '*args, dtype=None, device=None, copy=False',
    ({ self, args, dtype }) => {
      const all = [dtype!, ...(args as Tuple).items];
      const type = all.find((each) => typeof each === 'object' && each);
      if (type instanceof ArrayValue) return converted(self, type.dtype);
      return type ? converted(self, dtypeOf(type, 'torch')!) : self;
    },
  ],
  type_as: ['other', ({ self, other: b }) => converted(self, other(self, b!).dtype)],
  detach: same,
  cpu: same,
  cuda: same,
  requires_grad_: same,
  numpy: [
    '',
    ({ self }) => new ArrayValue(self.recorder, self.recorded, self.shape, self.dtype, 'numpy'),
  ],
  round: ['', ({ self }) => round(self, 0)],
  ...elementwiseOf({
    ...others,
    ...kinds,
    ...{ floor: ofFloats(floor), ceil: ofFloats(ceil), bitwise_not: inverted },
    logical_not: (x) => elementwise('equal', x, 0),
    reciprocal: (x) => arithmetic('/', 1, x),
    rsqrt: (x) => arithmetic('**', x, new Float(-0.5)),
  }),
  ...Object.fromEntries(Object.entries(logical).map(([name, call]) => [name, ofTwo(call)])),
  maximum: ofTwo((x, y) => elementwise('maximum', x, y)),
  minimum: ofTwo((x, y) => elementwise('minimum', x, y)),
  outer: ofTwo((x, y) => arithmetic('*', expandDims(x, [1]), y)),
  equal: ofTwo(isEqual),
  isclose: [tolerances, (args) => isClose(args.self, other(args.self, args['other']!), args)],
  allclose: [
    tolerances,
    (args) => isAll(isClose(args.self, other(args.self, args['other']!), args)),
  ],
  diag: ['', ({ self }) => diag(self)],
  where: [
    'condition, other',
    ({ self, condition, other: b }) => choose(other(self, condition!), self, b!),
  ],
  nan_to_num: [finiteSignature, (args) => finite(args.self, args)],
  flip: ['*axis', ({ self, axis }) => flip(self, integers(axis!, 'dims'))],
  roll: [
    'shifts, axis=None',
    ({ self, shifts, axis }) => roll(self, integer(shifts!, 'shifts'), axisOrNone(axis!)),
  ],
  topk: [
    'k, axis=-1, largest=True, sorted=True',
    ({ self, k, axis, largest }) =>
      topk(self, integer(k!, 'k'), integer(axis!, 'dim'), truth(largest!)),
  ],
  argsort: [
    'axis=-1, descending=False',
    ({ self, axis, descending }) => sort(self, integer(axis!, 'dim'), truth(descending!)).order,
  ],
  logsumexp: [
    'axis, keepdims=False',
    ({ self, axis, keepdims }) => logSumExp(self, integer(axis!, 'dim'), truth(keepdims!)),
  ],
  norm: ['', ({ self }) => unary('sqrt', reduce.sum(arithmetic('*', self, self), along(null)))],
  sort: [
    'axis=-1, descending=False',
    ({ self, axis, descending }) => {
      const { values, order } = sort(self, integer(axis!, 'dim'), truth(descending!));
      return new Tuple([values, order], 'torch.return_types.sort');
    },
  ],
};
