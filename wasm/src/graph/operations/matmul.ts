// Products of matrices, [..., n, k] [..., k, m] = [..., n, m]; the axes in front broadcast.
import { define } from '../operation.js';
import { constant, count, equal, sizeText, times } from '../sizes.js';
import { atom, back, broadcast, factor, signed, upTo } from './common.js';

export const matmul = define<object>({
  takes: ['a', 'b'],
  options: {},
  shape: ([a, b], _, fail) => {
    if (a!.length < 2) throw fail('a', 'must have at least two axes');
    if (b!.length < 2) throw fail('b', 'must have at least two axes');
    const [columns, rows] = [a!.at(-1)!, b!.at(-2)!];
    if (!equal(columns, rows)) {
      throw fail('b', `${sizeText(columns)} columns meet ${sizeText(rows)} rows`);
    }
    const stack = broadcast(a!.slice(0, -2), b!.slice(0, -2), 'b', fail);
    return [...stack, a!.at(-2)!, b!.at(-1)!];
  },
  run: (tril, [a, b]) => tril.matmul(a!, b!),
  cells: (index, { inputs: [a, b] }) => {
    const [stack, row, column] = [index.slice(0, -2), index.at(-2)!, index.at(-1)!];
    return upTo(a!.at(-1)!).map((k) => [
      [0, [...back(a!.slice(0, -2), stack), row, k]],
      [1, [...back(b!.slice(0, -2), stack), k, column]],
    ]);
  },
  why: (terms) => terms.map((factors) => factors.map(signed).join(' * ')).join(' + ') || '0',
  gradient: (tril, d, { tensors: [a, b] }) => [
    tril.sumTo(tril.matmul(d, b!, { transposeB: true }), a!.shape),
    tril.sumTo(tril.matmul(a!, d, { transposeA: true }), b!.shape),
  ],
  numpy: (args) => args.map(atom).join(' @ '),
  pytorch: (args) => args.map(atom).join(' @ '),
  cpp: ([a, b], _, out) => `batched_matmul(${a}.view(), ${b}.view(), {}, ${out}.view());`,
  flops: ({ inputs: [a], output }) => times(constant(2), count(output), a!.at(-1)!),
  tex: (args) => args.map(factor).join(' '),
});
