import { loadTril as loadRemote } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const reductions = {
  sum: (x: number[]) => x.reduce((a, b) => a + b, 0),
  mean: (x: number[]) => x.reduce((a, b) => a + b, 0) / x.length,
  max: (x: number[]) => Math.max(...x),
  min: (x: number[]) => Math.min(...x),
  argmax: (x: number[]) => x.indexOf(Math.max(...x)),
};
const names = Object.keys(reductions) as (keyof typeof reductions)[];

const shape = [2, 3, 4, 5];
const values = Array.from({ length: 120 }, (_, i) => ((i * 37) % 41) - 20);

/** The elements that are reduced to each result, in row-major order. */
function groups(axes: readonly number[]): number[][] {
  const found = new Map<string, number[]>();
  values.forEach((value, n) => {
    const index: number[] = [];
    for (let axis = shape.length, rest = n; axis-- > 0; rest = Math.floor(rest / shape[axis]!)) {
      index.unshift(axes.includes(axis) ? 0 : rest % shape[axis]!);
    }
    const key = index.join();
    found.set(key, [...(found.get(key) ?? []), value]);
  });
  return [...found.values()];
}

describe.each(names)('%s', (call) => {
  it.each([[[0]], [[1]], [[3]], [[0, 1, 2, 3]], [[1, 2]], [[0, 3]]])(
    'runs along axes %o',
    (axes) => {
      if (call === 'argmax' && ![1, 4].includes(axes.length)) return;
      withoutLeak(() => {
        const x = tril.tensor(shape, values);
        const expected = Float32Array.from(groups(axes), reductions[call]);
        const left = shape.filter((_, axis) => !axes.includes(axis));
        const kept = shape.map((size, axis) => (axes.includes(axis) ? 1 : size));
        const given = axes.length === 1 ? axes[0]! - shape.length : axes;
        const options = axes.length === 4 ? {} : { axis: given as number };
        const result = tril[call](x, options);
        expect(result.shape).toEqual(left.length > 0 ? left : [1]);
        expect(result.read()).toEqual(expected);
        const out = tril.zeros(kept);
        expect(tril[call](x, { ...options, keepDims: true, out })).toBe(out);
        expect(out.read()).toEqual(expected);
      });
    },
  );

  it('has NaN where there is one', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [1, NaN, 3],
        [4, 6, 5],
      ]);
      const [first, second] = tril[call](x, { axis: 1 }).read();
      expect(first).toBe(call === 'argmax' ? 1 : NaN);
      expect(second).toBe(reductions[call]([4, 6, 5]));
    });
  });

  it('of no elements is as in NumPy', () => {
    withoutLeak(() => {
      const x = tril.zeros([0, 2]);
      expect(tril[call](x, { axis: 1 }).shape).toEqual([0]);
      if (call === 'sum') expect(tril.sum(x, { axis: 0 }).toArray()).toEqual([0, 0]);
      else if (call === 'mean') expect(tril.mean(x).toArray()).toEqual([NaN]);
      else {
        const says = 'has no elements to choose from; shape is [0, 2]';
        expectRefused(() => tril[call](x, { axis: 0 }), { call, argument: 'x', says });
        expectRefused(() => tril[call](x), { call, argument: 'x', says });
      }
    });
  });

  it('refuses what it cannot take', () => {
    withoutLeak(() => {
      const [x, out] = [tril.zeros([2, 3]), tril.tensor([7, 7])];
      const refuse = (options: object, argument: string, says: string) =>
        expectRefused(() => tril[call](x, options), { call, argument, says, out });
      refuse({ axis: 2 }, 'axis', 'there is no axis 2; shape is [2, 3]');
      refuse({ axis: [-3] }, 'axis', 'there is no axis -3');
      refuse({ axis: [1, -1] }, 'axis', 'axis 1 is named twice');
      refuse({ axis: 0.5 }, 'axis', 'must be a whole number, is 0.5');
      refuse({ axis: [0, '1'] }, 'axis', 'must be a number, is "1"');
      refuse({ axis: '1' }, 'axis', 'must be a number, is "1"');
      refuse({ keepDims: 1 }, 'keepDims', 'must be true or false, is 1');
      refuse({ keepdims: true }, 'keepdims', 'did you mean "keepDims"?');
      refuse({ axis: 0, out }, 'out', 'shape must be [3], is [2]');
      refuse({ axis: 0, out: x }, 'out', 'shape must be [3], is [2, 3]');
      const deep = tril.zeros([1, 1, 1, 1, 1, 1, 1, 1, 2]);
      expectRefused(() => tril[call](deep), { call, argument: 'x', says: 'at most 8 axes' });
      expectRefused(() => tril[call](null as never), {
        call,
        argument: 'x',
        says: 'must be a tensor',
      });
    });
  });
});

it('argmax takes one axis or all, and gives the first of several', () => {
  withoutLeak(() => {
    const x = tril.tensor([
      [1, 5],
      [5, 0],
    ]);
    expect(tril.argmax(x).toArray()).toEqual([1]);
    const cube = tril.zeros([2, 2, 2]);
    expectRefused(() => tril.argmax(cube, { axis: [0, 1] as never }), {
      ...{ call: 'argmax', argument: 'axis', says: 'must be one or all of them, are 2' },
    });
  });
});

it('argmax finds the next token of logits, which embedding takes', () => {
  withoutLeak(() => {
    const logits = tril.tensor([
      [0, 1, 2],
      [3, 9, 1],
    ]);
    const last = tril.argmax(tril.slice(logits, [-1]), { axis: -1 });
    expect(last.toArray()).toEqual([1]);
    const table = tril.tensor([
      [1, 2],
      [3, 4],
    ]);
    expect(tril.embedding(last.toArray(), table).toArray()).toEqual([[3, 4]]);
  });
});

describe('sumTo', () => {
  it('is the transpose of broadcastTo', () => {
    withoutLeak(() => {
      const from = [3, 1];
      for (const to of [
        [3, 4],
        [2, 3, 4],
        [5, 3, 1],
        [0, 3, 2],
      ]) {
        const size = to.reduce((a, b) => a * b, 1);
        const x = tril.tensor(from, [2, -3, 5]);
        const d = tril.tensor(
          to,
          Array.from({ length: size }, (_, i) => (i % 7) - 3),
        );
        // <broadcastTo(x), d> = <x, sumTo(d)>
        const there = tril.sum(tril.multiply(tril.broadcastTo(x, to), d));
        const back = tril.sum(tril.multiply(x, tril.sumTo(d, from)));
        expect(there.read()).toEqual(back.read());
      }
    });
  });

  it('refuses a shape that is not repeated to that of x', () => {
    withoutLeak(() => {
      const [x, out] = [tril.zeros([2, 3]), tril.zeros([2])];
      const call = 'sumTo';
      expectRefused(() => tril.sumTo(x, [2]), {
        ...{
          call,
          argument: 'shape',
          says: 'does not broadcast to that of x; is [2], x is [2, 3]',
        },
      });
      expectRefused(() => tril.sumTo(x, [2 ** 31 - 1, 2, 3]), {
        ...{ call, argument: 'shape', says: 'does not broadcast' },
      });
      expectRefused(() => tril.sumTo(x, [3], { out }), {
        ...{ call, argument: 'out', says: 'shape must be [3], is [2]', out },
      });
      expectRefused(() => tril.sumTo(x, 3 as never), {
        call,
        argument: 'shape',
        says: 'must be an array',
      });
    });
  });
});

it('are there in the Worker', async () => {
  const remote = await loadRemote({ variant: 'simd' });
  const x = await remote.tensor([
    [1, 2],
    [3, 4],
  ]);
  const sums = await remote.sum(x, { axis: [0], keepDims: true });
  expect(await sums.toArray()).toEqual([[4, 6]]);
  expect(await (await remote.argmax(x)).toArray()).toEqual([3]);
  await expect(remote.max(x, { axis: 5 })).rejects.toThrow('max: axis: there is no axis 5');
  remote.close();
});
