// x + y and so on, element by element, with NumPy's broadcasting.
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import { define, type Operation } from '../operation.js';
import { count } from '../sizes.js';
import { atom, back, broadcast, factor, signed } from './common.js';

interface Arithmetic {
  readonly call: 'add' | 'subtract' | 'multiply' | 'divide';
  readonly sign: string;
  tex(x: string, y: string): string;
  /** Gradients before what was repeated is added up. */
  gradient(tril: Tril, d: Tensor, x: Tensor, y: Tensor): readonly [Tensor, Tensor];
}

const arithmetic = ({ call, sign, tex, gradient }: Arithmetic): Operation =>
  define<object>({
    takes: ['x', 'y'],
    options: {},
    shape: ([x, y], _, fail) => broadcast(x!, y!, 'y', fail),
    run: (tril, [x, y]) => tril[call](x!, y!),
    cells: (index, { inputs }) => inputs.map((shape, i) => [[i, back(shape, index)]]),
    why: (terms) => terms.map(([number]) => signed(number!)).join(` ${sign} `),
    gradient: (tril, d, { tensors: [x, y] }) =>
      gradient(tril, d, x!, y!).map((each, i) => tril.sumTo(each, [x!, y!][i]!.shape)),
    numpy: (args) => args.map(atom).join(` ${sign} `),
    pytorch: (args) => args.map(atom).join(` ${sign} `),
    cpp: ([x, y], _, out) => `${call}(${x}, ${y}, ${out});`,
    flops: ({ output }) => count(output),
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
