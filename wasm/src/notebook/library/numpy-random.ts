// numpy.random.
import { arithmetic } from '../arrays/arithmetic.js';
import { sizeOf } from '../arrays/array.js';
import { fromNumbers } from '../arrays/make.js';
import { upTo } from '../../graph/operations/common.js';
import { reshape, take } from '../arrays/moves.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { truth } from '../language/comparisons.js';
import { define, definer, number, integers } from '../language/signature.js';
import { Float, Module, type Value, isNumber, isRow, numberIn } from '../language/values.js';
import { sortingWork } from './array-calls.js';
import { choosePlaces } from './drawn-places.js';
import { random, randomIntegers, setSeed, toArray } from './make-arrays.js';

/** NumPy's random numbers by name: our own, the same for the same seed. */
export function randomNames(machine: Machine): Map<string, Value> {
  const of = (value: Value) => toArray(machine, value, 'numpy');
  const drawn = new Map<string, Value>();
  const normal = (shape: readonly number[]) => random(machine, shape, 'normal', 'numpy');
  const uniform = (shape: readonly number[]) => random(machine, shape, 'uniform', 'numpy');
  const sizes = (size: Value) => (size === null ? [] : integers(size, 'size'));
  const draw = definer(drawn);
  draw('seed', 'seed=0', ({ seed }) => setSeed(machine, seed === null ? 0 : seed!));
  draw('randn', '*shape', ({ shape }) => normal(integers(shape!, 'shape')));
  draw('rand', '*shape', ({ shape }) => uniform(integers(shape!, 'shape')));
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
  draw('choice', 'a, size=None, replace=True, p=None', ({ a, size, replace, p }) => {
    const shape = sizes(size!);
    const drawing = { count: sizeOf(shape), replacement: truth(replace!) };
    const chances = p === null ? undefined : of(p!);
    const places = (population: number) => choosePlaces(machine, population, chances, drawing);
    if (isRow(a!) && size === null) return a.items[places(a.items.length)[0]!]!; // texts, too
    const x = of(a!);
    if (x.rank === 0 && x.dtype === 'int64') {
      const all = places(x.item());
      return size === null ? all[0]! : fromNumbers(machine.recorder, all, shape, 'int64', 'numpy');
    }
    if (x.rank !== 1) raise('ValueError', 'a must be 1-dimensional or an integer');
    return reshape(take(x, places(x.shape[0]!), 0), shape);
  });
  draw('permutation', 'x', ({ x }) => {
    const count = isNumber(x!) ? numberIn(x) : of(x!).shape[0]!;
    const keys = uniform([count]).numbers(sortingWork);
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
  return drawn;
}
