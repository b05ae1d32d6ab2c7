import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';
import { explained } from './limited.js';
import { expectGolden, golden } from './golden.js';
import { epsilon, expectClose } from './reference.js';

describe('singularValues', () => {
  it('are those that PyTorch finds in float64', () => {
    withoutLeak(() => {
      const { shape, values } = golden('efficient/weights');
      expectGolden(tril.singularValues(tril.tensor(shape, values)), 'efficient/singular_values');
    });
  });

  it('of a product of rotations and stretches are the stretches', () => {
    withoutLeak(() => {
      const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
      const x = tril.tensor([
        [2 * c, -5 * s, 0],
        [2 * s, 5 * c, 0],
      ]);
      const got = tril.singularValues(x);
      expect(got.shape).toEqual([2]);
      expectClose(got.read(), [5, 2], 8 * epsilon);
    });
  });

  it('refuses what is no matrix', () => {
    withoutLeak(() => {
      const cube = tril.zeros([2, 2, 2]);
      const says = 'must have two axes; shape is [2, 2, 2]';
      const refusal = { call: 'singularValues', argument: 'x', says };
      expectRefused(() => tril.singularValues(cube), refusal);
    });
  });

  it('refuses what its working memory cannot hold, and writes nothing', () => {
    const x = explained.zeros([5700, 5700]);
    const out = explained.zeros([5700]);
    const says = 'is not enough: working memory takes ';
    const refusal = { call: 'singularValues', argument: 'memory', says, out };
    expectRefused(() => explained.singularValues(x, { out }), refusal, explained);
    for (const each of [x, out]) each.dispose();
  });
});
