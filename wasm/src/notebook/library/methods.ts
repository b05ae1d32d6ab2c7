// Methods of arrays: those that NumPy and PyTorch both have, and NumPy's own.
import { arithmetic, converted, recordedOf, repeatedTo, reshaped } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import { fromNumbers, plainNumber, toLists } from '../arrays/make.js';
import { upTo } from '../../graph/operations/common.js';
import { axisIn, reshape, squeeze, stack, swapAxes, transpose } from '../arrays/moves.js';
import { dot } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { type Args, number, integer, integers } from '../language/signature.js';
import { Tuple, type Value } from '../language/values.js';
import { clip, other, repeat, round, sort } from './array-calls.js';
import { along, axisOrNone, dtypeOf, nonzero } from './make-arrays.js';

export type Call = (args: Args & { readonly self: ArrayValue }) => Value;
export type Methods = Readonly<Record<string, readonly [string, Call]>>;

export const shapeValue = (x: ArrayValue): Tuple =>
  new Tuple(x.shape, x.library === 'torch' ? 'torch.Size' : '');

export const common: Methods = {
  reshape: ['*shape', ({ self, shape }) => reshape(self, integers(shape!, 'shape'))],
  item: [
    '*index',
    ({ self, index }) => {
      const one = (index as Tuple).items.length > 0 ? getItem(self, index!) : self;
      return plainNumber(one, one.item());
    },
  ],
  tolist: ['', ({ self }) => toLists(self)],
  flatten: [
    'start_dim=0, end_dim=-1',
    ({ self, start_dim, end_dim }) => {
      if (self.library === 'numpy' || self.rank === 0)
        return self.like(reshaped(self.recorder, self.recorded, [self.size]), [self.size]);
      const [first, last] = [
        axisIn(self, integer(start_dim!, 'start_dim')),
        axisIn(self, integer(end_dim!, 'end_dim')),
      ];
      const size = self.shape.slice(first, last + 1).reduce((a, b) => a * b, 1);
      return reshape(self, [...self.shape.slice(0, first), size, ...self.shape.slice(last + 1)]);
    },
  ],
  ravel: ['', ({ self }) => reshape(self, [-1])],
  dot: ['other', ({ self, other: b }) => dot(self, other(self, b!))],
  nonzero: [
    '',
    ({ self }) => {
      const made = nonzero(self).map((each) =>
        fromNumbers(self.recorder, each, [each.length], 'int64', self.library),
      );
      return self.library === 'torch' ? stack(made, 1) : new Tuple(made);
    },
  ],
  clip: ['min=None, max=None', ({ self, min, max }) => clip(self, min!, max!)],
  __getitem__: ['index', ({ self, index }) => getItem(self, index!)],
  __len__: ['', ({ self }) => self.shape[0] ?? 0],
  squeeze: [
    'axis=None',
    ({ self, axis }) => squeeze(self, axis === null ? undefined : integers(axis!, 'axis')),
  ],
};

export const reduction =
  (name: 'sum' | 'mean' | 'any' | 'all'): Call =>
  (args) => {
    const dtype = dtypeOf(args['dtype'] ?? null, args.self.library);
    const x = dtype ? converted(args.self, dtype) : args.self;
    return reduce[name](x, along(args['axis']!, args['keepdims']));
  };

export const numpyMethods: Methods = {
  sum: ['axis=None, dtype=None, *, keepdims=False', reduction('sum')],
  mean: ['axis=None, dtype=None, *, keepdims=False', reduction('mean')],
  any: ['axis=None, *, keepdims=False', reduction('any')],
  all: ['axis=None, *, keepdims=False', reduction('all')],
  max: [
    'axis=None, *, keepdims=False',
    ({ self, axis, keepdims }) => reduce.max(self, along(axis!, keepdims)),
  ],
  min: [
    'axis=None, *, keepdims=False',
    ({ self, axis, keepdims }) => reduce.min(self, along(axis!, keepdims)),
  ],
  var: [
    'axis=None, *, ddof=0, keepdims=False',
    ({ self, axis, ddof, keepdims }) =>
      reduce.variance(self, along(axis!, keepdims), number(ddof!, 'ddof')),
  ],
  std: [
    'axis=None, *, ddof=0, keepdims=False',
    ({ self, axis, ddof, keepdims }) =>
      reduce.deviation(self, along(axis!, keepdims), number(ddof!, 'ddof')),
  ],
  argmax: ['axis=None', ({ self, axis }) => reduce.argmax(self, axisOrNone(axis!), false)],
  argmin: [
    'axis=None',
    ({ self, axis }) => reduce.argmax(arithmetic('*', self, -1), axisOrNone(axis!), false),
  ],
  prod: ['axis=None', ({ self, axis }) => reduce.product(self, axisOrNone(axis!))],
  cumsum: ['axis=None', ({ self, axis }) => reduce.cumulativeSum(self, axisOrNone(axis!))],
  transpose: [
    '*axes',
    ({ self, axes }) => {
      const given = (axes as Tuple).items;
      const isNone = given.length === 0 || (given.length === 1 && given[0] === null);
      return transpose(self, isNone ? upTo(self.rank).reverse() : integers(axes!, 'axes'));
    },
  ],
  swapaxes: [
    'axis1, axis2',
    ({ self, axis1, axis2 }) => swapAxes(self, integer(axis1!, 'axis1'), integer(axis2!, 'axis2')),
  ],
  astype: ['dtype, copy=True', ({ self, dtype }) => converted(self, dtypeOf(dtype!, 'numpy')!)],
  copy: ['', ({ self }) => self.like(self.recorded, self.shape)],
  repeat: ['repeats, axis=None', ({ self, repeats, axis }) => repeat(self, repeats!, axis!)],
  round: ['decimals=0', ({ self, decimals }) => round(self, integer(decimals!, 'decimals'))],
  fill: [
    'value',
    ({ self, value }) => {
      self.become(repeatedTo(self.recorder, recordedOf(self.recorder, value!), self.shape));
      return null;
    },
  ],
  sort: [
    'axis=-1',
    ({ self, axis }) => {
      self.become(sort(self, integer(axis!, 'axis')).values.recorded);
      return null;
    },
  ],
  argsort: ['axis=-1', ({ self, axis }) => sort(self, integer(axis!, 'axis')).order],
};
