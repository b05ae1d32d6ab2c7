// Attributes and methods of arrays and tensors: those that both have, NumPy's own, PyTorch's own.
import { ArrayValue, Dtype, type DtypeName } from '../arrays/array.js';
import {
  apart,
  arithmetic,
  converted,
  elementwise,
  recordedOf,
  repeatedTo,
  reshaped,
  unary,
} from '../arrays/arithmetic.js';
import { getItem } from '../arrays/indexing.js';
import { fromNumbers, plainNumber, toLists } from '../arrays/make.js';
import {
  axisIn,
  expandDims,
  identity,
  part,
  reshape,
  squeeze,
  stack,
  swapAxes,
  take,
  transpose,
  upTo,
  viewAs,
} from '../arrays/moves.js';
import { dot, matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import { define, number, whole, wholes, type Args } from '../language/signature.js';
import {
  Builtin,
  Float,
  isNumber,
  Method,
  Tuple,
  typeName,
  type Value,
} from '../language/values.js';
import { along, axisOrNone, dtypeOf, nonzero } from './numpy-make.js';

type Call = (args: Args & { readonly self: ArrayValue }) => Value;
type Methods = Readonly<Record<string, readonly [string, Call]>>;

/** A value of the same library, of an argument. */
export function other(x: ArrayValue, value: Value): ArrayValue {
  if (value instanceof ArrayValue) return value;
  if (isNumber(value))
    return x.like(recordedOf(x.recorder, value), [], value instanceof Float ? x.dtype : 'int64');
  return raise('TypeError', `must be an array or a number, not ${typeName(value)}`);
}

/** The largest or smallest, and with an axis PyTorch's pair of values and their places. */
function extreme(x: ArrayValue, which: 'max' | 'min', dim: Value, keepDims: Value): Value {
  if (dim instanceof ArrayValue) return elementwise(`${which}imum`, x, dim);
  const values = reduce[which](x, along(dim, keepDims));
  if (dim === null) return values;
  const axis = whole(dim, 'dim');
  const from = which === 'max' ? x : arithmetic('*', x, -1);
  const indices = reduce.argmax(from, axis, keepDims === true);
  return new Tuple([values, indices], `torch.return_types.${which}`);
}

const clip = (x: ArrayValue, low: Value, high: Value): ArrayValue => {
  const above = low === null ? x : elementwise('maximum', x, low);
  return high === null ? above : elementwise('minimum', above, high);
};

/** Numbers to so many digits, halves to even ones. */
export const round = (x: ArrayValue, digits: number): ArrayValue => {
  const scale = 10 ** digits;
  const even = (value: number) => {
    const low = Math.floor(value);
    return value - low === 0.5 ? low + (low % 2 === 0 ? 0 : 1) : Math.round(value);
  };
  return apart([x], (value) => even(value * scale) / scale, x.dtype);
};

export function sort(
  x: ArrayValue,
  axis: number,
  descending = false,
): { values: ArrayValue; order: ArrayValue } {
  const at = axisIn(x, axis);
  const turned = swapAxes(x, at, -1);
  const [numbers, size] = [turned.numbers(), x.shape[at]!];
  const rows = size === 0 ? 0 : numbers.length / size;
  const order = upTo(rows).flatMap((row) => {
    const line = numbers.subarray(row * size, (row + 1) * size);
    const by = (a: number, b: number) =>
      (descending ? line[b]! - line[a]! : line[a]! - line[b]!) || a - b;
    return upTo(size).sort(by);
  });
  const places = order.map((place, i) => Math.floor(i / Math.max(1, size)) * size + place);
  const flat = reshaped(x.recorder, turned.recorded, [x.size]);
  const made = reshaped(
    x.recorder,
    x.recorder.make('take', [flat], { axis: 0, indices: places }),
    turned.shape,
  );
  const copy = (each: ArrayValue) => each.like(each.recorded, each.shape);
  const indices = fromNumbers(x.recorder, order, turned.shape, 'int64', x.library);
  return {
    values: copy(swapAxes(x.like(made, turned.shape), at, -1)),
    order: copy(swapAxes(indices, at, -1)),
  };
}

/** NumPy's and PyTorch's masked choice: `value` where the mask is true. */
export function maskedFill(x: ArrayValue, mask: ArrayValue, value: Value): ArrayValue {
  if (mask.dtype !== 'bool')
    raise(
      'RuntimeError',
      'masked_fill_ only supports boolean masks, but got mask with dtype long int',
    );
  const { recorder } = x;
  const shape = arithmetic('+', x, converted(mask, 'int64')).shape;
  const made = recorder.make('where', [mask.recorded, recordedOf(recorder, value), x.recorded]);
  return x.like(repeatedTo(recorder, made, shape), shape);
}

/** Repeated to a shape; -1 keeps an axis. */
export function expand(x: ArrayValue, sizes: readonly number[]): ArrayValue {
  const shape = sizes.map((size, i) => (size === -1 ? x.shape[i - sizes.length + x.rank]! : size));
  const wrong = x.shape.findIndex(
    (size, i) => size !== 1 && size !== shape[i - x.rank + shape.length],
  );
  if (wrong >= 0 || shape.length < x.rank) {
    if (x.library === 'torch') {
      const text = `The expanded size of the tensor (${shape[wrong - x.rank + shape.length]}) must match the existing size (${x.shape[wrong]}) at non-singleton dimension ${wrong - x.rank + shape.length}`;
      raise('RuntimeError', text);
    }
    raise(
      'ValueError',
      `operands could not be broadcast together with remapped shapes [original->remapped]: (${x.shape.join(',')}) and requested shape (${shape.join(',')})`,
    );
  }
  return x.like(repeatedTo(x.recorder, x.recorded, shape), shape);
}

/** `x` so many times along each axis. */
export function tile(x: ArrayValue, times: readonly number[]): ArrayValue {
  x.recorder.elements([x.size, ...times]);
  const rank = Math.max(x.rank, times.length);
  const shape = [...Array<number>(rank - x.rank).fill(1), ...x.shape];
  let made = x.like(reshaped(x.recorder, x.recorded, shape), shape);
  for (const [i, count] of times.entries()) {
    const axis = i + rank - times.length;
    if (count !== 1)
      made = take(
        made,
        upTo(count).flatMap(() => upTo(made.shape[axis]!)),
        axis,
      );
  }
  return made;
}

export function repeat(x: ArrayValue, times: Value, axis: Value): ArrayValue {
  const flat = axis === null ? reshape(x, [-1]) : x;
  const at = axis === null ? 0 : axisIn(flat, whole(axis, 'axis'));
  const counts = wholes(times, 'repeats');
  x.recorder.elements([flat.size, Math.max(0, ...counts)]);
  const all = upTo(flat.shape[at]!).flatMap((i) =>
    Array<number>(counts[i % counts.length]!).fill(i),
  );
  return take(flat, all, at);
}

const shapeValue = (x: ArrayValue): Tuple =>
  new Tuple(x.shape, x.library === 'torch' ? 'torch.Size' : '');

const common: Methods = {
  reshape: ['*shape', ({ self, shape }) => reshape(self, wholes(shape!, 'shape'))],
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
        axisIn(self, whole(start_dim!, 'start_dim')),
        axisIn(self, whole(end_dim!, 'end_dim')),
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
    ({ self, axis }) => squeeze(self, axis === null ? undefined : wholes(axis!, 'axis')),
  ],
};

const reduction =
  (name: 'sum' | 'mean' | 'any' | 'all'): Call =>
  (args) => {
    const dtype = dtypeOf(args['dtype'] ?? null, args.self.library);
    const x = dtype ? converted(args.self, dtype) : args.self;
    return reduce[name](x, along(args['axis']!, args['keepdims']));
  };

const numpyMethods: Methods = {
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
      return transpose(self, isNone ? upTo(self.rank).reverse() : wholes(axes!, 'axes'));
    },
  ],
  swapaxes: [
    'axis1, axis2',
    ({ self, axis1, axis2 }) => swapAxes(self, whole(axis1!, 'axis1'), whole(axis2!, 'axis2')),
  ],
  astype: ['dtype, copy=True', ({ self, dtype }) => converted(self, dtypeOf(dtype!, 'numpy')!)],
  copy: ['', ({ self }) => self.like(self.recorded, self.shape)],
  repeat: ['repeats, axis=None', ({ self, repeats, axis }) => repeat(self, repeats!, axis!)],
  round: ['decimals=0', ({ self, decimals }) => round(self, whole(decimals!, 'decimals'))],
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
      self.become(sort(self, whole(axis!, 'axis')).values.recorded);
      return null;
    },
  ],
  argsort: ['axis=-1', ({ self, axis }) => sort(self, whole(axis!, 'axis')).order],
};

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

const torchMethods: Methods = {
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
  cumsum: ['axis', ({ self, axis }) => reduce.cumulativeSum(self, whole(axis!, 'dim'))],
  prod: ['axis=None', ({ self, axis }) => reduce.product(self, axisOrNone(axis!))],
  view: ['*shape', ({ self, shape }) => viewAs(self, wholes(shape!, 'shape'))],
  view_as: ['other', ({ self, other: b }) => viewAs(self, other(self, b!).shape)],
  permute: ['*dims', ({ self, dims }) => transpose(self, wholes(dims!, 'dims'))],
  transpose: [
    'dim0, dim1',
    ({ self, dim0, dim1 }) => swapAxes(self, whole(dim0!, 'dim0'), whole(dim1!, 'dim1')),
  ],
  swapaxes: [
    'dim0, dim1',
    ({ self, dim0, dim1 }) => swapAxes(self, whole(dim0!, 'dim0'), whole(dim1!, 'dim1')),
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
  unsqueeze: ['axis', ({ self, axis }) => expandDims(self, [whole(axis!, 'dim')])],
  expand: ['*sizes', ({ self, sizes }) => expand(self, wholes(sizes!, 'sizes'))],
  expand_as: ['other', ({ self, other: b }) => expand(self, other(self, b!).shape)],
  repeat: ['*sizes', ({ self, sizes }) => tile(self, wholes(sizes!, 'sizes'))],
  repeat_interleave: [
    'repeats, axis=None',
    ({ self, repeats, axis }) => repeat(self, repeats!, axis!),
  ],
  size: [
    'axis=None',
    ({ self, axis }) =>
      axis === null ? shapeValue(self) : self.shape[axisIn(self, whole(axis!, 'dim'))]!,
  ],
  dim: ['', ({ self }) => self.rank],
  numel: ['', ({ self }) => self.size],
  softmax: ['axis', ({ self, axis }) => reduce.softmax(self, whole(axis!, 'dim'))],
  log_softmax: ['axis', ({ self, axis }) => reduce.softmax(self, whole(axis!, 'dim'), true)],
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
    ({ self, diagonal }) => reduce.triangle(self, whole(diagonal!, 'diagonal'), false),
  ],
  triu: [
    'diagonal=0',
    ({ self, diagonal }) => reduce.triangle(self, whole(diagonal!, 'diagonal'), true),
  ],
  matmul: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  mm: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  bmm: ['other', ({ self, other: b }) => matmul(self, other(self, b!))],
  split: ['size, axis=0', ({ self, size, axis }) => splitSizes(self, size!, whole(axis!, 'dim'))],
  chunk: [
    'chunks, axis=0',
    ({ self, chunks, axis }) => {
      const at = axisIn(self, whole(axis!, 'dim'));
      return splitSizes(
        self,
        Math.max(1, Math.ceil(self.shape[at]! / whole(chunks!, 'chunks'))),
        at,
      );
    },
  ],
  unbind: [
    'axis=0',
    ({ self, axis }) => {
      const at = axisIn(self, whole(axis!, 'dim'));
      return new Tuple(upTo(self.shape[at]!).map((i) => squeeze(part(self, at, i, i + 1), [at])));
    },
  ],
  gather: [
    'axis, index',
    ({ self, axis, index }) => gather(self, whole(axis!, 'dim'), other(self, index!)),
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
    '*args, **named',
    ({ self, args }) => {
      const types = (args as Tuple).items.filter((each) => each instanceof Dtype);
      return types.length > 0 ? converted(self, (types[0] as Dtype).name) : self;
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
      const { values, order } = sort(self, whole(axis!, 'dim'), descending === true);
      return new Tuple([values, order], 'torch.return_types.sort');
    },
  ],
};

export const sigmoid = (x: ArrayValue): ArrayValue =>
  arithmetic('/', 1, arithmetic('+', 1, unary('exp', arithmetic('*', x, -1))));

/** Numbers of an axis by an index of its own for each cell. */
export function gather(x: ArrayValue, axis: number, index: ArrayValue): ArrayValue {
  const at = axisIn(x, axis);
  const own = x.shape.map((_, i) => x.shape.slice(i + 1).reduce((a, b) => a * b, 1));
  const places = [...index.numbers()].map((each, n) => {
    if (each < 0 || each >= x.shape[at]!)
      raise(
        'RuntimeError',
        `index ${each} is out of bounds for dimension ${at} with size ${x.shape[at]}`,
      );
    return index.shape.reduce((sum, size, i) => {
      const below = index.shape.slice(i + 1).reduce((a, b) => a * b, 1);
      return sum + (i === at ? each : Math.floor(n / below) % size) * own[i]!;
    }, 0);
  });
  const flat = reshaped(x.recorder, x.recorded, [x.size]);
  const made = x.recorder.make('take', [flat], { axis: 0, indices: places });
  return x.like(reshaped(x.recorder, made, index.shape), index.shape);
}

/** PyTorch's split, by the size of parts or by all sizes. */
export function splitSizes(x: ArrayValue, size: Value, axis: number): Tuple {
  const at = axisIn(x, axis);
  const length = x.shape[at]!;
  const given = typeof size === 'number' ? undefined : wholes(size, 'split_size');
  if (given && given.reduce((a, b) => a + b, 0) !== length) {
    raise(
      'RuntimeError',
      `split_with_sizes expects split_sizes to sum exactly to ${length} (input tensor's size at dimension ${at}), but got split_sizes=[${given.join(', ')}]`,
    );
  }
  const each = given ? 0 : Math.max(1, whole(size, 'split_size'));
  const sizes =
    given ??
    upTo(Math.max(1, Math.ceil(length / each))).map((i) => Math.min(each, length - i * each));
  let start = 0;
  return new Tuple(sizes.map((count) => part(x, at, start, (start += count))));
}

const tables = new Map<string, ReadonlyMap<string, Builtin>>();

/** NumPy's word for an argument, where PyTorch has its own: `dim`. */
const torchWords: Readonly<Record<string, string>> = { dim: 'axis', keepdim: 'keepdims' };

function tableOf(library: 'numpy' | 'torch'): ReadonlyMap<string, Builtin> {
  const known = tables.get(library);
  if (known) return known;
  const own = { ...common, ...(library === 'torch' ? torchMethods : numpyMethods) };
  const made = Object.entries(own).map(([name, [signature, call]]) => {
    const inner = define(name, `self, ${signature}`, call as (args: Args) => Value);
    if (library === 'numpy') return [name, inner] as const;
    const renamed = new Builtin(name, (args, named) =>
      inner.call(args, new Map([...named].map(([key, value]) => [torchWords[key] ?? key, value]))),
    );
    return [name, renamed] as const;
  });
  const table = new Map(made);
  tables.set(library, table);
  return table;
}

/** `x.name` */
export function arrayAttribute(x: ArrayValue, name: string): Value {
  switch (name) {
    case 'shape':
      return shapeValue(x);
    case 'ndim':
      return x.rank;
    case 'size':
      if (x.library === 'numpy') return x.size;
      break;
    case 'dtype':
      return new Dtype(x.dtype, x.library);
    case 'T':
      return transpose(x, upTo(x.rank).reverse());
    case 'mT':
      if (x.library === 'torch') return swapAxes(x, -1, -2);
      break;
    case 'data':
      return x.library === 'torch' ? identity(x) : x;
    case 'device':
      return 'cpu';
    case 'requires_grad':
      return false;
  }
  const found = tableOf(x.library).get(name);
  if (found) return new Method(x, found);
  if (name === 'backward' || name === 'grad') {
    raise(
      'NotImplementedError',
      `${name} is not in the subset of PyTorch that runs here; gradients of the run's graph gives the gradient of any value by any other`,
    );
  }
  const torchOnly = x.library === 'numpy' && Object.hasOwn(torchMethods, name);
  const hint = torchOnly ? " (PyTorch's tensors have; torch.tensor makes one)" : '';
  return raise('AttributeError', `'${typeName(x)}' object has no attribute '${name}'${hint}`);
}
