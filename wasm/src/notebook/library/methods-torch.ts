// Methods of PyTorch's tensors.
import { upTo } from '../../graph/operations/common.js';
import {
  arithmetic,
  converted,
  elementwise,
  recordedOf,
  repeatedTo,
  unary,
} from '../arrays/arithmetic.js';
import { ArrayValue, type DtypeName } from '../arrays/array.js';
import { axisIn, expandDims, part, squeeze, swapAxes, transpose, viewAs } from '../arrays/moves.js';
import { matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import { number, integer, integers } from '../language/signature.js';
import { Tuple } from '../language/values.js';
import {
  clip,
  expand,
  extreme,
  gather,
  maskedFill,
  other,
  repeat,
  round,
  sigmoid,
  sort,
  splitSizes,
  tile,
} from './array-calls.js';
import { type Call, type Methods, reduction, shapeValue } from './methods.js';
import { along, axisOrNone, dtypeOf } from './make-arrays.js';

const floats = (name: string): readonly [string, Call] => ['', ({ self }) => unary(name, self)];
const cast = (dtype: DtypeName): readonly [string, Call] => [
  '',
  ({ self }) => converted(self, dtype),
];
const sign = (operator: string): readonly [string, Call] => [
  'other',
  ({ self, other: b }) => arithmetic(operator, self, b!),
];
const same: readonly [string, Call] = ['*args', ({ self }) => self];

export const torchMethods: Methods = {
  sum: ['axis=None, keepdims=False, *, dtype=None', reduction('sum')],
  mean: ['axis=None, keepdims=False, *, dtype=None', reduction('mean')],
  any: ['axis=None, keepdims=False', reduction('any')],
  all: ['axis=None, keepdims=False', reduction('all')],
  max: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) => extreme(self, 'max', axis!, keepdims!),
  ],
  min: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) => extreme(self, 'min', axis!, keepdims!),
  ],
  amax: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) => reduce.max(self, along(axis!, keepdims)),
  ],
  amin: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) => reduce.min(self, along(axis!, keepdims)),
  ],
  var: [
    'axis=None, unbiased=True, keepdims=False, *, correction=None',
    ({ self, axis, unbiased, keepdims, correction }) =>
      reduce.variance(
        self,
        along(axis!, keepdims),
        correction === null ? Number(unbiased !== false) : number(correction!, 'correction'),
      ),
  ],
  std: [
    'axis=None, unbiased=True, keepdims=False, *, correction=None',
    ({ self, axis, unbiased, keepdims, correction }) =>
      reduce.deviation(
        self,
        along(axis!, keepdims),
        correction === null ? Number(unbiased !== false) : number(correction!, 'correction'),
      ),
  ],
  argmax: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) => reduce.argmax(self, axisOrNone(axis!), keepdims === true),
  ],
  argmin: [
    'axis=None, keepdims=False',
    ({ self, axis, keepdims }) =>
      reduce.argmax(arithmetic('*', self, -1), axisOrNone(axis!), keepdims === true),
  ],
  cumsum: ['axis', ({ self, axis }) => reduce.cumulativeSum(self, integer(axis!, 'dim'))],
  prod: ['axis=None', ({ self, axis }) => reduce.product(self, axisOrNone(axis!))],
  view: ['*shape', ({ self, shape }) => viewAs(self, integers(shape!, 'shape'))],
  view_as: ['other', ({ self, other: b }) => viewAs(self, other(self, b!).shape)],
  permute: ['*dims', ({ self, dims }) => transpose(self, integers(dims!, 'dims'))],
  transpose: [
    'dim0, dim1',
    ({ self, dim0, dim1 }) => swapAxes(self, integer(dim0!, 'dim0'), integer(dim1!, 'dim1')),
  ],
  swapaxes: [
    'dim0, dim1',
    ({ self, dim0, dim1 }) => swapAxes(self, integer(dim0!, 'dim0'), integer(dim1!, 'dim1')),
  ],
  t: [
    '',
    ({ self }) =>
      self.rank > 2
        ? raise(
            'RuntimeError',
            `t() expects a tensor with <= 2 dimensions, but self is ${self.rank}D`,
          )
        : transpose(self, upTo(self.rank).reverse()),
  ],
  contiguous: ['', ({ self }) => (self.isContiguous ? self : self.like(self.recorded, self.shape))],
  is_contiguous: ['', ({ self }) => self.isContiguous],
  clone: ['', ({ self }) => self.like(self.recorded, self.shape)],
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
  softmax: ['axis', ({ self, axis }) => reduce.softmax(self, integer(axis!, 'dim'))],
  log_softmax: ['axis', ({ self, axis }) => reduce.softmax(self, integer(axis!, 'dim'), true)],
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
  tril: [
    'diagonal=0',
    ({ self, diagonal }) => reduce.triangle(self, integer(diagonal!, 'diagonal'), false),
  ],
  triu: [
    'diagonal=0',
    ({ self, diagonal }) => reduce.triangle(self, integer(diagonal!, 'diagonal'), true),
  ],
  matmul: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  mm: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  bmm: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  split: ['size, axis=0', ({ self, size, axis }) => splitSizes(self, size!, integer(axis!, 'dim'))],
  chunk: [
    'chunks, axis=0',
    ({ self, chunks, axis }) => {
      const at = axisIn(self, integer(axis!, 'dim'));
      return splitSizes(
        self,
        Math.max(1, Math.ceil(self.shape[at]! / integer(chunks!, 'chunks'))),
        at,
      );
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
  fill_: [
    'value',
    ({ self, value }) => {
      self.become(repeatedTo(self.recorder, recordedOf(self.recorder, value!), self.shape));
      return self;
    },
  ],
  zero_: [
    '',
    ({ self }) => {
      self.become(repeatedTo(self.recorder, recordedOf(self.recorder, 0), self.shape));
      return self;
    },
  ],
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
  abs: ['', ({ self }) => elementwise('maximum', self, arithmetic('*', self, -1))],
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
      const type = [dtype!, ...(args as Tuple).items].find(
        (each) => typeof each === 'object' && each,
      );
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
  norm: ['', ({ self }) => unary('sqrt', reduce.sum(arithmetic('*', self, self), along(null)))],
  sort: [
    'axis=-1, descending=False',
    ({ self, axis, descending }) => {
      const { values, order } = sort(self, integer(axis!, 'dim'), descending === true);
      return new Tuple([values, order], 'torch.return_types.sort');
    },
  ],
};
