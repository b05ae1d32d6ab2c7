// Arithmetic: x + y and so on, element by element, with NumPy's broadcasting.
import { snakeCase } from '../../names.js';
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import { define, type Operation } from '../operation.js';
import { count } from '../sizes.js';
import { atom, back, broadcast, factor, signed } from './common.js';

interface Arithmetic {
  readonly call: 'add' | 'subtract' | 'multiply' | 'divide' | 'power' | 'maximum' | 'minimum';
  readonly sign: string;
  /** Names of the function, for operations that programs call and sentences write as `max(x, y)`. */
  readonly named?: { readonly sentence: string; readonly numpy: string; readonly pytorch: string };
  tex(x: string, y: string): string;
  /** Returns the gradients before the sum over broadcast axes. */
  gradient(tril: Tril, d: Tensor, x: Tensor, y: Tensor): readonly [Tensor, Tensor];
}

type Pairwise =
  Arithmetic['call'] | ('equal' | 'notEqual' | 'less' | 'lessEqual' | 'greater' | 'greaterEqual');

/** The common part of all operations on pairs of elements. */
const pairwise = (call: Pairwise) =>
  ({
    takes: ['x', 'y'],
    options: {},
    shape: ([x, y], _, fail) => broadcast(x!, y!, 'y', fail),
    run: (tril, [x, y]) => tril[call](x!, y!),
    cells: (index, { inputs }) => inputs.map((shape, i) => [[i, back(shape, index)]]),
    flops: ({ output }) => count(output),
  }) satisfies Partial<Operation<object>>;

const arithmetic = ({ call, sign, named, tex, gradient }: Arithmetic): Operation =>
  define<object>({
    ...pairwise(call),
    why: (terms) => {
      if (named) return `${named.sentence}(${terms.map(([number]) => number).join(', ')})`;
      return terms.map(([number]) => signed(number!)).join(` ${sign} `);
    },
    gradient: (tril, d, { tensors: [x, y] }) =>
      gradient(tril, d, x!, y!).map((each, i) => tril.sumTo(each, [x!, y!][i]!.shape)),
    numpy: (args) => (named ? `${named.numpy}(${args})` : args.map(atom).join(` ${sign} `)),
    pytorch: (args) => (named ? `${named.pytorch}(${args})` : args.map(atom).join(` ${sign} `)),
    cpp: ([x, y], _, out) =>
      named || call === 'power'
        ? `binary(Binary::${call}, ${x}, ${y}, ${out});`
        : `${call}(${x}, ${y}, ${out});`,
    tex: ([x, y]) => tex(x!, y!),
  });

export const add = arithmetic({
  ...{ call: 'add', sign: '+', tex: (x, y) => `${x} + ${y}` },
  gradient: (_, d) => [d, d],
});

export const subtract = arithmetic({
  ...{ call: 'subtract', sign: '-', tex: (x, y) => `${x} - ${factor(y)}` },
  gradient: (tril, d) => [d, tril.negate(d)],
});

export const multiply = arithmetic({
  ...{ call: 'multiply', sign: '*', tex: (x, y) => `${factor(x)} \\odot ${factor(y)}` },
  gradient: (tril, d, x, y) => [tril.multiply(d, y), tril.multiply(d, x)],
});

export const divide = arithmetic({
  ...{ call: 'divide', sign: '/', tex: (x, y) => `\\frac{${x}}{${y}}` },
  gradient: (tril, d, x, y) => {
    const dX = tril.divide(d, y);
    return [dX, tril.negate(tril.multiply(dX, tril.divide(x, y)))];
  },
});

export const power = arithmetic({
  ...{ call: 'power', sign: '**', tex: (x, y) => `{${factor(x)}}^{${y}}` },
  gradient: (tril, d, x, y) => {
    const dX = tril.multiply(d, tril.multiply(y, tril.power(x, tril.subtract(y, 1))));
    // log(0) is -inf, and 0 * -inf would be NaN.
    const logarithm = tril.where(tril.greater(x, 0), tril.log(x), 0);
    return [dX, tril.multiply(d, tril.multiply(tril.power(x, y), logarithm))];
  },
});

/** The larger or the smaller of two elements; equal elements each get half of the gradient. */
const extreme = (call: 'maximum' | 'minimum'): Operation => {
  const short = call.slice(0, 3);
  return arithmetic({
    ...{ call, sign: '', tex: (x, y) => `\\${short}\\left(${x}, ${y}\\right)` },
    named: { sentence: short, numpy: `np.${call}`, pytorch: `torch.${call}` },
    gradient: (tril, d, x, y) => {
      const half = tril.multiply(tril.equal(x, y), 0.5);
      const wins = call === 'maximum' ? tril.greater(x, y) : tril.less(x, y);
      const share = tril.add(wins, half);
      return [tril.multiply(d, share), tril.multiply(d, tril.subtract(1, share))];
    },
  });
};
export const maximum = extreme('maximum');
export const minimum = extreme('minimum');

/** A comparison: 1 where it is true, else 0. */
const comparison = (call: Pairwise, sign: string, tex: string): Operation =>
  define<object>({
    ...pairwise(call),
    why: (terms) => terms.map(([number]) => signed(number!)).join(` ${sign} `),
    gradient: () => [],
    numpy: (args) => `(${args.map(atom).join(` ${sign} `)}).astype(np.float32)`,
    pytorch: (args) => `(${args.map(atom).join(` ${sign} `)}).float()`,
    cpp: ([x, y], _, out) => `binary(Binary::${snakeCase(call)}, ${x}, ${y}, ${out});`,
    tex: (args) => `\\left[${args.join(` ${tex} `)}\\right]`,
  });

export const equal = comparison('equal', '==', '=');
export const notEqual = comparison('notEqual', '!=', '\\neq');
export const less = comparison('less', '<', '<');
export const lessEqual = comparison('lessEqual', '<=', '\\leq');
export const greater = comparison('greater', '>', '>');
export const greaterEqual = comparison('greaterEqual', '>=', '\\geq');
