// Reductions: sum, mean and maximum along one axis, or of all elements.
import { define, integer, boolean, type Operation } from '../operation.js';
import { count, one, plus, type Sum } from '../sizes.js';
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import { atom, axisOf, fromFront, indices, python, put, signed, upTo } from './common.js';

interface Options {
  /** null: all axes. */
  readonly axis: number | null;
  readonly keepDims: boolean;
}

/** The reduced axes. */
const reduced = (axis: number | null, rank: number): number[] =>
  axis === null ? upTo(rank) : [fromFront(axis, rank)];

/** The shape of the result, with size 1 for reduced axes. */
const kept = <Size>(shape: readonly Size[], axis: number | null, of1: Size): Size[] =>
  shape.map((size, i) => (reduced(axis, shape.length).includes(i) ? of1 : size));

const added = (numbers: readonly string[]) => numbers.map(signed).join(' + ') || '0';

interface Reduction {
  readonly call: 'sum' | 'mean' | 'max' | 'min' | 'argmax';
  why(numbers: readonly string[], size: number): string;
  /** Returns the gradient of x from the gradient of the result with all axes kept. */
  gradient(tril: Tril, d: Tensor, x: Tensor, result: Tensor): Tensor | undefined;
  flops(elements: Sum, results: Sum): Sum;
  tex(x: string, below: string): string;
}

const reduction = (own: Reduction): Operation =>
  define<Options>({
    takes: ['x'],
    options: {
      axis: (call, argument, value) =>
        value === undefined || value === null ? null : integer(0)(call, argument, value),
      keepDims: boolean(false),
    },
    shape: ([x], { axis, keepDims }, fail) => {
      if (axis !== null) axisOf(axis, x!.length, fail);
      if (keepDims) return kept(x!, axis, one);
      const left = x!.filter((_, i) => !reduced(axis, x!.length).includes(i));
      return left.length > 0 ? left : [one];
    },
    run: (tril, [x], { options }) => tril[own.call](x!, options),
    cells: (index, { inputs: [x], options: { axis, keepDims } }) => {
      const axes = reduced(axis, x!.length);
      let next = 0;
      const start = x!.map((_, i) => {
        if (axes.includes(i)) return 0;
        return keepDims ? index[i]! : index[next++]!;
      });
      const all = axes.reduce<readonly (readonly number[])[]>(
        (cells, each) => cells.flatMap((cell) => upTo(x![each]!).map((i) => put(cell, each, i))),
        [start],
      );
      return all.map((cell) => [[0, cell]]);
    },
    why: (terms, { inputs: [x], options }) =>
      own.why(
        terms.map(([number]) => number!),
        reduced(options.axis, x!.length).reduce((size, axis) => size * x![axis]!, 1),
      ),
    gradient: (tril, d, { tensors: [x], result, options }) => {
      const shape = kept(x!.shape, options.axis, 1);
      return [own.gradient(tril, tril.reshape(d, shape), x!, tril.reshape(result, shape))];
    },
    numpy: ([x], { options, output }) => {
      const { axis, keepDims } = options;
      const call = `${atom(x!)}.${own.call}(axis=${axis ?? 'None'}, keepdims=${python(keepDims)})`;
      return axis === null && !keepDims ? `${call}.reshape(${output.join(', ')})` : call;
    },
    pytorch: ([x], { inputs, options, output }) => {
      const { axis, keepDims } = options;
      if (own.call === 'argmax') {
        const call = `torch.argmax(${x}, dim=${axis ?? 'None'}, keepdim=${python(keepDims)})`;
        return `${call}.float().reshape(${output.join(', ')})`;
      }
      const name = own.call.replace(/^m(?=ax|in)/, 'am');
      const axes = reduced(axis, inputs[0]!.length).join(', ');
      const call = `${atom(x!)}.${name}(dim=(${axes},), keepdim=${python(keepDims)})`;
      return axis === null && !keepDims ? `${call}.reshape(${output.join(', ')})` : call;
    },
    cpp: ([x], { inputs, options, output }, out) => {
      const axes = reduced(options.axis, inputs[0]!.length);
      const isOne = axes.length === inputs[0]!.length && output.length === 1;
      const target = isOne ? `AnyView<float>(*${out}.data())` : out;
      return `reduce(Reduce::${own.call}, ${x}, ${indices(axes)}, ${target});`;
    },
    flops: ({ inputs: [x], output }) => own.flops(count(x!), count(output)),
    tex: ([x], { options }) => own.tex(x!, options.axis === null ? '' : `_{${options.axis}}`),
  });

export const sum = reduction({
  call: 'sum',
  why: (numbers) => added(numbers),
  gradient: (tril, d, x) => tril.broadcastTo(d, x.shape),
  flops: (elements) => elements,
  tex: (x, below) => `\\sum${below} ${x}`,
});

export const mean = reduction({
  call: 'mean',
  why: (numbers, size) => `(${added(numbers)}) / ${size}`,
  gradient: (tril, d, x) =>
    tril.divide(tril.broadcastTo(d, x.shape), Math.max(1, x.size) / Math.max(1, d.size)),
  flops: (elements, results) => plus(elements, results),
  tex: (x, below) => `\\mathrm{mean}${below}\\left(${x}\\right)`,
});

const extreme = (call: 'max' | 'min'): Operation =>
  reduction({
    call,
    why: (numbers) => `${call}(${numbers.join(', ')})`,
    // Equal extremes share the gradient equally.
    gradient: (tril, d, x, result) => {
      const isExtreme = tril.equal(x, result);
      const share = tril.divide(d, tril.sumTo(isExtreme, d.shape));
      return tril.multiply(isExtreme, share);
    },
    flops: (elements) => elements,
    tex: (x, below) => `\\${call}${below} ${x}`,
  });
export const max = extreme('max');
export const min = extreme('min');

/** The index of the largest element: the first of equal elements. */
export const argmax = reduction({
  call: 'argmax',
  why: (numbers) => `argmax(${numbers.join(', ')})`,
  gradient: () => undefined,
  flops: (elements) => elements,
  tex: (x, below) => `\\arg\\max${below} ${x}`,
});
