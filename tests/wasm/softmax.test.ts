import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose, randomNumbers, softmax } from './reference.js';

describe('softmax', () => {
  it('works along every axis of a tensor of any rank', () => {
    withoutLeak(() => {
      const shape = [2, 3, 4, 3, 2];
      const values = randomNumbers(144, 1).map((x) => 8 * x);
      const x = tril.tensor(shape, values);
      for (let axis = 0; axis < shape.length; ++axis) {
        const size = shape[axis]!;
        const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
        const expected = new Array<number>(values.length);
        for (let i = 0; i < values.length; ++i) {
          if (Math.floor(i / inner) % size !== 0) continue;
          const places = Array.from({ length: size }, (_, n) => i + n * inner);
          const row = softmax(places.map((place) => values[place]!));
          places.forEach((place, n) => (expected[place] = row[n]!));
        }
        const logs = expected.map(Math.log);
        for (const given of [axis, axis - shape.length]) {
          expect(tril.softmax(x, { axis: given }).shape).toEqual(shape);
          expectClose(tril.softmax(x, { axis: given }).read(), expected, 8 * epsilon);
          expectClose(tril.logSoftmax(x, { axis: given }).read(), logs, 64 * epsilon);
        }
      }
    });
  });

  it('takes the last axis, and can be sharpened by temperature', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [1, 2, 3],
        [3, 1, 1],
      ]);
      const expected = [softmax([1, 2, 3]), softmax([3, 1, 1])].flat();
      expectClose(tril.softmax(x).read(), expected, 8 * epsilon);
      const sharp = [softmax([1, 2, 3], 0.1), softmax([3, 1, 1], 0.1)].flat();
      expectClose(tril.softmax(x, { temperature: 0.1 }).read(), sharp, 32 * epsilon);
    });
  });

  it('does not overflow, and gives -inf no weight', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [1e38, 3e38, -3e38],
        [-Infinity, 5, -Infinity],
        [-Infinity, -Infinity, -Infinity],
      ]);
      expect(tril.softmax(x).toArray()).toEqual([
        [0, 1, 0],
        [0, 1, 0],
        [0, 0, 0],
      ]);
    });
  });

  it('keeps NaN in its own row', () => {
    withoutLeak(() => {
      const x = tril.tensor([
        [1, NaN, 2],
        [0, 0, 0],
      ]);
      const rows = tril.softmax(x).toArray() as number[][];
      expect(rows[0]).toEqual([NaN, NaN, NaN]);
      expectClose(rows[1]!, [1 / 3, 1 / 3, 1 / 3], epsilon);
    });
  });

  it('can overwrite its argument', () => {
    withoutLeak(() => {
      const x = tril.tensor([0, 0]);
      expect(tril.softmax(x, { out: x })).toBe(x);
      expect([...x.read()]).toEqual([0.5, 0.5]);
    });
  });

  it('refuses bad axes, temperatures and outs', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 3]);
      const out = tril.tensor([3, 2], [1, 2, 3, 4, 5, 6]);
      const call = 'softmax';
      const shapes = { x: [2, 3] };
      for (const axis of [2, -3]) {
        const says = `there is no axis ${axis}; x is [2, 3]`;
        expectRefused(() => tril.softmax(x, { axis }), { call, argument: 'axis', says, shapes });
        const log = { call: 'logSoftmax', argument: 'axis', says, shapes };
        expectRefused(() => tril.logSoftmax(x, { axis }), log);
      }
      expectRefused(() => tril.softmax(x, { axis: 0.5 }), {
        call,
        argument: 'axis',
        says: 'whole number',
      });
      for (const temperature of [0, -1, NaN, Infinity]) {
        const body = () => tril.softmax(x, { temperature });
        expectRefused(body, { call, argument: 'temperature', says: /must be/ });
      }
      expectRefused(() => tril.softmax(x, { out }), {
        call,
        argument: 'out',
        says: 'shape must be [2, 3], is [3, 2]',
        out,
      });
      expectRefused(() => tril.softmax(x, { dim: 1 } as object), {
        call,
        argument: 'dim',
        says: 'unknown option "dim"',
      });
    });
  });
});
