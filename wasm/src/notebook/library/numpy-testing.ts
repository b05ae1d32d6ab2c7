// numpy.testing: assertions about arrays.
import { jointShape, shapeWords } from '../arrays/arithmetic.js';
import type { ArrayValue } from '../arrays/array.js';
import { raise } from '../language/errors.js';
import type { Machine } from '../language/machine.js';
import { type Args, definer, integer } from '../language/signature.js';
import { Float, type Value } from '../language/values.js';
import { isClose } from './array-calls.js';
import { toArray } from './make-arrays.js';

export function testingNames(machine: Machine): Map<string, Value> {
  const names = new Map<string, Value>();
  const add = definer(names);
  const compare = (args: Args, about: string, tolerances: Args): null => {
    const [x, y] = ['actual', 'desired'].map((name) => toArray(machine, args[name]!, 'numpy')) as [
      ArrayValue,
      ArrayValue,
    ];
    if (!jointShape(x.shape, y.shape)) {
      const shapes = [x, y].map(({ shape }) => shapeWords(shape)).join(', ');
      raise('AssertionError', `${about}: shapes ${shapes} mismatch`);
    }
    const close = isClose(x, y, tolerances);
    const wrong = close.numbers().filter((each) => each === 0).length;
    if (wrong > 0)
      raise('AssertionError', `${about}: mismatched elements: ${wrong} / ${close.size}`);
    return null;
  };
  add('assert_allclose', 'actual, desired, rtol=1e-7, atol=0, equal_nan=True', (args) => {
    const [rtol, atol] = [args['rtol']!, args['atol']!];
    return compare(args, 'Not equal to tolerance', {
      ...{ rtol, atol, equal_nan: args['equal_nan']! },
    });
  });
  const zero = new Float(0);
  add('assert_array_equal', 'actual, desired', (args) =>
    compare(args, 'Arrays are not equal', { rtol: zero, atol: zero, equal_nan: true }),
  );
  for (const name of ['assert_almost_equal', 'assert_array_almost_equal']) {
    add(name, `actual, desired, decimal=${name.includes('array') ? 6 : 7}`, (args) => {
      const decimal = integer(args['decimal']!, 'decimal');
      return compare(args, `Arrays are not almost equal to ${decimal} decimals`, {
        ...{ rtol: zero, atol: new Float(1.5 * 10 ** -decimal), equal_nan: true },
      });
    });
  }
  return names;
}
