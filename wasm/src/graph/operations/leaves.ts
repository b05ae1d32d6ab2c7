// The operations without inputs: the inputs of a graph, and its numbers, plain or named sizes.
import { define, list, size } from '../operation.js';
import { constant, evaluate, one, parseSize, sizeTex, type Size } from '../sizes.js';

const nothing = (): never => {
  throw new Error('an input is computed by nobody');
};

/** A tensor given to `run`. */
export const input = define<{ shape: readonly Size[] | null }>({
  takes: [],
  options: { shape: list(size(), true) },
  shape: (_, { shape }, fail) => {
    if (shape!.length === 0) throw fail('shape', 'must have at least one axis');
    return shape!.map((each) => parseSize('graph', 'shape', each));
  },
  run: nothing,
  cells: () => [],
  why: nothing,
  gradient: () => [],
  ...{ numpy: nothing, pytorch: nothing, cpp: nothing, tex: nothing },
  flops: () => constant(0),
});

/** One number: `2`, or a size such as `'D'`. */
export const number = define<{ value: Size }>({
  takes: [],
  options: { value: size() },
  then: 'value',
  shape: () => [one],
  run: (tril, _, { options, sizes }) =>
    tril.tensor([evaluate(parseSize('run', 'value', options.value), sizes)]),
  cells: () => [],
  why: (_, { options }) => String(options.value),
  gradient: () => [],
  numpy: (_, { options }) => String(options.value),
  pytorch: (_, { options }) => `torch.tensor(${options.value})`,
  cpp: (_, { options, sizes }, out) =>
    `${out}.data()[0] = ${evaluate(parseSize('program', 'value', options.value), sizes)};`,
  flops: () => constant(0),
  tex: (_, { options }) => sizeTex(parseSize('formula', 'value', options.value)),
});
