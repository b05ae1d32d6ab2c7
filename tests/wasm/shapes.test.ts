import type { SliceRange, Tensor } from 'tril';
import { loadTril as loadRemote } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

/** 0, 1, 2, ... in that shape. */
const counted = (shape: readonly number[]): Tensor =>
  tril.reshape(tril.arange(shape.reduce((a, b) => a * b, 1)), shape);

describe('reshape', () => {
  it('keeps the numbers in row-major order, in memory of its own', () => {
    withoutLeak(() => {
      const x = counted([2, 3, 4]);
      for (const shape of [[24], [4, 6], [1, 2, 3, 4], [3, -1], [-1], [2, 2, 2, 3, 1]]) {
        const result = tril.reshape(x, shape);
        expect(result.shape).toEqual(
          shape.map((size) => (size === -1 ? (shape.length === 1 ? 24 : 8) : size)),
        );
        expect(result.read()).toEqual(x.read());
        result.write(new Float32Array(24).fill(7));
        result.dispose();
      }
      expect(x.read()[23]).toBe(23);
      expect(tril.reshape(tril.zeros([0, 3]), [5, 0]).shape).toEqual([5, 0]);
      const out = tril.zeros([6, 4]);
      expect(tril.reshape(x, [6, 4], { out })).toBe(out);
      expect(out.read()).toEqual(x.read());
    });
  });

  it('refuses another number of elements', () => {
    withoutLeak(() => {
      const x = counted([2, 3]);
      const call = 'reshape';
      const refuse = (shape: unknown, says: string) =>
        expectRefused(() => tril.reshape(x, shape as number[]), { call, argument: 'shape', says });
      refuse([4], 'cannot be [4] of 6 elements; x is [2, 3]');
      refuse([4, -1], 'cannot be [4, -1] of 6 elements');
      refuse([-1, -1], 'no axis may be below 0');
      refuse([0, -1], '-1 could be any size');
      refuse([-2, -3], 'must be at least 0');
      refuse([], 'must have at least one axis');
      refuse([2, 1.5], 'must be a whole number, is 1.5');
      refuse(6, 'must be an array, is 6');
      refuse([2 ** 30, 2 ** 30, 2 ** 30], 'too large to address');
      refuse([1, 1, 1, 1, 1, 1, 1, 2, 3], 'at most 8 axes');
      expectRefused(() => tril.reshape(x, [2, 3], { out: x }), {
        ...{ call, argument: 'out', says: 'shares memory with an input', out: x },
      });
    });
  });
});

describe('transpose', () => {
  it('puts axes in another order', () => {
    withoutLeak(() => {
      const x = counted([2, 3, 4]);
      const result = tril.transpose(x, [1, -1, 0]);
      expect(result.shape).toEqual([3, 4, 2]);
      const values = result.toArray<number[][][]>();
      for (let i = 0; i < 3; ++i) {
        for (let j = 0; j < 4; ++j) {
          for (let k = 0; k < 2; ++k) expect(values[i]![j]![k]).toBe(k * 12 + i * 4 + j);
        }
      }
      expect(tril.transpose(x).shape).toEqual([4, 3, 2]);
      expect(tril.transpose(tril.transpose(x)).toArray()).toEqual(x.toArray());
      expect(tril.transpose(x, null, { out: tril.zeros([4, 3, 2]) }).read()).toEqual(
        tril.transpose(x, [2, 1, 0]).read(),
      );
      // A row is longer than the part that is gathered at a time.
      const tall = tril.transpose(counted([700, 3])).toArray<number[][]>();
      tall.forEach((row, i) => expect(row).toEqual(row.map((_, j) => 3 * j + i)));
    });
  });

  it('refuses axes that are not those of x', () => {
    withoutLeak(() => {
      const x = counted([2, 3]);
      const refuse = (axes: unknown, says: string) =>
        expectRefused(() => tril.transpose(x, axes as number[]), {
          ...{ call: 'transpose', argument: 'axes', says },
        });
      refuse([0], 'must name every axis once, are [0]; x is [2, 3]');
      refuse([0, 2], 'there is no axis 2');
      refuse([1, -1], 'axis 1 is named twice');
      refuse('01', 'must be an array');
      expectRefused(() => tril.transpose(x, [0, 1], { out: x }), {
        ...{ call: 'transpose', argument: 'out', says: 'shares memory', out: x },
      });
    });
  });
});

/** The indices of a Python slice of one axis. */
function taken(range: SliceRange, size: number): number[] {
  if (typeof range === 'number') return [range < 0 ? range + size : range];
  const [start, stop, step] = range ?? [];
  const by = step ?? 1;
  const bound = (value: number, low: number, high: number) =>
    Math.min(Math.max(value < 0 ? value + size : value, low), high);
  const [low, high] = by > 0 ? [0, size] : [-1, size - 1];
  const first = bound(start ?? (by > 0 ? 0 : size - 1), low, high);
  const last = stop === null || stop === undefined ? (by > 0 ? size : -1) : bound(stop, low, high);
  const indices: number[] = [];
  for (let i = first; by > 0 ? i < last : i > last; i += by) indices.push(i);
  return indices;
}

describe('slice', () => {
  const ranges: SliceRange[][] = [
    [],
    [null],
    [1],
    [-1, null],
    [null, [1, 4]],
    [[], [null, null, -1]],
    [0, [-2], [1, 3]],
    [null, [4, 1, -2], -1],
    [[1, 1]],
    [[5], [9, -9]],
    [null, [null, -1], [null, null, 3]],
    [1, 2, 3],
  ];

  it.each(ranges.map((each) => [each]))('takes %j as Python does', (given) => {
    withoutLeak(() => {
      const shape = [2, 5, 4];
      const x = counted(shape);
      const indices = shape.map((size, axis) => taken(given[axis] ?? null, size));
      const expected = indices[0]!.flatMap((i) =>
        indices[1]!.flatMap((j) => indices[2]!.map((k) => (i * 5 + j) * 4 + k)),
      );
      const kept = indices
        .filter((_, axis) => typeof given[axis] !== 'number')
        .map((each) => each.length);
      const result = tril.slice(x, given);
      expect(result.shape).toEqual(kept.length > 0 ? kept : [1]);
      expect([...result.read()]).toEqual(expected);
      // The gradient is 1 for the elements taken.
      const back = tril.sliceBackward(tril.add(tril.multiply(result, 0), 1), shape, given);
      expect(back.shape).toEqual(shape);
      const marked = Array.from({ length: 40 }, (_, n) => (expected.includes(n) ? 1 : 0));
      expect([...back.read()]).toEqual(marked);
    });
  });

  it('refuses what is not there', () => {
    withoutLeak(() => {
      const x = counted([2, 3]);
      const refuse = (given: unknown, says: string) => {
        const argument = 'ranges';
        const all = given as SliceRange[];
        expectRefused(() => tril.slice(x, all), { call: 'slice', argument, says });
        expectRefused(() => tril.sliceBackward(x, [2, 3], all), {
          ...{ call: 'sliceBackward', argument, says },
        });
      };
      refuse([2], 'axis 0 has no element 2');
      refuse([0, -4], 'axis 1 has no element -4');
      refuse([[0, 1, 0]], 'the step of axis 0 is 0');
      refuse([null, null, null], 'are 3, more than there are axes');
      refuse([0.5], 'must be a whole number, is 0.5');
      refuse([[0, '1']], 'must be a number, is "1"');
      refuse(['0:1'], 'must be a number, null or [start, stop, step] for each axis');
      refuse([undefined], 'must be a number, null or [start, stop, step]');
      refuse([[0, 1, 1, 1]], 'must be a number, null or [start, stop, step]');
      refuse(1, 'must be an array, is 1');
      const call = 'sliceBackward';
      expectRefused(() => tril.sliceBackward(x, [2, 3], [0]), {
        ...{ call, argument: 'dOutput', says: 'shape must be that of the slice, [3], is [2, 3]' },
      });
      expectRefused(() => tril.sliceBackward(x, [2 ** 31 - 1, 2 ** 31 - 1], [0]), {
        ...{ call, argument: 'shape', says: /too large to address/ },
      });
      expectRefused(() => tril.sliceBackward(x, [2, 3], [], { out: x }), {
        ...{ call, argument: 'out', says: 'shares memory', out: x },
      });
    });
  });
});

describe('broadcastTo', () => {
  it('repeats', () => {
    withoutLeak(() => {
      const x = tril.tensor([[1], [2]]);
      expect(tril.broadcastTo(x, [2, 2, 2]).toArray()).toEqual([
        [
          [1, 1],
          [2, 2],
        ],
        [
          [1, 1],
          [2, 2],
        ],
      ]);
      expect(tril.broadcastTo(x, [2, 0]).shape).toEqual([2, 0]);
      expectRefused(() => tril.broadcastTo(x, [3, 2]), {
        ...{ call: 'broadcastTo', argument: 'shape' },
        says: 'x does not broadcast to [3, 2]; x is [2, 1]',
      });
      expectRefused(() => tril.broadcastTo(x, [2 ** 20, 2 ** 20, 2, 1]), {
        ...{ call: 'broadcastTo', argument: 'shape', says: 'too large to address' },
      });
    });
  });
});

describe('concatenate, stack and split', () => {
  it('put one after another, and take apart again', () => {
    withoutLeak(() => {
      const [a, b] = [counted([2, 3, 4]), tril.negate(counted([2, 1, 4]))];
      const whole = tril.concatenate([a, b, a], { axis: 1 });
      expect(whole.shape).toEqual([2, 7, 4]);
      const parts = tril.split(whole, [3, 4], { axis: -2 });
      expect(parts.map((part) => part.toArray())).toEqual([a, b, a].map((part) => part.toArray()));
      const stacked = tril.stack([a, a], { axis: -1 });
      expect(stacked.shape).toEqual([2, 3, 4, 2]);
      expect(tril.slice(stacked, [null, null, null, 1]).toArray()).toEqual(a.toArray());
      expect(tril.stack([a]).shape).toEqual([1, 2, 3, 4]);
      const [first, second] = tril.split(a, 2);
      expect(first!.shape).toEqual([1, 3, 4]);
      expect([...second!.read()]).toEqual([...a.read().slice(12)]);
      // As in NumPy: beyond the end there is nothing, and negative indices count from the end.
      const row = tril.arange(4);
      expect(tril.split(row, [-1, 9]).map((part) => part.size)).toEqual([3, 1, 0]);
      expect(tril.split(row, []).map((part) => part.size)).toEqual([4]);
      const out = tril.zeros([8]);
      expect(tril.concatenate([row, row], { out })).toBe(out);
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const [x, wide, out] = [counted([2, 3]), counted([2, 4]), tril.zeros([2, 2])];
      for (const call of ['concatenate', 'stack'] as const) {
        const refuse = (tensors: unknown, says: string, argument = 'tensors', options = {}) =>
          expectRefused(() => tril[call](tensors as Tensor[], options), { call, argument, says });
        refuse([], 'must be at least one');
        refuse(x, 'must be an array');
        refuse([x, 1], 'must be a tensor', 'tensors[1]');
        refuse([x, wide], 'number 1 does not fit the first, [2, 3]; shape is [2, 4]');
        refuse([x, x], 'there is no axis 3', 'axis', { axis: 3 });
        refuse([x, x], 'is [2, 2]', 'out', { out });
        refuse([x], 'unknown option "dim"', 'dim', { dim: 1 });
      }
      expectRefused(() => tril.concatenate([x], { out: x }), {
        ...{ call: 'concatenate', argument: 'out', says: 'shares memory', out: x },
      });
      const call = 'split';
      const refuse = (sections: unknown, says: string, argument = 'sections', options = {}) =>
        expectRefused(() => tril.split(x, sections as number, options), { call, argument, says });
      refuse(4, 'axis 0 cannot be split into 4 equal parts; x is [2, 3]');
      refuse(0, 'cannot be split into 0');
      refuse(-1, 'must be a whole number of at least 0');
      refuse([0.5], 'must be a whole number');
      refuse(undefined, 'must be a whole number');
      refuse(2 ** 31 - 1, 'cannot be split into 2147483647');
      refuse(1, 'there is no axis 2', 'axis', { axis: 2 });
      const empty = tril.zeros([0]);
      expectRefused(() => tril.split(empty, 2 ** 31 - 1), {
        ...{ call, argument: 'sections', says: 'cannot be split' },
      });
    });
  });
});

it('are there in the Worker', async () => {
  const remote = await loadRemote({ variant: 'simd' });
  const x = await remote.arange(6);
  const heads = await remote.reshape(x, [3, 2]);
  const turned = await remote.transpose(heads, [1, 0]);
  expect(await turned.toArray()).toEqual([
    [0, 2, 4],
    [1, 3, 5],
  ]);
  const [, second] = await remote.split(turned, 2);
  expect(await second!.toArray()).toEqual([[1, 3, 5]]);
  const joined = await remote.concatenate([second!, turned]);
  expect(joined.shape).toEqual([3, 3]);
  expect(await (await remote.slice(joined, [0, [null, null, -1]])).toArray()).toEqual([5, 3, 1]);
  await expect(remote.stack([x, turned])).rejects.toThrow('does not fit the first');
  remote.close();
});
