// NumPy's functions that move numbers.
import { upTo } from '../../graph/operations/common.js';
import { ArrayValue } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import {
  alongAxis,
  axisIn,
  concatenate,
  expandDims,
  part,
  reshape,
  stack,
  transpose,
} from '../arrays/moves.js';
import type { Machine } from '../language/machine.js';
import { definer, integer, integers } from '../language/signature.js';
import { List, Slice, Tuple, type Value, isNumber } from '../language/values.js';
import { expand, flip, repeat, roll, tile } from './array-calls.js';
import { arraysOf, axisOrNone, splitBounds, toArray } from './make-arrays.js';

/** Functions that move numbers and compute none. */
export function addMoves(machine: Machine, names: Map<string, Value>): void {
  const of = (value: Value) => toArray(machine, value, 'numpy');
  const add = definer(names);
  add('reshape', 'a, newshape', ({ a, newshape }) => reshape(of(a!), integers(newshape!, 'shape')));
  add('transpose', 'a, axes=None', ({ a, axes }) => {
    const x = of(a!);
    return transpose(x, axes === null ? upTo(x.rank).reverse() : integers(axes!, 'axes'));
  });
  add('swapaxes', 'a, axis1, axis2', ({ a, axis1, axis2 }) =>
    machine.call(machine.attribute(of(a!), 'swapaxes'), [axis1!, axis2!]),
  );
  add('moveaxis', 'a, source, destination', ({ a, source, destination }) => {
    const x = of(a!);
    const [from, to] = [
      axisIn(x, integer(source!, 'source')),
      axisIn(x, integer(destination!, 'destination')),
    ];
    const order = upTo(x.rank).filter((axis) => axis !== from);
    order.splice(to, 0, from);
    return transpose(x, order);
  });
  add('expand_dims', 'a, axis', ({ a, axis }) => expandDims(of(a!), integers(axis!, 'axis')));
  add('broadcast_to', 'array, shape', ({ array, shape }) =>
    expand(of(array!), integers(shape!, 'shape')),
  );
  add('concatenate', 'arrays, axis=0', ({ arrays, axis }) => {
    const all = arraysOf(machine, arrays!, 'numpy');
    if (axis !== null) return concatenate(all, integer(axis!, 'axis'));
    return concatenate(
      all.map((x) => reshape(x, [-1])),
      0,
    );
  });
  add('stack', 'arrays, axis=0', ({ arrays, axis }) =>
    stack(arraysOf(machine, arrays!, 'numpy'), integer(axis!, 'axis')),
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
        const at = axisIn(x, integer(axis!, 'axis'));
        const bounds = splitBounds(x.shape[at]!, sections!, name === 'split');
        const parts = bounds
          .slice(1)
          .map((stop, i) => part(x, at, Math.min(bounds[i]!, stop), stop));
        return new List(parts);
      },
    );
  }
  add('repeat', 'a, repeats, axis=None', ({ a, repeats, axis }) => repeat(of(a!), repeats!, axis!));
  add('tile', 'A, reps', ({ A, reps }) => tile(of(A!), integers(reps!, 'reps')));
  add('flip', 'm, axis=None', ({ m, axis }) => {
    const x = of(m!);
    return flip(x, axis === null ? upTo(x.rank) : integers(axis!, 'axis'));
  });
  add('roll', 'a, shift, axis=None', ({ a, shift, axis }) =>
    roll(of(a!), integer(shift!, 'shift'), axisOrNone(axis!)),
  );
  add('take', 'a, indices, axis=None', ({ a, indices, axis }) =>
    alongAxis(of(a!), axisOrNone(axis!), (x, at) => {
      const before = upTo(at).map(() => new Slice(null, null, null));
      return getItem(x, new Tuple([...before, isNumber(indices!) ? indices : of(indices!)]));
    }),
  );
}
