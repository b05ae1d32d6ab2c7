// NumPy's functions.
import { ArrayValue, Dtype, shortest } from '../arrays/array.js';
import {
  apart,
  arithmetic,
  converted,
  elementwise,
  inverted,
  recordedOf,
  recorderOf,
  repeatedTo,
  shapeOf,
  broadcastShapes,
  unary,
} from '../arrays/arithmetic.js';
import { resultKind } from '../arrays/dtypes.js';
import { getItem } from '../arrays/indexing.js';
import { arrayOf, fromNumbers } from '../arrays/make.js';
import {
  axisIn,
  concatenate,
  expandDims,
  part,
  reshape,
  stack,
  take,
  transpose,
  upTo,
} from '../arrays/moves.js';
import { dot, einsum, matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { binary, truth } from '../language/operators.js';
import { define, number, whole, wholes, type Args } from '../language/signature.js';
import {
  Builtin,
  Float,
  isNumber,
  List,
  Module,
  numberIn,
  Slice,
  Tuple,
  type Value,
} from '../language/values.js';
import { arrayAttribute, expand, repeat, round, sort, tile } from './attributes.js';
import {
  arange,
  arraysOf,
  axisOrNone,
  dtypeOf,
  dtypes,
  eye,
  filled,
  linspace,
  nonzero,
  random,
  randomIntegers,
  setSeed,
  splitBounds,
  toArray,
} from './numpy-make.js';

/** Whether two are close, element by element. */
export const isClose = (
  x: Value,
  y: Value,
  relative: number,
  absolute: number,
  nan: boolean,
): ArrayValue =>
  apart(
    [x, y],
    (a, b) => {
      if (Number.isNaN(a) || Number.isNaN(b))
        return Number(nan && Number.isNaN(a) && Number.isNaN(b));
      return Number(
        a === b || (Number.isFinite(b) && Math.abs(a - b) <= absolute + relative * Math.abs(b)),
      );
    },
    'bool',
  );

const plainFunctions: Readonly<Record<string, (x: number) => number>> = {
  ...{
    sin: Math.sin,
    cos: Math.cos,
    tan: Math.tan,
    arctan: Math.atan,
    floor: Math.floor,
    ceil: Math.ceil,
  },
  ...{
    sign: Math.sign,
    log2: Math.log2,
    log10: Math.log10,
    log1p: Math.log1p,
    expm1: Math.expm1,
    cbrt: Math.cbrt,
  },
};

export function numpyModules(machine: Machine): Module[] {
  const names = new Map<string, Value>();
  const of = (value: Value) => toArray(machine, value, 'numpy');
  const add = (name: string, signature: string, call: (args: Args) => Value) =>
    names.set(name, define(name, signature, call));
  /** A function that is a method, too. */
  const method = (name: string, signature: string, own = name) => {
    add(name, `a, ${signature}`, (args) => {
      const [array, rest] = [of(args['a']!), Object.entries(args).filter(([key]) => key !== 'a')];
      const isTorch = array.library === 'torch';
      const x = isTorch
        ? new ArrayValue(array.recorder, array.recorded, array.shape, array.dtype, 'numpy')
        : array;
      return machine.call(arrayAttribute(x, own), [], new Map(rest));
    });
  };
  /** A number of NumPy, where Python's number was given. */
  const each = (name: string, call: (x: ArrayValue) => ArrayValue) =>
    add(name, 'x, **named', ({ x }) => call(of(x!)));

  add('array', 'object, dtype=None, copy=True', ({ object, dtype }) => {
    const made = arrayOf(machine.recorder, object!, 'numpy', dtypeOf(dtype!, 'numpy'));
    return made.like(made.recorded, made.shape);
  });
  for (const name of ['asarray', 'ascontiguousarray']) {
    add(name, 'a, dtype=None', ({ a, dtype }) => {
      const wanted = dtypeOf(dtype!, 'numpy');
      if (a instanceof ArrayValue && a.library === 'numpy' && (!wanted || wanted === a.dtype))
        return a;
      return arrayOf(machine.recorder, a!, 'numpy', wanted);
    });
  }
  for (const [name, value] of [
    ['zeros', 0],
    ['ones', 1],
    ['empty', 0],
  ] as const) {
    add(name, 'shape, dtype=None', ({ shape, dtype }) =>
      filled(machine, shape!, new Float(value), dtype!, 'numpy'),
    );
    add(`${name}_like`, 'a, dtype=None', ({ a, dtype }) => {
      const like = of(a!);
      return filled(
        machine,
        new Tuple(like.shape),
        value,
        dtype === null ? new Dtype(like.dtype) : dtype!,
        'numpy',
      );
    });
  }
  add('full', 'shape, fill_value, dtype=None', ({ shape, fill_value, dtype }) =>
    filled(machine, shape!, fill_value!, dtype!, 'numpy'),
  );
  add('full_like', 'a, fill_value, dtype=None', ({ a, fill_value, dtype }) => {
    const like = of(a!);
    return filled(
      machine,
      new Tuple(like.shape),
      fill_value!,
      dtype === null ? new Dtype(like.dtype) : dtype!,
      'numpy',
    );
  });
  add('arange', '*bounds, dtype=None', ({ bounds, dtype }) =>
    arange(machine, (bounds as Tuple).items, dtype!, 'numpy'),
  );
  add('linspace', 'start, stop, num=50, endpoint=True', ({ start, stop, num, endpoint }) =>
    linspace(machine, start!, stop!, num!, 'numpy', endpoint !== false),
  );
  add('eye', 'N, M=None, k=0, dtype=None', ({ N, M, k, dtype }) =>
    eye(machine, N!, M!, whole(k!, 'k'), dtype!, 'numpy'),
  );
  add('identity', 'n, dtype=None', ({ n, dtype }) => eye(machine, n!, null, 0, dtype!, 'numpy'));
  add('tri', 'N, M=None, k=0, dtype=None', ({ N, M, k, dtype }) => {
    const shape = new Tuple([N!, M === null ? N! : M!]);
    return reduce.triangle(
      filled(machine, shape, new Float(1), dtype!, 'numpy'),
      whole(k!, 'k'),
      false,
    );
  });
  add('tril', 'm, k=0', ({ m, k }) => reduce.triangle(of(m!), whole(k!, 'k'), false));
  add('triu', 'm, k=0', ({ m, k }) => reduce.triangle(of(m!), whole(k!, 'k'), true));
  add('diag', 'v, k=0', ({ v, k }) => {
    const x = of(v!);
    if (k !== 0)
      raise('NotImplementedError', 'diagonals beside the main one are not in this subset');
    if (x.rank === 1)
      return arithmetic(
        '*',
        expandDims(x, [1]),
        converted(eye(machine, x.size, null, 0, null, 'numpy'), x.dtype),
      );
    const [rows, columns] = x.shape as [number, number];
    const flat = reshape(x.like(x.recorded, x.shape), [-1]);
    return take(
      flat,
      upTo(Math.min(rows, columns)).map((i) => i * (columns + 1)),
      0,
    );
  });
  names.set('diagonal', names.get('diag')!);

  for (const name of ['exp', 'log', 'sqrt', 'tanh']) each(name, (x) => unary(name, x));
  for (const [name, call] of Object.entries(plainFunctions)) {
    each(name, (x) => {
      const isWhole = ['floor', 'ceil', 'sign'].includes(name) && x.dtype === 'int64';
      return isWhole && name !== 'sign'
        ? x
        : apart([x], call, isWhole ? 'int64' : x.dtype === 'float32' ? 'float32' : 'float64');
    });
  }
  for (const name of ['abs', 'absolute', 'fabs'])
    each(name, (x) => elementwise('maximum', x, arithmetic('*', x, -1)));
  each('square', (x) => arithmetic('*', x, x));
  each('negative', (x) => arithmetic('*', x, -1));
  each('reciprocal', (x) => arithmetic('/', 1, x));
  each('logical_not', (x) => elementwise('equal', x, 0));
  each('invert', inverted);
  each('isnan', (x) => elementwise('notEqual', x, x));
  each('isinf', (x) => apart([x], (value) => Number(Math.abs(value) === Infinity), 'bool'));
  each('isfinite', (x) => apart([x], (value) => Number(Number.isFinite(value)), 'bool'));

  const signs = {
    ...{
      add: '+',
      subtract: '-',
      multiply: '*',
      divide: '/',
      true_divide: '/',
      power: '**',
      mod: '%',
      floor_divide: '//',
    },
    ...{
      equal: '==',
      not_equal: '!=',
      less: '<',
      less_equal: '<=',
      greater: '>',
      greater_equal: '>=',
    },
  };
  for (const [name, sign] of Object.entries(signs)) {
    add(name, 'x1, x2', ({ x1, x2 }) => arithmetic(sign, of(x1!), isNumber(x2!) ? x2 : of(x2!)));
  }
  for (const name of ['maximum', 'minimum']) {
    add(name, 'x1, x2', ({ x1, x2 }) => elementwise(name, of(x1!), isNumber(x2!) ? x2 : of(x2!)));
  }
  for (const [name, sign] of [
    ['logical_and', '&'],
    ['logical_or', '|'],
    ['logical_xor', '^'],
  ] as const) {
    add(name, 'x1, x2', ({ x1, x2 }) =>
      arithmetic(sign, converted(of(x1!), 'bool'), converted(of(x2!), 'bool')),
    );
  }

  for (const name of ['sum', 'mean']) method(name, 'axis=None, dtype=None, keepdims=False');
  for (const name of ['max', 'min', 'any', 'all']) method(name, 'axis=None, keepdims=False');
  method('amax', 'axis=None, keepdims=False', 'max');
  method('amin', 'axis=None, keepdims=False', 'min');
  for (const name of ['var', 'std']) method(name, 'axis=None, ddof=0, keepdims=False');
  for (const name of ['argmax', 'argmin', 'prod', 'cumsum']) method(name, 'axis=None');
  method('squeeze', 'axis=None');
  method('clip', 'min=None, max=None');
  method('ravel', '');
  method('copy', '');
  method('argsort', 'axis=-1');
  add('sort', 'a, axis=-1', ({ a, axis }) => sort(of(a!), whole(axis!, 'axis')).values);
  for (const name of ['round', 'around'])
    add(name, 'a, decimals=0', ({ a, decimals }) => round(of(a!), whole(decimals!, 'decimals')));
  add('median', 'a', ({ a }) => {
    const numbers = [...of(a!).numbers()].sort((x, y) => x - y);
    const middle = numbers.length >> 1;
    return new Float(
      shortest(
        numbers.length % 2 === 1 ? numbers[middle]! : (numbers[middle - 1]! + numbers[middle]!) / 2,
      ),
    );
  });
  add('unique', 'a', ({ a }) => {
    const x = of(a!);
    const all = [...new Set(x.numbers())].sort((p, q) => p - q);
    return fromNumbers(machine.recorder, all, [all.length], x.dtype, 'numpy');
  });

  add('reshape', 'a, newshape', ({ a, newshape }) => reshape(of(a!), wholes(newshape!, 'shape')));
  add('transpose', 'a, axes=None', ({ a, axes }) => {
    const x = of(a!);
    return transpose(x, axes === null ? upTo(x.rank).reverse() : wholes(axes!, 'axes'));
  });
  add('swapaxes', 'a, axis1, axis2', ({ a, axis1, axis2 }) =>
    machine.call(machine.attribute(of(a!), 'swapaxes'), [axis1!, axis2!]),
  );
  add('moveaxis', 'a, source, destination', ({ a, source, destination }) => {
    const x = of(a!);
    const [from, to] = [
      axisIn(x, whole(source!, 'source')),
      axisIn(x, whole(destination!, 'destination')),
    ];
    const order = upTo(x.rank).filter((axis) => axis !== from);
    order.splice(to, 0, from);
    return transpose(x, order);
  });
  add('expand_dims', 'a, axis', ({ a, axis }) => expandDims(of(a!), wholes(axis!, 'axis')));
  add('broadcast_to', 'array, shape', ({ array, shape }) =>
    expand(of(array!), wholes(shape!, 'shape')),
  );
  add('concatenate', 'arrays, axis=0', ({ arrays, axis }) => {
    const all = arraysOf(machine, arrays!, 'numpy');
    if (axis !== null) return concatenate(all, whole(axis!, 'axis'));
    return concatenate(
      all.map((x) => reshape(x, [-1])),
      0,
    );
  });
  add('stack', 'arrays, axis=0', ({ arrays, axis }) =>
    stack(arraysOf(machine, arrays!, 'numpy'), whole(axis!, 'axis')),
  );
  const atLeast = (x: ArrayValue, rank: number) =>
    x.rank >= rank ? x : reshape(x, [...Array<number>(rank - x.rank).fill(1), ...x.shape]);
  add('vstack', 'tup', ({ tup }) =>
    concatenate(
      arraysOf(machine, tup!, 'numpy').map((x) => atLeast(x, 2)),
      0,
    ),
  );
  add('hstack', 'tup', ({ tup }) => {
    const all = arraysOf(machine, tup!, 'numpy').map((x) => atLeast(x, 1));
    return concatenate(all, all[0]?.rank === 1 ? 0 : 1);
  });
  for (const name of ['split', 'array_split']) {
    add(
      name,
      'ary, indices_or_sections, axis=0',
      ({ ary, indices_or_sections: sections, axis }) => {
        const x = of(ary!);
        const at = axisIn(x, whole(axis!, 'axis'));
        const bounds = splitBounds(x.shape[at]!, sections!, name === 'split');
        const parts = bounds
          .slice(1)
          .map((stop, i) => part(x, at, Math.min(bounds[i]!, stop), stop));
        return new List(parts);
      },
    );
  }
  add('repeat', 'a, repeats, axis=None', ({ a, repeats, axis }) => repeat(of(a!), repeats!, axis!));
  add('tile', 'A, reps', ({ A, reps }) => tile(of(A!), wholes(reps!, 'reps')));
  add('flip', 'm, axis=None', ({ m, axis }) => {
    const x = of(m!);
    const axes =
      axis === null ? upTo(x.rank) : wholes(axis!, 'axis').map((each) => axisIn(x, each));
    return axes.reduce((made, each) => take(made, upTo(made.shape[each]!).reverse(), each), x);
  });
  add('roll', 'a, shift, axis=None', ({ a, shift, axis }) => {
    const x = of(a!);
    const flat = axis === null ? reshape(x, [-1]) : x;
    const at = axis === null ? 0 : axisIn(x, whole(axis!, 'axis'));
    const size = flat.shape[at]!;
    const by = whole(shift!, 'shift');
    const made = take(
      flat,
      upTo(size).map((i) => (((i - by) % size) + size) % size),
      at,
    );
    return axis === null ? reshape(made, x.shape) : made;
  });
  add('take', 'a, indices, axis=None', ({ a, indices, axis }) => {
    const x = axis === null ? reshape(of(a!), [-1]) : of(a!);
    const at = axisIn(x, axis === null ? 0 : whole(axis!, 'axis'));
    const before = upTo(at).map(() => new Slice(null, null, null));
    return getItem(x, new Tuple([...before, isNumber(indices!) ? indices : of(indices!)]));
  });

  add('where', 'condition, x=None, y=None', ({ condition, x, y }) => {
    const chooser = of(condition!);
    if (x === null && y === null) {
      return new Tuple(
        nonzero(chooser).map((all) =>
          fromNumbers(machine.recorder, all, [all.length], 'int64', 'numpy'),
        ),
      );
    }
    return choose(chooser, isNumber(x!) ? x : of(x!), isNumber(y!) ? y : of(y!));
  });
  add('nonzero', 'a', ({ a }) => machine.call(machine.attribute(of(a!), 'nonzero'), []));
  add('argwhere', 'a', ({ a }) => {
    const all = nonzero(of(a!)).map((each) =>
      fromNumbers(machine.recorder, each, [each.length], 'int64', 'numpy'),
    );
    return stack(all, 1);
  });
  add('count_nonzero', 'a', ({ a }) => nonzero(of(a!))[0]?.length ?? 0);

  add('matmul', 'x1, x2', ({ x1, x2 }) => matmul(of(x1!), of(x2!)));
  add('dot', 'a, b', ({ a, b }) =>
    isNumber(a!) || isNumber(b!) ? binary('*', a!, b!) : dot(of(a!), of(b!)),
  );
  add('outer', 'a, b', ({ a, b }) =>
    arithmetic('*', reshape(of(a!), [-1, 1]), reshape(of(b!), [1, -1])),
  );
  add('inner', 'a, b', ({ a, b }) => {
    const [x, y] = [of(a!), of(b!)];
    return y.rank < 2
      ? matmul(x, y)
      : matmul(x, transpose(y, [...upTo(y.rank - 2), y.rank - 1, y.rank - 2]));
  });
  add('einsum', 'subscripts, *operands', ({ subscripts, operands }) =>
    einsum(String(subscripts), (operands as Tuple).items.map(of)),
  );

  add('isclose', 'a, b, rtol=1e-5, atol=1e-8, equal_nan=False', (args) => closeness(args));
  add('allclose', 'a, b, rtol=1e-5, atol=1e-8, equal_nan=False', (args) =>
    closeness(args)
      .numbers()
      .every((each) => each !== 0),
  );
  const closeness = ({ a, b, rtol, atol, equal_nan }: Args) =>
    isClose(of(a!), of(b!), number(rtol!, 'rtol'), number(atol!, 'atol'), equal_nan === true);
  add('array_equal', 'a1, a2', ({ a1, a2 }) => {
    const [x, y] = [of(a1!), of(a2!)];
    return (
      x.shape.join() === y.shape.join() &&
      truth(reduce.all(elementwise('equal', x, y), { axes: undefined, keepDims: false }))
    );
  });
  add('ndim', 'a', ({ a }) => of(a!).rank);
  add('shape', 'a', ({ a }) => new Tuple(of(a!).shape));
  add('size', 'a', ({ a }) => of(a!).size);
  add('set_printoptions', '**options', () => null);

  for (const [name, value] of Object.entries({ pi: Math.PI, e: Math.E, inf: Infinity, nan: NaN }))
    names.set(name, new Float(value));
  names.set('newaxis', null);
  for (const [name, dtype] of Object.entries(dtypes))
    if (name.length > 4 || name === 'bool_') names.set(name, dtype);
  const isArray = (value: Value) =>
    value instanceof ArrayValue && value.library === 'numpy' && !value.isScalar;
  names.set(
    'ndarray',
    new Builtin('numpy.ndarray', () => raise('TypeError', 'np.array makes an array'), isArray),
  );

  const drawn = new Map<string, Value>();
  const normal = (shape: readonly number[]) => random(machine, shape, 'normal', 'numpy');
  const uniform = (shape: readonly number[]) => random(machine, shape, 'uniform', 'numpy');
  const sizes = (size: Value) => (size === null ? [] : wholes(size, 'size'));
  const draw = (name: string, signature: string, call: (args: Args) => Value) =>
    drawn.set(name, define(name, signature, call));
  draw('seed', 'seed=0', ({ seed }) => setSeed(machine, seed === null ? 0 : seed!));
  draw('randn', '*shape', ({ shape }) => normal(wholes(shape!, 'shape')));
  draw('rand', '*shape', ({ shape }) => uniform(wholes(shape!, 'shape')));
  draw('random', 'size=None', ({ size }) => uniform(sizes(size!)));
  draw('standard_normal', 'size=None', ({ size }) => normal(sizes(size!)));
  draw('normal', 'loc=0.0, scale=1.0, size=None', ({ loc, scale, size }) =>
    arithmetic('+', arithmetic('*', normal(sizes(size!)), scale!), loc!),
  );
  draw('uniform', 'low=0.0, high=1.0, size=None', ({ low, high, size }) => {
    const [from, to] = [number(low!, 'low'), number(high!, 'high')];
    return arithmetic(
      '+',
      arithmetic('*', uniform(sizes(size!)), new Float(to - from)),
      new Float(from),
    );
  });
  draw('randint', 'low, high=None, size=None', ({ low, high, size }) =>
    randomIntegers(machine, low!, high!, size!, 'numpy'),
  );
  draw('permutation', 'x', ({ x }) => {
    const count = isNumber(x!) ? numberIn(x) : of(x!).shape[0]!;
    const keys = uniform([count]).numbers();
    const order = upTo(count).sort((a, b) => keys[a]! - keys[b]!);
    return isNumber(x!)
      ? fromNumbers(machine.recorder, order, [count], 'int64', 'numpy')
      : take(of(x!), order, 0);
  });
  const generator = new Module(
    'numpy.random.Generator',
    new Map([...drawn, ['integers', drawn.get('randint')!]]),
  );
  drawn.set(
    'default_rng',
    define('default_rng', 'seed=0', ({ seed }) => {
      setSeed(machine, seed === null ? 0 : seed!);
      return generator;
    }),
  );
  const randomModule = new Module('numpy.random', drawn);
  const norm = define('norm', 'x, axis=None, keepdims=False', ({ x, axis, keepdims }) => {
    const square = arithmetic('*', of(x!), of(x!));
    const own = axisOrNone(axis!);
    return unary(
      'sqrt',
      reduce.sum(square, {
        axes: own === undefined ? undefined : [own],
        keepDims: keepdims === true,
      }),
    );
  });
  const linalg = new Module('numpy.linalg', new Map([['norm', norm]]));
  names.set('random', randomModule);
  names.set('linalg', linalg);
  return [new Module('numpy', names), randomModule, linalg];
}

/** `where(condition, x, y)` */
export function choose(condition: ArrayValue, x: Value, y: Value): ArrayValue {
  const recorder = recorderOf([condition]);
  const kind = resultKind([x, y]);
  const library = [condition, x, y].some(
    (each) => each instanceof ArrayValue && each.library === 'torch',
  )
    ? 'torch'
    : 'numpy';
  const shape = broadcastShapes({ ...kind, library }, condition.shape, shapeOf(x), shapeOf(y));
  const made = recorder.make('where', [
    condition.recorded,
    recordedOf(recorder, x),
    recordedOf(recorder, y),
  ]);
  const dtype = kind.dtype === 'float64' && library === 'torch' ? 'float32' : kind.dtype;
  return new ArrayValue(recorder, repeatedTo(recorder, made, shape), shape, dtype, library);
}
