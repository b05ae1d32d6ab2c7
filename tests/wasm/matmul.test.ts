import { loadTril, matmulMethods, variants } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';
import { limited } from './limited.js';
import { epsilon, expectClose, matmul, randomMatrix, transpose } from './reference.js';

const sizes = [1, 2, 3, 5, 8, 16, 17, 31, 33, 64, 65];

/** 4 eps depth max|a| max|b|: the bound of KERNELS.md, for entries of at most 1. */
const bound = (depth: number) => 4 * epsilon * depth;

describe.each(matmulMethods)('matmul by %s', (method) => {
  it('is the product for all small and odd sizes', () => {
    withoutLeak(() => {
      for (const [i, n] of sizes.entries()) {
        const k = sizes[(i * 3 + 1) % sizes.length]!;
        const m = sizes[(i * 5 + 2) % sizes.length]!;
        const a = randomMatrix(n, k, i);
        const b = randomMatrix(k, m, i + 100);
        const product = tril.matmul(tril.tensor(a), tril.tensor(b), { method });
        expect(product.shape).toEqual([n, m]);
        expectClose(product.read(), matmul(a, b).flat(), bound(k));
      }
    });
  });

  it('is exact on small whole numbers', () => {
    withoutLeak(() => {
      const whole = (rows: number, cols: number, seed: number) =>
        randomMatrix(rows, cols, seed).map((row) => row.map((x) => Math.round(x * 8)));
      const a = whole(37, 70, 1);
      const b = whole(70, 41, 2);
      const product = tril.matmul(tril.tensor(a), tril.tensor(b), { method });
      expect([...product.read()]).toEqual(matmul(a, b).flat());
    });
  });

  it('transposes either side', () => {
    withoutLeak(() => {
      const a = randomMatrix(5, 7, 1);
      const b = randomMatrix(7, 3, 2);
      for (const transposeA of [false, true]) {
        for (const transposeB of [false, true]) {
          const left = tril.tensor(transposeA ? transpose(a) : a);
          const right = tril.tensor(transposeB ? transpose(b) : b);
          const product = tril.matmul(left, right, { method, transposeA, transposeB });
          expect(product.shape).toEqual([5, 3]);
          expectClose(product.read(), matmul(a, b).flat(), bound(7));
        }
      }
    });
  });
});

/** numpy.matmul by its documentation, one element at a time. */
function broadcastProduct(
  aShape: number[],
  a: number[],
  bShape: number[],
  b: number[],
): { shape: number[]; values: number[] } {
  const aFull = aShape.length === 1 ? [1, ...aShape] : aShape;
  const bFull = bShape.length === 1 ? [...bShape, 1] : bShape;
  const rank = Math.max(aFull.length, bFull.length);
  const padded = (shape: number[]) => [...Array<number>(rank - shape.length).fill(1), ...shape];
  const [left, right] = [padded(aFull), padded(bFull)];
  const batch = left.slice(0, -2).map((size, axis) => Math.max(size, right[axis]!));
  const [n, k, m] = [left.at(-2)!, left.at(-1)!, right.at(-1)!];
  const count = batch.reduce((x, y) => x * y, 1);
  const values: number[] = [];
  for (let item = 0; item < count; ++item) {
    const index: number[] = [];
    for (let axis = batch.length - 1, rest = item; axis >= 0; --axis) {
      index.unshift(rest % batch[axis]!);
      rest = Math.floor(rest / batch[axis]!);
    }
    const offset = (shape: number[]) =>
      index.reduce((sum, i, axis) => sum * shape[axis]! + (shape[axis] === 1 ? 0 : i), 0);
    const [ofA, ofB] = [offset(left) * n * k, offset(right) * k * m];
    for (let i = 0; i < n; ++i) {
      for (let j = 0; j < m; ++j) {
        let sum = 0;
        for (let p = 0; p < k; ++p) sum += a[ofA + i * k + p]! * b[ofB + p * m + j]!;
        values.push(sum);
      }
    }
  }
  const shape = [...batch];
  if (aShape.length > 1) shape.push(n);
  if (bShape.length > 1) shape.push(m);
  return { shape: shape.length > 0 ? shape : [1], values };
}

it.each([
  [[4], [4]],
  [[4], [4, 3]],
  [[2, 4], [4]],
  [[5, 2, 4], [4]],
  [[4], [5, 4, 3]],
  [
    [5, 2, 4],
    [4, 3],
  ],
  [
    [2, 4],
    [5, 4, 3],
  ],
  [
    [5, 2, 4],
    [5, 4, 3],
  ],
  [
    [5, 2, 4],
    [1, 4, 3],
  ],
  [
    [6, 1, 2, 4],
    [5, 4, 3],
  ],
  [
    [1, 5, 2, 4],
    [6, 1, 4, 3],
  ],
  [
    [2, 1, 3, 2, 4],
    [1, 2, 1, 4, 1],
  ],
])('broadcasts %o times %o as NumPy does', (aShape, bShape) => {
  withoutLeak(() => {
    const count = (shape: number[]) => shape.reduce((x, y) => x * y, 1);
    const a = randomMatrix(1, count(aShape), 1)[0]!;
    const b = randomMatrix(1, count(bShape), 2)[0]!;
    const expected = broadcastProduct(aShape, a, bShape, b);
    const product = tril.matmul(tril.tensor(aShape, a), tril.tensor(bShape, b));
    expect(product.shape).toEqual(expected.shape);
    expectClose(product.read(), expected.values, bound(aShape.at(-1)!));
  });
});

it('writes into out and returns it', () => {
  withoutLeak(() => {
    const out = tril.zeros([2, 2]);
    const a = tril.tensor([
      [1, 2],
      [3, 4],
    ]);
    const { tensors } = tril.memory();
    expect(tril.matmul(a, a, { out })).toBe(out);
    expect(tril.memory().tensors).toBe(tensors);
    expect([...out.read()]).toEqual([7, 10, 15, 22]);
  });
});

it('halves as often as it is told to by Strassen', () => {
  withoutLeak(() => {
    const [a, b] = [1, 2].map((seed) => tril.randomNormal([24, 24], { seed }));
    const by = (levels?: number) =>
      tril.matmul(a!, b!, { method: 'strassen', ...(levels !== undefined && { levels }) }).read();
    expect(by(0)).toEqual(tril.matmul(a!, b!, { method: 'tiled' }).read());
    expect(by()).toEqual(by(0));
    for (const levels of [1, 2]) {
      const { error } = tril.productError(a!, b!, { method: 'strassen', levels });
      const { error: plain } = tril.productError(a!, b!, { method: 'strassen', levels: 0 });
      expect(by(levels)).not.toEqual(by(0));
      // Both errors are distances from the same product in double precision, each rounded once.
      const apart = by(levels).map((value, i) => value - by(0)[i]!);
      const errors = error.read().map((value, i) => value - plain.read()[i]!);
      expectClose(apart, [...errors], 4 * epsilon);
    }
    const call = 'matmul';
    const refused = (options: object, says: string) =>
      expectRefused(() => tril.matmul(a!, b!, options), { call, argument: 'levels', says });
    refused({ method: 'strassen', levels: 3 }, 'must be 0 to 2, is 3');
    refused({ method: 'strassen', levels: -1 }, 'must be a whole number of at least 0');
    refused({ levels: 1 }, 'only strassen has levels');
  });
});

describe('matmul refuses', () => {
  it('shapes that do not fit', () => {
    withoutLeak(() => {
      const a = tril.zeros([2, 4]);
      const b = tril.zeros([3, 5]);
      const refusal = { call: 'matmul', argument: 'b', shapes: { a: [2, 4], b: [3, 5] } };
      const says = /depth 3 .*a is \[2, 4\], b is \[3, 5\]/;
      expectRefused(() => tril.matmul(a, b), { ...refusal, says });
      const stack = tril.zeros([16, 128, 64]);
      expectRefused(() => tril.matmul(stack, stack), {
        ...{ call: 'matmul', argument: 'b' },
        says: "does not match a's depth 64; a is [16, 128, 64], b is [16, 128, 64]",
      });
      const batches = { call: 'matmul', argument: 'b', says: 'batch axes do not broadcast' };
      const [pair, triple] = [tril.zeros([2, 3, 4]), tril.zeros([3, 4, 5])];
      expectRefused(() => tril.matmul(pair, triple), {
        ...batches,
        shapes: { a: [2, 3, 4], b: [3, 4, 5] },
      });
    });
  });

  it('an out that is of another shape, or an input', () => {
    withoutLeak(() => {
      const a = tril.tensor([3, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
      const out = tril.tensor([2, 2], [1, 2, 3, 4]);
      const refusal = { call: 'matmul', argument: 'out' };
      expectRefused(() => tril.matmul(a, a, { out }), {
        ...refusal,
        says: 'shape must be [3, 3], is [2, 2]',
        shapes: { a: [3, 3], b: [3, 3], out: [2, 2] },
        out,
      });
      const b = tril.zeros([3, 3]);
      const says = 'shares memory with an input';
      expectRefused(() => tril.matmul(a, b, { out: a }), { ...refusal, says, out: a });
      expectRefused(() => tril.matmul(b, a, { out: a }), { ...refusal, says, out: a });
    });
  });

  it('a vector to be transposed', () => {
    withoutLeak(() => {
      const v = tril.zeros([2]);
      const a = tril.zeros([2, 2]);
      expectRefused(() => tril.matmul(v, a, { transposeA: true }), {
        call: 'matmul',
        argument: 'transposeA',
        says: 'a vector cannot be transposed; shape is [2]',
      });
    });
  });

  it('what is no tensor, or no longer, or of another module', async () => {
    const other = await loadTril({ variant: 'simd' });
    withoutLeak(() => {
      const a = tril.zeros([2, 2]);
      const call = 'matmul';
      const array = [[1]] as unknown as typeof a;
      expectRefused(() => tril.matmul(a, array), {
        call,
        argument: 'b',
        says: 'must be a tensor (tril.tensor makes one), is an array',
      });
      expectRefused(() => tril.matmul(undefined as unknown as typeof a, a), {
        call,
        argument: 'a',
        says: 'must be a tensor',
      });
      const disposed = tril.zeros([2, 3]);
      disposed.dispose();
      expectRefused(() => tril.matmul(a, disposed), {
        call,
        argument: 'b',
        says: 'has been disposed; its shape was [2, 3]',
        shapes: { b: [2, 3] },
      });
      const foreign = other.zeros([2, 2]);
      expectRefused(() => tril.matmul(a, foreign), {
        call,
        argument: 'b',
        says: 'belongs to another loaded module',
      });
    });
  });

  it('unknown options and methods', () => {
    withoutLeak(() => {
      const a = tril.zeros([2, 2]);
      const matmul = (options: object) => () => tril.matmul(a, a, options);
      const call = 'matmul';
      expectRefused(matmul({ transposeC: true }), {
        call,
        argument: 'transposeC',
        says: 'unknown option "transposeC"; did you mean "transposeA"?',
      });
      expectRefused(matmul({ method: 'tild' }), {
        call,
        argument: 'method',
        says: `unknown method "tild"; there are ${matmulMethods.join(', ')}`,
      });
      expectRefused(matmul({ method: 3 }), { call, argument: 'method', says: 'must be a string' });
      expectRefused(matmul({ transposeA: 1 }), {
        call,
        argument: 'transposeA',
        says: 'must be true or false, is 1',
      });
    });
  });

  it('a result that memory cannot hold', () => {
    withoutLeak(() => {
      const column = limited.zeros([20000, 1]);
      const row = limited.zeros([1, 26840]);
      const refusal = {
        call: 'matmul',
        argument: 'memory',
        says: 'is not enough: a tensor of shape [20000, 26840] takes 2047 MiB, and there are ',
      };
      expectRefused(() => limited.matmul(column, row), refusal, limited);
      const wide = tril.zeros([1, 100000]);
      const tall = tril.zeros([100000, 1]);
      expectRefused(() => tril.matmul(tall, wide), {
        call: 'matmul',
        argument: 'shape',
        says: 'too large',
      });
    });
  });
});

it('gives the same in all variants, within rounding', async () => {
  const a = randomMatrix(70, 90, 3);
  const b = randomMatrix(90, 50, 4);
  const expected = matmul(a, b).flat();
  for (const variant of variants) {
    const module = await loadTril({ variant });
    module.scope(() => {
      const product = module.matmul(module.tensor(a), module.tensor(b));
      expectClose(product.read(), expected, bound(90));
    });
    expect(module.memory().tensors).toBe(0);
  }
});

it('is cut alike for two threads where its multiplications are more than 32 bits count', async () => {
  const module = await loadTril({ variant: 'simd-threads', threads: 2 });
  // The memory for packing follows the width of a thread's piece: 128 columns, where one thread would take 256.
  const peakOf = (depth: number) => {
    module.workingMemory({ reset: true });
    const product = () => module.matmul(module.zeros([1024, depth]), module.zeros([depth, 1024]));
    module.scope(() => void product());
    return module.workingMemory().peakBytes;
  };
  expect(peakOf(2048)).toBe(peakOf(1024));
});
