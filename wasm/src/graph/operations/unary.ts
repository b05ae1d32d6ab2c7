// Functions of one element: exp, log, negate, sqrt, tanh and the activations.
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import { define, type Operation } from '../operation.js';
import { constant, count, times } from '../sizes.js';
import { atom, factor, rowsOf, signed, viewed } from './common.js';

interface Unary {
  readonly call: 'exp' | 'log' | 'negate' | 'sqrt' | 'tanh' | 'relu' | 'gelu' | 'silu';
  why(x: string): string;
  gradient(tril: Tril, d: Tensor, x: Tensor, result: Tensor): Tensor;
  numpy(x: string): string;
  readonly helper?: string;
  pytorch?(x: string): string;
  tex?(x: string): string;
  /** Floating-point operations per element (default 1). */
  readonly flops?: number;
}

const activations = ['relu', 'gelu', 'silu'];

const unary = (own: Unary): Operation =>
  define<object>({
    takes: ['x'],
    options: {},
    shape: ([x]) => x!,
    run: (tril, [x]) => tril[own.call](x!),
    cells: (index) => [[[0, index]]],
    why: ([[x] = ['']]) => own.why(x!),
    gradient: (tril, d, { tensors: [x], result }) => [own.gradient(tril, d, x!, result)],
    numpy: ([x]) => own.numpy(x!),
    ...(own.helper !== undefined && { helper: own.helper }),
    pytorch: ([x]) => own.pytorch?.(x!) ?? `torch.${own.call}(${x})`,
    cpp: ([x], { output }, out) => {
      if (!activations.includes(own.call)) return `unary(Unary::${own.call}, ${x}, ${out});`;
      const [from, to] = [x!, out].map((name) => viewed(name, rowsOf(output)));
      return `activate(Activation::${own.call}, ${from}, ${to});`;
    },
    flops: ({ output }) => times(constant(own.flops ?? 1), count(output)),
    tex: ([x]) => own.tex?.(x!) ?? `\\mathrm{${own.call}}\\left(${x}\\right)`,
  });

export const exp = unary({
  call: 'exp',
  why: (x) => `e^${signed(x)}`,
  gradient: (tril, d, _, result) => tril.multiply(d, result),
  numpy: (x) => `np.exp(${x})`,
  tex: (x) => `e^{${x}}`,
});

export const log = unary({
  call: 'log',
  why: (x) => `log(${x})`,
  gradient: (tril, d, x) => tril.divide(d, x),
  numpy: (x) => `np.log(${x})`,
  tex: (x) => `\\log\\left(${x}\\right)`,
});

export const negate = unary({
  call: 'negate',
  why: (x) => `-${signed(x)}`,
  gradient: (tril, d) => tril.negate(d),
  numpy: (x) => `-${atom(x)}`,
  pytorch: (x) => `-${atom(x)}`,
  tex: (x) => `-${factor(x)}`,
  flops: 0, // a change of sign
});

export const sqrt = unary({
  call: 'sqrt',
  why: (x) => `sqrt(${x})`,
  gradient: (tril, d, _, result) => tril.divide(d, tril.multiply(result, 2)),
  numpy: (x) => `np.sqrt(${x})`,
  tex: (x) => `\\sqrt{${x}}`,
});

export const tanh = unary({
  call: 'tanh',
  why: (x) => `tanh(${x})`,
  gradient: (tril, d, _, result) =>
    tril.multiply(d, tril.subtract(1, tril.multiply(result, result))),
  numpy: (x) => `np.tanh(${x})`,
  tex: (x) => `\\tanh\\left(${x}\\right)`,
});

export const relu = unary({
  call: 'relu',
  why: (x) => `max(${x}, 0)`,
  gradient: (tril, d, x) => tril.reluBackward(d, x),
  numpy: (x) => `np.maximum(${x}, 0)`,
});

export const gelu = unary({
  call: 'gelu',
  why: (x) => `${signed(x)} * (1 + erf(${signed(x)} / sqrt(2))) / 2`,
  gradient: (tril, d, x) => tril.geluBackward(d, x),
  numpy: (x) => `gelu(${x})`,
  helper: `def gelu(x):
    return x * (1 + np.vectorize(math.erf, otypes=[x.dtype])(x / math.sqrt(2))) / 2`,
  pytorch: (x) => `torch.nn.functional.gelu(${x})`,
  flops: 5,
});

export const silu = unary({
  call: 'silu',
  why: (x) => `${signed(x)} / (1 + e^(-${signed(x)}))`,
  gradient: (tril, d, x) => tril.siluBackward(d, x),
  numpy: (x) => `${atom(x)} / (1 + np.exp(-${atom(x)}))`,
  pytorch: (x) => `torch.nn.functional.silu(${x})`,
  flops: 3,
});
