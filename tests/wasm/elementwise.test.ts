import { loadTril as loadRemote } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose } from './reference.js';

const special = [0, -0, 1, -1, 0.5, 3, 1e-30, 88, -88, 1e30, Infinity, -Infinity, NaN];

/** The function in double precision, and the largest error in units in the last place. */
const functions = {
  exp: [Math.exp, 1],
  log: [Math.log, 1],
  sqrt: [Math.sqrt, 0.5],
  abs: [Math.abs, 0],
  negate: [(x: number) => -x, 0],
  tanh: [Math.tanh, 3],
} as const;
const names = Object.keys(functions) as (keyof typeof functions)[];

describe('functions of one number', () => {
  it.each(names)('%s is that of every element, in any shape and in place', (name) => {
    withoutLeak(() => {
      const [exact, ulps] = functions[name];
      const values = special.concat(Array.from({ length: 87 }, (_, i) => (i - 40) / 7));
      const x = tril.tensor([4, 25], values);
      const expected = Array.from(x.read(), (each) => exact(each));
      const result = tril[name](x);
      expect(result.shape).toEqual([4, 25]);
      const least = 2 ** -149;
      for (const [i, actual] of result.read().entries()) {
        const nearest = Math.fround(expected[i]!);
        if (Object.is(nearest, actual) || !Number.isFinite(nearest)) {
          expect(actual, `${name}(${values[i]})`).toBe(nearest);
        } else {
          const bound = ulps * Math.max(epsilon * Math.abs(expected[i]!), least);
          expect(Math.abs(actual - expected[i]!), `${name}(${values[i]})`).toBeLessThanOrEqual(
            bound,
          );
        }
      }
      expect(tril[name](x, { out: x })).toBe(x);
      expect(x.read()).toEqual(result.read());
      expect(tril[name](tril.zeros([3, 0])).shape).toEqual([3, 0]);
    });
  });

  it.each(names)('%s refuses what it cannot take', (call) => {
    withoutLeak(() => {
      const [x, out] = [tril.zeros([2, 3]), tril.tensor([1, 2])];
      const says = 'shape must be [2, 3], is [2]';
      expectRefused(() => tril[call](x, { out }), { call, argument: 'out', says, out });
      expectRefused(() => tril[call](1 as never), {
        call,
        argument: 'x',
        says: 'must be a tensor',
      });
      expectRefused(() => tril[call](x, { axis: 1 } as never), {
        ...{ call, argument: 'axis', says: 'unknown option "axis"' },
      });
      const deep = tril.zeros([1, 1, 1, 1, 1, 1, 1, 1, 2]);
      expectRefused(() => tril[call](deep), { call, argument: 'x', says: 'at most 8 axes' });
    });
  });
});

describe('where', () => {
  it('chooses among tensors and numbers that broadcast', () => {
    withoutLeak(() => {
      const condition = tril.tensor([
        [1, 0, NaN],
        [0, -2, 0],
      ]);
      const row = tril.tensor([1, 2, 3]);
      const column = tril.tensor([[10], [20]]);
      expect(tril.where(condition, row, column).toArray()).toEqual([
        [1, 10, 3],
        [20, 2, 20],
      ]);
      expect(tril.where(condition, 1, -1).toArray()).toEqual([
        [1, -1, 1],
        [-1, 1, -1],
      ]);
      // Elements that are not chosen may be anything.
      const x = tril.tensor([-1, 4]);
      expect(tril.where(tril.less(x, 0), 0, tril.sqrt(x)).toArray()).toEqual([0, 2]);
      expect(tril.where(x, 1, x, { out: x })).toBe(x);
    });
  });

  it('refuses what does not broadcast', () => {
    withoutLeak(() => {
      const [x, wide, out] = [tril.zeros([2, 3]), tril.zeros([4]), tril.zeros([3])];
      const call = 'where';
      expectRefused(() => tril.where(x, wide, out), {
        ...{ call, argument: 'y', says: 'shapes do not broadcast; x is [4], y is [3]' },
      });
      expectRefused(() => tril.where(x, wide, 1), {
        ...{ call, argument: 'condition', says: 'condition is [2, 3], x is [4], y is []' },
      });
      expectRefused(() => tril.where(x, 1, 2, { out }), {
        ...{ call, argument: 'out', says: 'shape must be [2, 3], is [3]', out },
      });
      expectRefused(() => tril.where(1 as never, x, x), {
        ...{ call, argument: 'condition', says: 'must be a tensor' },
      });
    });
  });
});

describe('arange', () => {
  it('counts as NumPy does', () => {
    withoutLeak(() => {
      expect(tril.arange(4).toArray()).toEqual([0, 1, 2, 3]);
      expect(tril.arange(2, 4).toArray()).toEqual([2, 3]);
      expect(tril.arange(5, 0, -2).toArray()).toEqual([5, 3, 1]);
      expectClose(
        tril.arange(0, 1, 0.1).read(),
        [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        0.5 * epsilon,
      );
      expect(tril.arange(-1).shape).toEqual([0]);
    });
  });

  it('refuses what has no end', () => {
    const call = 'arange';
    expectRefused(() => tril.arange(0, 1, 0), { call, argument: 'step', says: 'must not be 0' });
    expectRefused(() => tril.arange(Infinity), { call, argument: 'stop', says: 'must be finite' });
    expectRefused(() => tril.arange(NaN, 1), { call, argument: 'start', says: 'must be finite' });
    expectRefused(() => tril.arange(1e300), { call, argument: 'stop', says: 'too large' });
    expectRefused(() => tril.arange('3' as never), {
      call,
      argument: 'stop',
      says: 'must be a number',
    });
  });
});

it('are there in the Worker', async () => {
  const remote = await loadRemote({ variant: 'simd' });
  const x = await remote.tensor([4, -9]);
  const roots = await remote.sqrt(await remote.abs(x));
  expect(await roots.toArray()).toEqual([2, 3]);
  const chosen = await remote.where(await remote.greater(x, 0), roots, await remote.arange(2));
  expect(await chosen.toArray()).toEqual([2, 1]);
  remote.close();
});
