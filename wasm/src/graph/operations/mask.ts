// Hides scores by -inf, or another number: those of keys after the query's own position, or where `seen` is 0.
import { define, number } from '../operation.js';
import { constant, numberOf } from '../sizes.js';
import { back, broadcast, product, triangle } from './common.js';

/** Whether a query may look, where no tensor says so. */
const isCausal = (index: readonly number[]): boolean => index.at(-1)! <= index.at(-2)!;

/** The number that hides, in a program, of which `inf` is the infinity. */
const written = (hidden: number, inf: string): string =>
  Number.isInteger(hidden) ? hidden.toFixed(1) : String(hidden).replace('Infinity', inf);

export const mask = define<{ hidden: number }>({
  takes: ['x', 'seen?'],
  options: { hidden: number(-Infinity) },
  shape: ([x, seen], _, fail) => {
    if (seen) {
      const shape = broadcast(x!, seen, 'seen', fail);
      const isNumber = x!.every((size) => numberOf(size) === 1);
      if (shape.length > x!.length && !isNumber)
        throw fail('seen', 'must have no more axes than x');
      return shape;
    }
    if (x!.length < 2) throw fail('x', 'must have at least two axes');
    return x!;
  },
  run: (tril, [x, seen], { options: { hidden } }) => {
    if (seen) return tril.where(seen, x!, hidden);
    return tril.where(triangle(tril, x!.shape.slice(-2)), x!, hidden);
  },
  cells: (index, { inputs: [x, seen] }, read) => {
    const place = [0, back(x!, index)] as const;
    if (!seen) return isCausal(index) ? [[place]] : [];
    const decides = [1, back(seen, index)] as const;
    return read(decides) === 0 ? [] : [[place]];
  },
  why: ([term], { options: { hidden } }) => term?.[0] ?? String(hidden).replace('Infinity', 'inf'),
  gradient: (tril, d, { tensors: [x, seen] }) => {
    const hides = seen ?? triangle(tril, x!.shape.slice(-2));
    return [tril.sumTo(tril.where(hides, d, 0), x!.shape)];
  },
  numpy: ([x, seen], { options: { hidden }, output }) => {
    const [rows, columns] = output.slice(-2);
    const shown = seen ?? `np.tri(${rows}, ${columns})`;
    return `np.where(${shown}, ${x}, np.float32(${written(hidden, 'np.inf')}))`;
  },
  pytorch: ([x, seen], { options: { hidden }, output }) => {
    const ones = `torch.ones(${output.slice(-2).join(', ')})`;
    return `torch.where((${seen ?? `${ones}.tril()`}).bool(), ${x}, ${written(hidden, 'torch.inf')})`;
  },
  cpp: ([x, seen], { options, output }, out) => {
    const hidden = written(options.hidden, 'INFINITY');
    if (seen !== undefined) {
      return `{ const float hidden = ${hidden}; where(${seen}, ${x}, hidden, ${out}); }`;
    }
    const [rows, columns] = output.slice(-2);
    const hides = `n % ${columns} > n / ${columns} % ${rows}`;
    return `for (Index n = 0; n < ${product(output)}; ++n)
  ${out}.data()[n] = ${hides} ? static_cast<float>(${hidden}) : ${x}.data()[n];`;
  },
  flops: () => constant(0),
  tex: ([x, seen]) => `\\mathrm{mask}\\left(${[x, seen].filter(Boolean).join(', ')}\\right)`,
});
