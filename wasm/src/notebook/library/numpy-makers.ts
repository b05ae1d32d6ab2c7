// NumPy's functions that make arrays.
import { ArrayValue } from '../arrays/array.js';
import { arrayOf } from '../arrays/make.js';
import { upTo } from '../../graph/operations/common.js';
import { reshape } from '../arrays/moves.js';
import * as reduce from '../arrays/reductions.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { definer, integer, integers } from '../language/signature.js';
import { Float, List, Tuple, type Value } from '../language/values.js';
import { diag, diagonal, trace } from './array-calls.js';
import { arange, dtypeOf, eye, filled, filledLike, linspace, toArray } from './make-arrays.js';

/** Functions that make arrays. */
export function addMakers(machine: Machine, names: Map<string, Value>): void {
  const of = (value: Value) => toArray(machine, value, 'numpy');
  const add = definer(names);
  add('array', 'object, dtype=None, copy=True', ({ object, dtype }) => {
    const made = arrayOf(machine.recorder, object!, 'numpy', dtypeOf(dtype!, 'numpy'));
    return made.copy();
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
    add(`${name}_like`, 'a, dtype=None', ({ a, dtype }) =>
      filledLike(machine, of(a!), value, dtype!),
    );
  }
  add('full', 'shape, fill_value, dtype=None', ({ shape, fill_value, dtype }) =>
    filled(machine, shape!, fill_value!, dtype!, 'numpy'),
  );
  add('full_like', 'a, fill_value, dtype=None', ({ a, fill_value, dtype }) =>
    filledLike(machine, of(a!), fill_value!, dtype!),
  );
  add('arange', '*bounds, dtype=None', ({ bounds, dtype }) =>
    arange(machine, (bounds as Tuple).items, dtype!, 'numpy'),
  );
  add('linspace', 'start, stop, num=50, endpoint=True', ({ start, stop, num, endpoint }) =>
    linspace(machine, start!, stop!, num!, 'numpy', endpoint !== false),
  );
  add('eye', 'N, M=None, k=0, dtype=None', ({ N, M, k, dtype }) =>
    eye(machine, N!, M!, integer(k!, 'k'), dtype!, 'numpy'),
  );
  add('identity', 'n, dtype=None', ({ n, dtype }) => eye(machine, n!, null, 0, dtype!, 'numpy'));
  add('tri', 'N, M=None, k=0, dtype=None', ({ N, M, k, dtype }) => {
    const shape = new Tuple([N!, M === null ? N! : M!]);
    return reduce.triangle(
      filled(machine, shape, new Float(1), dtype!, 'numpy'),
      integer(k!, 'k'),
      false,
    );
  });
  add('tril', 'm, k=0', ({ m, k }) => reduce.triangle(of(m!), integer(k!, 'k'), false));
  add('triu', 'm, k=0', ({ m, k }) => reduce.triangle(of(m!), integer(k!, 'k'), true));
  for (const name of ['diag', 'diagonal', 'trace'] as const) {
    add(name, 'v, k=0', ({ v, k }) => {
      if (k !== 0)
        raise('NotImplementedError', 'diagonals beside the main one are not in this subset');
      return { diag, diagonal, trace }[name](of(v!));
    });
  }
  const placesIn = (shape: readonly number[]): Tuple[] =>
    shape.reduce<Tuple[]>(
      (all, size) =>
        all.flatMap(({ items }) => upTo(size).map((place) => new Tuple([...items, place]))),
      [new Tuple([])],
    );
  add('ndindex', '*shape', ({ shape }) => {
    const sizes = integers(shape!, 'shape');
    machine.recorder.check(sizes);
    return new List(placesIn(sizes));
  });
  add('ndenumerate', 'arr', ({ arr }) => {
    const x = of(arr!);
    const items = machine.iterate(reshape(x, [-1]));
    const places = placesIn(x.shape);
    return new List([...items].map((item, i) => new Tuple([places[i]!, item])));
  });
}
