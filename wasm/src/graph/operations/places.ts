// Operations that take numbers from places, put numbers to places, or choose numbers by a condition.
import { define, integer, list } from '../operation.js';
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import { constant, count, numberOf, sizeText } from '../sizes.js';
import { atom, axisOf, back, braces, broadcast, fromFront, product } from './common.js';
import { put as moved, ravel, unravel, upTo } from './common.js';

const vector = (values: readonly number[]): string =>
  `const std::vector<Index> at${braces(values)};`;
const text = (values: readonly number[]): string => `[${values.join(', ')}]`;

/** Moves `axis` to the front and joins all other axes into one row; rowsBack is the inverse. */
function rowsFirst(tril: Tril, x: Tensor, axis: number): Tensor {
  const order = [axis, ...upTo(x.rank).filter((each) => each !== axis)];
  const front = tril.transpose(x, order);
  return tril.reshape(front, [x.shape[axis]!, product(front.shape.slice(1))]);
}
function rowsBack(tril: Tril, rows: Tensor, shape: readonly number[], axis: number): Tensor {
  const others = upTo(shape.length).filter((each) => each !== axis);
  const front = tril.reshape(rows, [rows.shape[0]!, ...others.map((each) => shape[each]!)]);
  return tril.transpose(front, [
    ...others.slice(0, axis).map((_, i) => i + 1),
    0,
    ...others.slice(axis).map((_, i) => i + 1 + axis),
  ]);
}

/** Parts of an axis, selected by index in any order and number, as numpy.take. */
export const take = define<{ axis: number; indices: readonly number[] | null }>({
  takes: ['x'],
  options: { axis: integer(0), indices: list(integer(Number.NaN), true) },
  shape: ([x], { axis, indices }, fail) => {
    const at = axisOf(axis, x!.length, fail);
    const size = numberOf(x![at]!) ?? Infinity;
    const wrong = indices!.find((each) => each < 0 || each >= size);
    if (wrong === undefined)
      return x!.map((each, i) => (i === at ? constant(indices!.length) : each));
    throw fail('indices', `there is no ${wrong} in an axis of ${sizeText(x![at]!)}`);
  },
  run: (tril, [x], { options, output }) => {
    const axis = fromFront(options.axis, x!.rank);
    if (product(output) === 0) return tril.zeros(output);
    return rowsBack(
      tril,
      tril.embedding([...options.indices!], rowsFirst(tril, x!, axis)),
      output,
      axis,
    );
  },
  cells: (index, { options }) => {
    const axis = fromFront(options.axis, index.length);
    return [[[0, moved(index, axis, options.indices![index[axis]!]!)]]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { inputs: [x], options }) => {
    const axis = fromFront(options.axis, d.rank);
    if (d.size === 0) return [tril.zeros(x!)];
    const rows = tril.embeddingBackward(rowsFirst(tril, d, axis), [...options.indices!], x![axis]!);
    return [rowsBack(tril, rows, x!, axis)];
  },
  numpy: ([x], { options }) => `np.take(${x}, ${text(options.indices!)}, axis=${options.axis})`,
  pytorch: ([x], { options }) =>
    `torch.index_select(${x}, ${options.axis}, torch.tensor(${text(options.indices!)}, dtype=torch.long))`,
  cpp: ([x], { inputs: [shape], output, options }, out) => {
    const axis = fromFront(options.axis, output.length);
    const [outer, inner] = [product(output.slice(0, axis)), product(output.slice(axis + 1))];
    const from = `(o * ${shape![axis]} + at[k]) * ${inner} + i`;
    return `{
  ${vector(options.indices!)}
  for (Index o = 0; o < ${outer}; ++o)
    for (std::size_t k = 0; k < at.size(); ++k)
      for (Index i = 0; i < ${inner}; ++i)
        ${out}.data()[(o * static_cast<Index>(at.size()) + static_cast<Index>(k)) * ${inner} + i] = ${x}.data()[${from}];
}`;
  },
  flops: () => constant(0),
  tex: ([x], { options }) => `${x}_{\\{${options.indices!.join(', ')}\\}}`,
});

/** The last value at each place, and the position in that value. */
function owners(places: readonly (readonly number[])[]): Map<number, readonly [number, number]> {
  return new Map(
    places.flatMap((each, value) => each.map((place, i) => [place, [value, i] as const] as const)),
  );
}

/** Adds numbers into a row at their places. */
const scattered = (
  tril: Tril,
  numbers: Tensor,
  places: readonly number[],
  shape: readonly number[],
) =>
  tril.reshape(
    tril.embeddingBackward(tril.reshape(numbers, [places.length, 1]), [...places], product(shape)),
    shape,
  );

/** 1 at these places, else 0. */
const marked = (tril: Tril, places: readonly number[], shape: readonly number[]) =>
  places.length === 0
    ? tril.zeros(shape)
    : scattered(tril, tril.add(tril.zeros([places.length]), 1), places, shape);

/** `x` with the elements of other values at places of its row-major order: later values win. */
export const put = define<{ places: readonly (readonly number[])[] }>({
  takes: ['...'],
  options: {
    places: (call, argument, value) =>
      list(list(integer(Number.NaN), true), true)(
        call,
        argument,
        value,
      ) as readonly (readonly number[])[],
  },
  shape: ([x, ...values], { places }, fail) => {
    const size = numberOf(count(x!)) ?? Infinity;
    if (places.length !== values.length) throw fail('places', 'must be one list for each value');
    for (const [i, each] of places.entries()) {
      const [has, needs] = [numberOf(count(values[i]!)) ?? each.length, each.length];
      if (has !== needs) throw fail(`tensors[${i + 1}]`, `has ${has} numbers for ${needs} places`);
      const wrong = each.find((place) => place < 0 || place >= size);
      if (wrong !== undefined) throw fail('places', `there is no ${wrong}`);
    }
    return x!;
  },
  run: (tril, [x, ...values], { options, output }) => {
    const last = [...owners(options.places)];
    if (last.length === 0) return tril.reshape(x!, output);
    let before = 0;
    const starts = options.places.map(({ length }) => (before += length) - length);
    const rows = tril.concatenate(values.map((each) => tril.reshape(each, [each.size, 1])));
    const [places, from] = [last.map(([place]) => place), last.map(([, [i, n]]) => starts[i]! + n)];
    const given = scattered(tril, tril.embedding(from, rows), places, output);
    return tril.where(marked(tril, places, output), given, x!);
  },
  cells: (index, { inputs: [x, ...values], options }) => {
    const place = ravel(x!, index);
    for (const [i, each] of [...options.places.entries()].reverse()) {
      const at = each.lastIndexOf(place);
      if (at >= 0) return [[[i + 1, unravel(values[i]!, at)]]];
    }
    return [[[0, index]]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { inputs: [x, ...values], options }) => {
    const last = owners(options.places);
    const flat = tril.reshape(d, [d.size, 1]);
    const own = options.places.map((each, i) => {
      if (each.length === 0) return tril.zeros(values[i]!);
      const counts = each.map((place, n) => {
        const [value, number] = last.get(place)!;
        return value === i && number === n ? 1 : 0;
      });
      const row = tril.reshape(tril.embedding([...each], flat), values[i]!);
      return tril.multiply(row, tril.tensor(values[i]!, Float32Array.from(counts)));
    });
    return [tril.where(marked(tril, [...last.keys()], x!), 0, d), ...own];
  },
  numpy: ([x, ...values], { options }) =>
    values.reduce((all, each, i) => `put(${all}, ${text(options.places[i]!)}, ${each})`, x!),
  helper: `def put(x, places, values):
    x = np.array(x)
    x.reshape(-1)[places] = np.reshape(values, -1)
    return x`,
  pytorch: ([x, ...values], { options, output }) => {
    const puts = values.map((each, i) => {
      const places = `torch.tensor(${text(options.places[i]!)}, dtype=torch.long)`;
      return `.index_put((${places},), ${atom(each)}.reshape(-1))`;
    });
    return `${atom(x!)}.reshape(-1)${puts.join('')}.reshape(${output.join(', ')})`;
  },
  cpp: ([x, ...values], { options, output }, out) => {
    const lines = values.map((each, i) => {
      const places = vector(options.places[i]!);
      return `{ ${places} for (std::size_t k = 0; k < at.size(); ++k) ${out}.data()[at[k]] = ${each}.data()[k]; }`;
    });
    const copy = `for (Index n = 0; n < ${product(output)}; ++n) ${out}.data()[n] = ${x}.data()[n];`;
    return [copy, ...lines].join('\n');
  },
  flops: () => constant(0),
  tex: (args) => `\\mathrm{put}\\left(${args.join(', ')}\\right)`,
});

/** `x` where `condition` is not 0, and `y` elsewhere, with broadcasting. */
export const where = define<object>({
  takes: ['condition', 'x', 'y'],
  options: {},
  shape: ([condition, x, y], _, fail) =>
    broadcast(condition!, broadcast(x!, y!, 'y', fail), 'condition', fail),
  run: (tril, [condition, x, y]) => tril.where(condition!, x!, y!),
  cells: (index, { inputs: [condition, x, y] }, read) => {
    const decides = [0, back(condition!, index)] as const;
    return [[read(decides) === 0 ? [2, back(y!, index)] : [1, back(x!, index)]]];
  },
  why: ([[number] = ['']]) => number!,
  gradient: (tril, d, { tensors: [condition, x, y] }) => [
    undefined,
    tril.sumTo(tril.where(condition!, d, 0), x!.shape),
    tril.sumTo(tril.where(condition!, 0, d), y!.shape),
  ],
  numpy: ([condition, x, y]) => `np.where(${condition}, ${x}, ${y})`,
  pytorch: ([condition, x, y]) => `torch.where(${atom(condition!)}.bool(), ${x}, ${y})`,
  cpp: (args, _, out) => `where(${[...args, out].join(', ')});`,
  flops: () => constant(0),
  tex: ([condition, x, y]) =>
    `\\begin{cases} ${x} & ${condition} \\\\ ${y} & \\text{else} \\end{cases}`,
});
