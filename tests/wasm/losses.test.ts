// Losses against their definitions in double precision, and their gradients against central differences.
import { describe, expect, it } from 'vitest';
import { expectGradient, gradient, rows, tolerance } from './differences.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { expectClose, randomNumbers, softmax } from './reference.js';

describe('crossEntropy', () => {
  const [x, targets] = [randomNumbers(12, 1), [2, -1, 0]];
  const loss = (smoothing: number, mean: boolean) => (values: readonly number[]) => {
    const losses = rows(values, 4).flatMap((row, n) => {
      if (targets[n] === -1) return [];
      const logs = softmax(row).map(Math.log);
      const even = logs.reduce((a, b) => a + b, 0) / 4;
      return [-(1 - smoothing) * logs[targets[n]!]! - smoothing * even];
    });
    return [losses.reduce((a, b) => a + b, 0) / (mean ? losses.length : 1)];
  };

  it('is the loss, and its gradient', () => {
    withoutLeak(() => {
      const logits = tril.tensor([3, 4], x);
      for (const [labelSmoothing, reduction] of [
        [0, 'mean'],
        [0.1, 'sum'],
      ] as const) {
        const options = { ignore: -1, labelSmoothing, reduction, gradient: true } as const;
        const found = tril.crossEntropy(logits, targets, options);
        const expected = loss(labelSmoothing, reduction === 'mean');
        expectClose([found.loss], expected(x), tolerance);
        expectGradient(found.dLogits, gradient(expected, x, [1]));
        expect(found.counted).toBe(2);
        const right = [0, 2].filter(
          (n) => Math.max(...rows(x, 4)[n]!) === rows(x, 4)[n]![targets[n]!],
        );
        expect(found.correct).toBe(right.length);
      }
      expect(tril.crossEntropy(logits, targets, { ignore: -1 }).dLogits).toBeUndefined();
      expect(tril.crossEntropy(logits, [-100, -100, -100]).loss).toBe(0);
    });
  });

  it('puts its gradient where it is told to, in the place of the logits, too', () => {
    withoutLeak(() => {
      const logits = tril.tensor([3, 4], x);
      const options = { ignore: -1, labelSmoothing: 0.1, gradient: true } as const;
      const expected = tril.crossEntropy(logits, targets, options);
      const out = tril.zeros([3, 4]);
      const { tensors } = tril.memory();
      const found = tril.crossEntropy(logits, targets, { ...options, out });
      expect(found.dLogits).toBe(out);
      expect(out.read()).toEqual(expected.dLogits.read());
      const inPlace = tril.crossEntropy(logits, targets, { ...options, out: logits });
      expect(inPlace).toMatchObject({ loss: expected.loss, counted: 2, dLogits: logits });
      expect(logits.read()).toEqual(expected.dLogits.read());
      expect(tril.memory().tensors).toBe(tensors);
    });
  });

  it('holds no second logits where it takes their place', () => {
    withoutLeak(() => {
      const logits = tril.zeros([512, 1024]);
      const classes = new Int32Array(512);
      const { bytes } = tril.memory();
      tril.workingMemory({ reset: true });
      tril.crossEntropy(logits, classes, { gradient: true, out: logits });
      expect(tril.memory().bytes).toBe(bytes);
      // A few numbers for each row, instead of its 1024 elements.
      expect(tril.workingMemory().peakBytes).toBeLessThan(512 * 1024);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const call = 'crossEntropy';
      const logits = tril.zeros([2, 3]);
      const refuse = (body: () => unknown, argument: string, says: string) =>
        expectRefused(body, { call, argument, says });
      refuse(() => tril.crossEntropy(logits, [0, 3]), 'targets', '3 at 1 is none of the 3 classes');
      refuse(() => tril.crossEntropy(logits, [0]), 'targets', '[2]');
      refuse(() => tril.crossEntropy(logits, [0.5, 1]), 'targets', 'whole numbers');
      refuse(() => tril.crossEntropy(logits, [0, 1], { labelSmoothing: 2 }), 'labelSmoothing', '2');
      const out = tril.zeros([3, 2]);
      const gradient = true;
      refuse(
        () => tril.crossEntropy(logits, [0, 1], { gradient, out }),
        'out',
        '[2, 3], is [3, 2]',
      );
      refuse(() => tril.crossEntropy(logits, [0, 1], { out: logits }), 'out', 'gradient: true');
      refuse(
        () => tril.crossEntropy(logits, [0, 3], { gradient, out: logits }),
        'targets',
        '3 at 1',
      );
      expect(logits.read()).toEqual(new Float32Array(6));
      const reduction = 'none' as never;
      refuse(() => tril.crossEntropy(logits, [0, 1], { reduction }), 'reduction', 'mean, sum');
    });
  });
});

describe('meanSquaredError', () => {
  it('is the mean or sum of squares, and its gradient', () => {
    withoutLeak(() => {
      const [x, y] = [randomNumbers(6, 1), randomNumbers(6, 2)];
      const [from, to] = [tril.tensor([2, 3], x), tril.tensor([2, 3], y)];
      for (const reduction of ['mean', 'sum'] as const) {
        const squares = (values: readonly number[]) => [
          values.reduce((sum, v, i) => sum + (v - y[i]!) ** 2, 0) / (reduction === 'mean' ? 6 : 1),
        ];
        const { loss, dX } = tril.meanSquaredError(from, to, { reduction, gradient: true });
        expectClose([loss], squares(x), tolerance);
        expectGradient(dX, gradient(squares, x, [1]));
      }
      const call = 'meanSquaredError';
      const turned = tril.zeros([3, 2]);
      expectRefused(() => tril.meanSquaredError(from, turned), {
        ...{ call, argument: 'y', says: 'must have the shape of x, [2, 3], is [3, 2]' },
      });
      expectRefused(() => tril.meanSquaredError(from, to, { reduction: 'none' as never }), {
        ...{ call, argument: 'reduction', says: 'there are mean, sum' },
      });
    });
  });
});
