// Hides scores by -inf: those of keys behind the query's own position, or where `seen` is 0.
import { define } from '../operation.js';
import { constant } from '../sizes.js';
import { back, broadcast, product } from './common.js';

/** Whether a query may look, where no tensor says so. */
const isCausal = (index: readonly number[]): boolean => index.at(-1)! <= index.at(-2)!;

export const mask = define<object>({
  takes: ['x', 'seen?'],
  options: {},
  shape: ([x, seen], _, fail) => {
    if (seen) {
      const shape = broadcast(x!, seen, 'seen', fail);
      if (shape.length > x!.length) throw fail('seen', 'must have no more axes than x');
      return shape;
    }
    if (x!.length < 2) throw fail('x', 'must have at least two axes');
    return x!;
  },
  run: (tril, [x, seen]) => {
    if (seen) return tril.where(seen, x!, -Infinity);
    return tril.add(x!, tril.mask.toTensor(tril.mask.causal(), x!.shape.slice(-2)));
  },
  cells: (index, { inputs: [x, seen] }, read) => {
    const place = [0, back(x!, index)] as const;
    if (!seen) return isCausal(index) ? [[place]] : [];
    const decides = [1, back(seen, index)] as const;
    return read(decides) === 0 ? [] : [[place]];
  },
  why: ([[number] = ['-inf']]) => number!,
  gradient: (tril, d, { tensors: [x, seen] }) => {
    const hides = seen ?? tril.exp(tril.mask.toTensor(tril.mask.causal(), x!.shape.slice(-2)));
    return [tril.sumTo(tril.where(hides, d, 0), x!.shape)];
  },
  numpy: ([x, seen], { output }) => {
    const [rows, columns] = output.slice(-2);
    return `np.where(${seen ?? `np.tri(${rows}, ${columns})`}, ${x}, np.float32(-np.inf))`;
  },
  pytorch: ([x, seen], { output }) => {
    const ones = `torch.ones(${output.slice(-2).join(', ')})`;
    return `torch.where((${seen ?? `${ones}.tril()`}).bool(), ${x}, -torch.inf)`;
  },
  cpp: ([x, seen], { output }, out) => {
    if (seen !== undefined) {
      return `{ const float hidden = -INFINITY; where(${seen}, ${x}, hidden, ${out}); }`;
    }
    const [rows, columns] = output.slice(-2);
    const hides = `n % ${columns} > n / ${columns} % ${rows}`;
    return `for (Index n = 0; n < ${product(output)}; ++n)
  ${out}.data()[n] = ${hides} ? -INFINITY : ${x}.data()[n];`;
  },
  flops: () => constant(0),
  tex: ([x, seen]) => `\\mathrm{mask}\\left(${[x, seen].filter(Boolean).join(', ')}\\right)`,
});
