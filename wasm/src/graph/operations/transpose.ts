// Transpose: the axes in another order, reversed unless `axes` names it.
import { define, integer, list } from '../operation.js';
import { constant } from '../sizes.js';
import { atom, factor, fromFront, indices, upTo } from './common.js';

const orderOf = (axes: readonly number[] | null, rank: number): readonly number[] =>
  axes ? axes.map((axis) => fromFront(axis, rank)) : upTo(rank).reverse();
const inverse = (order: readonly number[]): number[] => order.map((_, i) => order.indexOf(i));

export const transpose = define<{ axes: readonly number[] | null }>({
  takes: ['x'],
  options: { axes: list(integer(Number.NaN)) },
  then: 'axes',
  shape: ([x], { axes }, fail) => {
    const order = orderOf(axes, x!.length);
    const isEach = order.length === x!.length && x!.every((_, axis) => order.includes(axis));
    if (!isEach) throw fail('axes', `must name every axis once, are [${axes!.join(', ')}]`);
    return order.map((axis) => x![axis]!);
  },
  run: (tril, [x], { options }) => tril.transpose(x!, options.axes),
  cells: (index, { options }) => [
    [[0, inverse(orderOf(options.axes, index.length)).map((i) => index[i]!)]],
  ],
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { options, output }) => [
    tril.transpose(d, inverse(orderOf(options.axes, output.length))),
  ],
  numpy: ([x], { options }) =>
    options.axes ? `${atom(x!)}.transpose(${options.axes.join(', ')})` : `${atom(x!)}.T`,
  pytorch: ([x], { options, output }) =>
    options.axes || output.length !== 2
      ? `${atom(x!)}.permute(${orderOf(options.axes, output.length).join(', ')})`
      : `${atom(x!)}.T`,
  cpp: ([x], { options, output }, out) =>
    `copy(transpose(${x}, ${indices(orderOf(options.axes, output.length))}), ${out});`,
  flops: () => constant(0),
  tex: ([x], { options, output }) => {
    const order = orderOf(options.axes, output.length);
    const swapped = [...upTo(order.length - 2), order.length - 1, order.length - 2];
    const sign = order.join() === swapped.join() ? '\\top' : `(${order.join(', ')})`;
    return `${factor(x!)}^{${sign}}`;
  },
});
