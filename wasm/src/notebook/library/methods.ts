// Methods of arrays: those shared by NumPy and PyTorch, and NumPy's own.
import { upTo } from '../../graph/operations/common.js';
import { converted, recordedOf, repeatedTo } from '../arrays/arithmetic.js';
import { ArrayValue } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import { fromNumbers, plainNumber, toLists } from '../arrays/make.js';
import { reshape, squeeze, stack, swapAxes, transpose } from '../arrays/moves.js';
import { dot } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { lengthOf } from '../language/iteration.js';
import { type Args, integer, integers, number } from '../language/signature.js';
import { Tuple, type Value } from '../language/values.js';
import { clip, diagonal, other, repeat, round, sort, trace } from './array-calls.js';
import { along, axisOrNone, dtypeOf, nonzero } from './make-arrays.js';

export type Call = (args: Args & { readonly self: ArrayValue }) => Value;
type Method = readonly [signature: string, call: Call];
export type Methods = Readonly<Record<string, Method>>;

export const shapeValue = (x: ArrayValue): Tuple =>
  new Tuple(x.shape, x.library === 'torch' ? 'torch.Size' : '');

/** A method that sets all numbers of an array to one value. */
export const filled = (x: ArrayValue, value: Value): ArrayValue => {
  x.become(repeatedTo(x.recorder, recordedOf(x.recorder, value), x.shape));
  return x;
};

/** A reduction along axes. */
export const reduction =
  (name: 'sum' | 'mean' | 'any' | 'all' | 'max' | 'min' | 'argmax' | 'argmin'): Call =>
  ({ self, axis, keepdims, dtype }) => {
    const type = dtypeOf(dtype ?? null, self.library);
    return reduce[name](type ? converted(self, type) : self, along(axis!, keepdims));
  };

/** A variance, or its root. */
export const spread =
  (name: 'variance' | 'deviation', correctionOf: (args: Args) => number): Call =>
  (args) =>
    reduce[name](args.self, along(args['axis']!, args['keepdims']), correctionOf(args));

export const swap = (first: string, second: string): Method => [
  `${first}, ${second}`,
  (args) => swapAxes(args.self, integer(args[first]!, first), integer(args[second]!, second)),
];

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
  diagonal: ['', ({ self }) => diagonal(self)],
  trace: ['', ({ self }) => trace(self)],
  prod: ['axis=None', ({ self, axis }) => reduce.product(self, axisOrNone(axis!))],
  clip: ['min=None, max=None', ({ self, min, max }) => clip(self, min!, max!)],
  __getitem__: ['index', ({ self, index }) => getItem(self, index!)],
  __len__: ['', ({ self }) => lengthOf(self)],
  squeeze: [
    'axis=None',
    ({ self, axis }) => squeeze(self, axis === null ? undefined : integers(axis!, 'axis')),
  ],
};

const ddof = (args: Args): number => number(args['ddof']!, 'ddof');

export const numpyMethods: Methods = {
  sum: ['axis=None, dtype=None, *, keepdims=False', reduction('sum')],
  mean: ['axis=None, dtype=None, *, keepdims=False', reduction('mean')],
  any: ['axis=None, *, keepdims=False', reduction('any')],
  all: ['axis=None, *, keepdims=False', reduction('all')],
  max: ['axis=None, *, keepdims=False', reduction('max')],
  min: ['axis=None, *, keepdims=False', reduction('min')],
  var: ['axis=None, *, ddof=0, keepdims=False', spread('variance', ddof)],
  std: ['axis=None, *, ddof=0, keepdims=False', spread('deviation', ddof)],
  argmax: ['axis=None, *, keepdims=False', reduction('argmax')],
  argmin: ['axis=None, *, keepdims=False', reduction('argmin')],
  cumsum: ['axis=None', ({ self, axis }) => reduce.cumulativeSum(self, axisOrNone(axis!))],
  flatten: ['', ({ self }) => reshape(self.copy(), [-1])],
  transpose: [
    '*axes',
    ({ self, axes }) => {
      const given = (axes as Tuple).items;
      const isNone = given.length === 0 || (given.length === 1 && given[0] === null);
      return transpose(self, isNone ? upTo(self.rank).reverse() : integers(axes!, 'axes'));
    },
  ],
  swapaxes: swap('axis1', 'axis2'),
  astype: [
    'dtype, copy=True',
    ({ self, dtype }) => converted(self, dtypeOf(dtype!, 'numpy') ?? 'float64'),
  ],
  copy: ['', ({ self }) => self.copy()],
  repeat: ['repeats, axis=None', ({ self, repeats, axis }) => repeat(self, repeats!, axis!)],
  round: ['decimals=0', ({ self, decimals }) => round(self, integer(decimals!, 'decimals'))],
  fill: ['value', ({ self, value }) => (filled(self, value!), null)],
  sort: [
    'axis=-1',
    ({ self, axis }) => {
      self.become(sort(self, integer(axis!, 'axis')).values.recorded);
      return null;
    },
  ],
  argsort: ['axis=-1', ({ self, axis }) => sort(self, integer(axis!, 'axis')).order],
};
