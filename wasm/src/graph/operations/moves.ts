// Operations that move numbers without computing any: reshape, slice and concatenate.
import { define, integer, list, size } from '../operation.js';
import { constant, count, equal, evaluate, minus, numberOf, parseSize, plus } from '../sizes.js';
import { shapeText, sizeText, type Size, type Sizes } from '../sizes.js';
import { atom, axisOf, braces, fromFront, indices, put, ravel, unravel, upTo } from './common.js';

/** The elements in row-major order, in another shape. */
export const reshape = define<{ shape: readonly Size[] | null }>({
  takes: ['x'],
  options: { shape: list(size(), true) },
  then: 'shape',
  shape: ([x], options, fail) => {
    const shape = options.shape!.map((each) => parseSize('graph', 'shape', each));
    if (shape.length === 0) throw fail('shape', 'must have at least one axis');
    if (equal(count(x!), count(shape))) return shape;
    const [has, needs] = [count(x!), count(shape)].map(sizeText);
    throw fail('shape', `cannot be ${shapeText(shape)}: ${needs} elements of ${has}`);
  },
  run: (tril, [x], { output }) => tril.reshape(x!, output),
  cells: (index, { inputs: [x], output }) => [[[0, unravel(x!, ravel(output, index))]]],
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { inputs: [x] }) => [tril.reshape(d, x!)],
  numpy: ([x], { output }) => `${atom(x!)}.reshape(${output.join(', ')})`,
  pytorch: ([x], { output }) => `${atom(x!)}.reshape(${output.join(', ')})`,
  cpp: ([x], { output }, out) => `copy(reshape(${x}, ${indices(output)}), ${out});`,
  flops: () => constant(0),
  tex: ([x], { output }) =>
    `\\mathrm{reshape}_{${output.map(sizeText).join(' \\times ')}}\\left(${x}\\right)`,
});

interface Part {
  readonly axis: number;
  readonly start: Size;
  /** null: up to the end. */
  readonly stop: Size | null;
}

/** Returns the axis and both bounds of a slice, in numbers. */
function boundsOf({ axis, start, stop }: Part, shape: readonly number[], sizes: Sizes) {
  const at = fromFront(axis, shape.length);
  const number = (bound: Size) => evaluate(parseSize('slice', 'start', bound), sizes);
  return { at, first: number(start), last: stop === null ? shape[at]! : number(stop) };
}

/** The part of an axis from `start` up to but excluding `stop`. */
export const slice = define<Part>({
  takes: ['x'],
  options: {
    axis: integer(0),
    start: size(0),
    stop: (call, argument, value) =>
      value === undefined || value === null ? null : size()(call, argument, value),
  },
  shape: ([x], { axis, start, stop }, fail) => {
    const at = axisOf(axis, x!.length, fail);
    const first = parseSize('graph', 'start', start);
    const last = stop === null ? x![at]! : parseSize('graph', 'stop', stop);
    const [before, length, after] = [first, minus(last, first), minus(x![at]!, last)].map(numberOf);
    if (before !== undefined && before < 0) throw fail('start', `must be at least 0, is ${start}`);
    if ((length ?? 0) < 0) throw fail('stop', `must not be before start, is ${stop}`);
    if ((after ?? 0) < 0) throw fail('stop', `must not be after the end of the axis, is ${stop}`);
    return x!.map((each, i) => (i === at ? minus(last, first) : each));
  },
  run: (tril, [x], { options, sizes }) => {
    const { at, first, last } = boundsOf(options, x!.shape, sizes);
    return tril.slice(x!, [...upTo(at).map(() => null), [first, last]]);
  },
  cells: (index, { inputs: [x], options, sizes }) => {
    const { at, first } = boundsOf(options, x!, sizes);
    return [[[0, put(index, at, index[at]! + first)]]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { inputs: [x], options, sizes }) => {
    const { at, first, last } = boundsOf(options, x!, sizes);
    return [tril.sliceBackward(d, x!, [...upTo(at).map(() => null), [first, last]])];
  },
  numpy: ([x], { inputs, options, sizes }) => {
    const { at, first, last } = boundsOf(options, inputs[0]!, sizes);
    return `${atom(x!)}[${[...upTo(at).map(() => ':'), `${first}:${last}`].join(', ')}]`;
  },
  pytorch: ([x], { inputs, options, sizes }) => {
    const { at, first, last } = boundsOf(options, inputs[0]!, sizes);
    return `${atom(x!)}[${[...upTo(at).map(() => ':'), `${first}:${last}`].join(', ')}]`;
  },
  cpp: ([x], { inputs, options, sizes }, out) => {
    const { at, first, last } = boundsOf(options, inputs[0]!, sizes);
    const part = `{.start = ${first}, .stop = ${last}}`;
    return `copy(slice_axis(${x}, ${at}, ${part}, "slice"), ${out});`;
  },
  flops: () => constant(0),
  tex: ([x], { options, inputs }) => {
    const last = options.stop ?? sizeText(inputs[0]![fromFront(options.axis, inputs[0]!.length)]!);
    const before = fromFront(options.axis, inputs[0]!.length);
    return `${x}_{${[...upTo(before).map(() => ':'), `${options.start}:${last}`].join(',\\,')}}`;
  },
});

/** Tensors joined along an axis that they have. */
export const concatenate = define<{ axis: number }>({
  takes: ['...'],
  options: { axis: integer(0) },
  shape: (inputs, { axis }, fail) => {
    const first = inputs[0]!;
    const at = axisOf(axis, first.length, fail);
    for (const [i, each] of inputs.entries()) {
      const fits =
        each.length === first.length && each.every((n, k) => k === at || equal(n, first[k]!));
      if (!fits) throw fail(`tensors[${i}]`, `must differ from the first in axis ${at} alone`);
    }
    return first.map((n, k) => (k === at ? plus(...inputs.map((each) => each[at]!)) : n));
  },
  run: (tril, inputs, { options }) => tril.concatenate(inputs, options),
  cells: (index, { inputs, options }) => {
    const axis = fromFront(options.axis, index.length);
    let place = index[axis]!;
    const input = inputs.findIndex((shape) => {
      if (place < shape[axis]!) return true;
      place -= shape[axis]!;
      return false;
    });
    return [[[input, put(index, axis, place)]]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { inputs, options }) => {
    const axis = fromFront(options.axis, d.rank);
    let end = 0;
    const ends = inputs.map((shape) => (end += shape[axis]!));
    return tril.split(d, ends.slice(0, -1), { axis });
  },
  numpy: (args, { options }) => `np.concatenate([${args.join(', ')}], axis=${options.axis})`,
  pytorch: (args, { options }) => `torch.cat([${args.join(', ')}], dim=${options.axis})`,
  cpp: (args, { options }, out) => {
    const views = `std::array<AnyView<const float>, ${args.length}>${braces(args)}`;
    return `join(Join::concatenate, ${views}, ${options.axis}, ${out});`;
  },
  flops: () => constant(0),
  tex: (args) => `\\left[${args.join(';\\, ')}\\right]`,
});
