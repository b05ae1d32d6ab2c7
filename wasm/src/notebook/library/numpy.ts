// NumPy's functions.
import { arithmetic, elementwise, inverted, unary } from '../arrays/arithmetic.js';
import { ArrayValue, shortest } from '../arrays/array.js';
import { fromNumbers } from '../arrays/make.js';
import { reshape, stack, swapAxes } from '../arrays/moves.js';
import { dot, einsum, matmul } from '../arrays/products.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { binary } from '../language/operators.js';
import { type Args, define, definer, integer } from '../language/signature.js';
import { Builtin, Float, Module, Tuple, type Value, isNumber } from '../language/values.js';
import {
  absolute,
  choose,
  isAll,
  isClose,
  isEqual,
  round,
  sort,
  sortingWork,
} from './array-calls.js';
import { arrayAttribute } from './attributes.js';
import { along, dtypes, limitsOf, nonzero, toArray } from './make-arrays.js';
import { finite, finiteSignature, kinds, logical, plainFunctions } from './elementwise.js';
import { addMakers } from './numpy-makers.js';
import { addMoves } from './numpy-moves.js';
import { randomNames } from './numpy-random.js';
import { testingNames } from './numpy-testing.js';
import { printOptions, printSignatures } from './printing.js';

const signs = {
  ...{ add: '+', subtract: '-', multiply: '*', divide: '/', true_divide: '/', power: '**' },
  ...{ mod: '%', floor_divide: '//', equal: '==', not_equal: '!=' },
  ...{ less: '<', less_equal: '<=', greater: '>', greater_equal: '>=' },
};

export function numpyModules(machine: Machine): Module[] {
  const names = new Map<string, Value>();
  const of = (value: Value) => toArray(machine, value, 'numpy');
  const add = definer(names);
  /** A function that is also a method. */
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
  /** An elementwise function of one array. */
  const each = (name: string, call: (x: ArrayValue) => ArrayValue) =>
    add(name, 'x', ({ x }) => call(of(x!)));

  addMakers(machine, names);
  for (const name of ['exp', 'log', 'sqrt', 'tanh']) each(name, (x) => unary(name, x));
  for (const [name, call] of Object.entries(plainFunctions)) {
    each(name, (x) => {
      if (name === 'sign' && x.dtype === 'bool')
        raise(
          'UFuncTypeError',
          "ufunc 'sign' did not contain a loop with signature matching types",
        );
      return call(x);
    });
  }
  for (const name of ['abs', 'absolute', 'fabs']) each(name, absolute);
  each('square', (x) => arithmetic('*', x, x));
  each('negative', (x) => arithmetic('*', x, -1));
  each('reciprocal', (x) => arithmetic('/', 1, x));
  each('logical_not', (x) => elementwise('equal', x, 0));
  each('invert', inverted);
  for (const [name, call] of Object.entries(kinds)) each(name, call);
  add('nan_to_num', `x, ${finiteSignature}`, (args) => finite(of(args['x']!), args));

  for (const [name, sign] of Object.entries(signs)) {
    add(name, 'x1, x2', ({ x1, x2 }) => arithmetic(sign, of(x1!), isNumber(x2!) ? x2 : of(x2!)));
  }
  for (const name of ['maximum', 'minimum']) {
    add(name, 'x1, x2', ({ x1, x2 }) => elementwise(name, of(x1!), isNumber(x2!) ? x2 : of(x2!)));
  }
  for (const [name, call] of Object.entries(logical))
    add(name, 'x1, x2', ({ x1, x2 }) => call(of(x1!), of(x2!)));

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
  add('sort', 'a, axis=-1', ({ a, axis }) => sort(of(a!), integer(axis!, 'axis')).values);
  for (const name of ['round', 'around'])
    add(name, 'a, decimals=0', ({ a, decimals }) => round(of(a!), integer(decimals!, 'decimals')));
  add('median', 'a', ({ a }) => {
    const numbers = [...of(a!).numbers(sortingWork)].sort((x, y) => x - y);
    const middle = numbers.length >> 1;
    return new Float(
      shortest(
        numbers.length % 2 === 1 ? numbers[middle]! : (numbers[middle - 1]! + numbers[middle]!) / 2,
      ),
    );
  });
  add('unique', 'a', ({ a }) => {
    const x = of(a!);
    const all = [...new Set(x.numbers(sortingWork))].sort((p, q) => p - q);
    return fromNumbers(machine.recorder, all, [all.length], x.dtype, 'numpy');
  });

  addMoves(machine, names);
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
    return matmul(x, y.rank < 2 ? y : swapAxes(y, -1, -2));
  });
  add('einsum', 'subscripts, *operands', ({ subscripts, operands }) =>
    einsum(String(subscripts), (operands as Tuple).items.map(of)),
  );

  const closeness = (args: Args) => isClose(of(args['a']!), of(args['b']!), args);
  const tolerances = 'rtol=1e-5, atol=1e-8, equal_nan=False';
  add('isclose', `a, b, ${tolerances}`, closeness);
  add('allclose', `a, b, ${tolerances}`, (args) => isAll(closeness(args)));
  add('array_equal', 'a1, a2', ({ a1, a2 }) => isEqual(of(a1!), of(a2!)));
  add('finfo', 'dtype', ({ dtype }) => limitsOf(dtype!, 'numpy'));
  add('ndim', 'a', ({ a }) => of(a!).rank);
  add('shape', 'a', ({ a }) => new Tuple(of(a!).shape));
  add('size', 'a', ({ a }) => of(a!).size);
  add('set_printoptions', printSignatures.numpy, printOptions(machine, 'numpy'));

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

  const drawn = randomNames(machine);
  const randomModule = new Module('numpy.random', drawn);
  const norm = define('norm', 'x, axis=None, keepdims=False', ({ x, axis, keepdims }) => {
    const square = arithmetic('*', of(x!), of(x!));
    return unary('sqrt', reduce.sum(square, along(axis!, keepdims)));
  });
  const linalg = new Module('numpy.linalg', new Map([['norm', norm]]));
  names.set('random', randomModule);
  names.set('linalg', linalg);
  const testing = new Module('numpy.testing', testingNames(machine));
  names.set('testing', testing);
  return [new Module('numpy', names), randomModule, linalg, testing];
}
