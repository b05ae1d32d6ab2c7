import type { Tensor } from 'tril';
import { loadTril as loadRemote } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, randomNumbers } from './reference.js';

const operations = {
  add: (x: number, y: number) => x + y,
  subtract: (x: number, y: number) => x - y,
  multiply: (x: number, y: number) => x * y,
  divide: (x: number, y: number) => x / y,
  maximum: (x: number, y: number) => Math.max(x, y),
  minimum: (x: number, y: number) => Math.min(x, y),
  equal: (x: number, y: number) => Number(x === y),
  notEqual: (x: number, y: number) => Number(x !== y),
  less: (x: number, y: number) => Number(x < y),
  lessEqual: (x: number, y: number) => Number(x <= y),
  greater: (x: number, y: number) => Number(x > y),
  greaterEqual: (x: number, y: number) => Number(x >= y),
};
const names = Object.keys(operations) as (keyof typeof operations)[];

const count = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1);

/** The shape that both shapes broadcast to, by NumPy's rule. */
function broadcastShape(x: readonly number[], y: readonly number[]): number[] {
  const rank = Math.max(x.length, y.length);
  return Array.from({ length: rank }, (_, axis) => {
    const [a, b] = [x, y].map((shape) => shape[axis - (rank - shape.length)] ?? 1) as [
      number,
      number,
    ];
    return a === 1 ? b : a;
  });
}

/** The number at `index` after broadcasting. */
function at(values: readonly number[], shape: readonly number[], index: readonly number[]): number {
  let offset = 0;
  for (const [axis, size] of shape.entries()) {
    offset = offset * size + (size === 1 ? 0 : index[index.length - shape.length + axis]!);
  }
  return values[offset]!;
}

describe('operations on two tensors', () => {
  it.each<[number[], number[]]>([
    [[1], [1]],
    [[7], [7]],
    [[5, 33], [33]],
    [
      [5, 33],
      [5, 1],
    ],
    [
      [5, 1],
      [1, 33],
    ],
    [
      [2, 3, 4],
      [3, 1],
    ],
    [
      [8, 1, 6, 1],
      [7, 1, 5],
    ],
    [
      [2, 1, 2, 1, 2, 1, 2, 1],
      [1, 3, 1, 3, 1, 3, 1, 3],
    ],
    [[17000], [17000]],
    [
      [3, 17000],
      [3, 1],
    ],
    [[0], [1]],
    [[3, 0], [1]],
    [
      [0, 4],
      [1, 4],
    ],
  ])('broadcast %o and %o as NumPy does', (xShape, yShape) => {
    withoutLeak(() => {
      const xs = randomNumbers(count(xShape), 1).map((x) => Math.fround(x + 2));
      const ys = randomNumbers(count(yShape), 2).map((y) => Math.fround(y + 2));
      const [x, y] = [tril.tensor(xShape, xs), tril.tensor(yShape, ys)];
      const shape = broadcastShape(xShape, yShape);
      for (const name of names) {
        for (const [a, b, as, bs] of [
          [x, y, xs, ys],
          [y, x, ys, xs],
        ] as const) {
          const result = tril[name](a, b);
          expect(result.shape).toEqual(shape);
          const expected = Float32Array.from({ length: count(shape) }, (_, n) => {
            const index: number[] = [];
            for (let axis = shape.length, rest = n; axis-- > 0;) {
              index.unshift(rest % shape[axis]!);
              rest = Math.floor(rest / shape[axis]!);
            }
            return operations[name](at(as, a.shape, index), at(bs, b.shape, index));
          });
          expect(result.read()).toEqual(expected);
        }
      }
    });
  });

  it('take numbers, on either side', () => {
    withoutLeak(() => {
      const x = tril.tensor([[1, 2, 4]]);
      expect(tril.subtract(1, x).toArray()).toEqual([[0, -1, -3]]);
      expect(tril.divide(x, 4).toArray()).toEqual([[0.25, 0.5, 1]]);
      expect(tril.divide(x, 0).toArray()).toEqual([[Infinity, Infinity, Infinity]]);
      expect(tril.multiply(NaN, x).toArray()).toEqual([[NaN, NaN, NaN]]);
    });
  });

  it('raise to powers, to the nearest float or the one beside it', () => {
    withoutLeak(() => {
      const xs = randomNumbers(1000, 1).map((x) => Math.fround(4 * x));
      const ys = randomNumbers(1000, 2).map((y, i) => (i % 2 === 0 ? Math.round(9 * y) : 9 * y));
      const result = tril.power(tril.tensor(xs), tril.tensor(ys)).read();
      for (const [i, x] of xs.entries()) {
        const expected = x ** Math.fround(ys[i]!);
        if (Number.isNaN(expected)) expect(result[i]).toBe(NaN);
        // 0.51 * 2^-23 of the number, which is at least half a unit in the last place.
        else
          expect(Math.abs(result[i]! - expected)).toBeLessThanOrEqual(
            0.51 * epsilon * Math.abs(expected),
          );
      }
      expect(tril.power(tril.tensor([-2, 2]), 3).toArray()).toEqual([-8, 8]);
      expect(tril.power(tril.tensor([-2, NaN, 0]), 0).toArray()).toEqual([1, 1, 1]);
    });
  });

  it('compare with NaN as IEEE 754 has it', () => {
    withoutLeak(() => {
      const x = tril.tensor([NaN, 1]);
      for (const name of ['equal', 'less', 'lessEqual', 'greater', 'greaterEqual'] as const) {
        expect(tril[name](x, NaN).toArray()).toEqual([0, 0]);
      }
      expect(tril.notEqual(x, NaN).toArray()).toEqual([1, 1]);
      expect(tril.maximum(x, 0).toArray()).toEqual([NaN, 1]);
      expect(tril.minimum(0, x).toArray()).toEqual([NaN, 0]);
    });
  });

  it('write over an input of the shape of the result', () => {
    withoutLeak(() => {
      const [x, row] = [tril.tensor([2, 2], [1, 2, 3, 4]), tril.tensor([10, 20])];
      expect(tril.add(x, row, { out: x })).toBe(x);
      expect(x.toArray()).toEqual([
        [11, 22],
        [13, 24],
      ]);
      tril.subtract(x, x, { out: x });
      expect([...x.read()]).toEqual([0, 0, 0, 0]);
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const [x, wide] = [tril.zeros([2, 3]), tril.zeros([2, 4])];
      const row = tril.tensor([1, 2, 3]);
      for (const call of [...names, 'power'] as const) {
        const refuse = (y: unknown, argument: string, says: string, out?: Tensor) => {
          const body = () => tril[call](x, y as Tensor, out ? { out } : {});
          expectRefused(body, { call, argument, says, ...(out && { out }) });
        };
        refuse(wide, 'y', 'shapes do not broadcast; x is [2, 3], y is [2, 4]');
        refuse(row, 'out', 'shape must be [2, 3], is [2, 4]', wide);
        refuse(row, 'out', 'shape must be [2, 3], is [3]', row);
        refuse(null, 'y', 'must be a tensor (tril.tensor makes one), is null');
        refuse('1', 'y', 'must be a tensor (tril.tensor makes one), is "1"');
        expectRefused(() => tril[call](1, 2), { call, argument: 'y', says: 'one of both' });
        const deep = tril.zeros([1, 1, 1, 1, 1, 1, 1, 1, 2]);
        expectRefused(() => tril[call](deep, 1), { call, argument: 'x', says: 'at most 8 axes' });
      }
    });
  });

  it('are there in the Worker', async () => {
    const remote = await loadRemote({ variant: 'simd' });
    const x = await remote.tensor([[1, 2]]);
    const scaled = await remote.multiply(x, 3, { out: x });
    expect(await scaled.toArray()).toEqual([[3, 6]]);
    expect(await (await remote.divide(1, x)).toArray()).toEqual([
      [Math.fround(1 / 3), Math.fround(1 / 6)],
    ]);
    await expect(remote.add(x, await remote.zeros([3]))).rejects.toThrow('do not broadcast');
    remote.close();
  });
});
