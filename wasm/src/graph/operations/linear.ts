// A linear layer: x W^T + b, x [..., in], W [out, in], optional b [out].
import { define } from '../operation.js';
import { constant, count, equal, plus, shapeText, sizeText, times } from '../sizes.js';
import { atom, factor, product, rowsOf, signed, upTo, viewed } from './common.js';

export const linear = define<object>({
  takes: ['x', 'weight', 'bias?'],
  options: {},
  shape: ([x, weight, bias], _, fail) => {
    if (weight!.length !== 2) throw fail('weight', 'must have two axes');
    const [out, width] = [weight![0]!, x!.at(-1)!];
    if (!equal(width, weight![1]!)) {
      throw fail('weight', `${sizeText(weight![1]!)} columns meet rows of ${sizeText(width)}`);
    }
    if (bias && (bias.length !== 1 || !equal(bias[0]!, out))) {
      throw fail('bias', `must be ${shapeText([out])}`);
    }
    return [...x!.slice(0, -1), out];
  },
  run: (tril, [x, weight, bias]) => tril.linear(x!, weight!, bias),
  cells: (index, { inputs: [x, , bias] }) => {
    const [row, out] = [index.slice(0, -1), index.at(-1)!];
    const products = upTo(x!.at(-1)!).map((k) => [
      [0, [...row, k]] as const,
      [1, [out, k]] as const,
    ]);
    return bias ? [...products, [[2, [out]] as const]] : products;
  },
  why: (terms) => terms.map((factors) => factors.map(signed).join(' * ')).join(' + ') || '0',
  gradient: (tril, d, { tensors: [x, weight, bias] }) => {
    const { dX, dWeight, dBias } = tril.linearBackward(d, x!, weight!);
    return bias ? [dX, dWeight, dBias] : [dX, dWeight];
  },
  numpy: ([x, weight, bias]) =>
    `${atom(x!)} @ ${atom(weight!)}.T${bias === undefined ? '' : ` + ${atom(bias)}`}`,
  pytorch: (args) => `torch.nn.functional.linear(${args.join(', ')})`,
  cpp: ([x, weight, bias], { inputs, output }, out) => {
    const views = [viewed(x!, rowsOf(inputs[0]!)), `${weight}.view()`];
    const [rows, width] = [product(output.slice(0, -1)), output.at(-1)!];
    const last = [bias === undefined ? '{}' : `${bias}.view()`, viewed(out, [rows, width])];
    return `linear(${[...views, ...last].join(', ')});`;
  },
  flops: ({ inputs: [x, , bias], output }) =>
    plus(times(constant(2), count(output), x!.at(-1)!), bias ? count(output) : constant(0)),
  tex: ([x, weight, bias]) =>
    `${factor(x!)} ${factor(weight!)}^{\\top}${bias === undefined ? '' : ` + ${bias}`}`,
});
