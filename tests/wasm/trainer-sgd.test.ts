// Training by stochastic gradient descent in JavaScript, with momentum and without.
import type { TrainerOptions } from 'tril';
import { describe, expect, it } from 'vitest';
import { model, small, tril, withoutLeak } from './trained.js';

const rate = 0.5;
const settings = {
  ...{
    model: { ...model, vocabulary: 30 },
    optimizer: 'sgd',
    learningRate: rate,
    lowestRate: rate,
  },
  ...{ warmup: 0, clip: 0, weightDecay: 0 },
} as const satisfies TrainerOptions;
const batch = { tokens: [[1, 2, 3]], targets: [[2, 3, 4]] };
const name = 'wpe.weight';

describe('stochastic gradient descent', () => {
  // m = momentum m + g, x = x - rate m (core/tril/training/optimizers.h), rounded to floats: values, gradients and
  // moves are below 1 here, so that each has an error of at most an epsilon.
  it.each([0, 0.5])('moves against the gradient, with momentum %f', (momentum) => {
    withoutLeak(() => {
      const trainer = tril.trainer({ ...settings, momentum });
      expect(trainer.settings).toMatchObject({ optimizer: 'sgd', momentum });
      const read = () => trainer.parameters([name])[name]!.read();
      let moves: Float32Array = new Float32Array(read().length);
      for (let n = 0; n < 3; ++n) {
        const before = read();
        trainer.step(batch);
        const gradient = trainer.gradients([name])[name]!.read();
        const expected = moves.map((move, i) => momentum * move + gradient[i]!);
        const { first, second } = trainer.moments([name]);
        moves = first[name]!.read();
        for (const [i, value] of read().entries()) {
          const within = (error: number) => expect(Math.abs(error)).toBeLessThan(2 ** -23);
          within(value - (before[i]! - rate * expected[i]!));
          within(moves[i]! - (momentum > 0 ? expected[i]! : 0));
        }
        expect(Math.max(...second[name]!.read())).toBe(0);
      }
    });
  });

  it('goes on with the same bits after save and restore', () => {
    withoutLeak(() => {
      const options = { ...small, optimizer: 'sgd', momentum: 0.9 } as const;
      const whole = tril.trainer(options);
      whole.steps(3);
      const resumed = tril.trainer({ data: small.data, checkpoint: whole.save() });
      expect(resumed.settings.momentum).toBe(0.9);
      expect(resumed.steps(3).map(({ loss }) => loss)).toEqual(
        whole.steps(3).map(({ loss }) => loss),
      );
      expect(resumed.save()).toEqual(whole.save());
    });
  });

  it('costs what its momentum takes', () => {
    withoutLeak(() => {
      const trainers = [0, 0.9].map((momentum) => tril.trainer({ ...settings, momentum }));
      const numbers = trainers[0]!.parameterCount;
      const [plain, more] = trainers.map((trainer) => trainer.cost(1, 8).optimizer);
      expect(more!.flops - plain!.flops).toBe(2 * numbers);
      expect([plain!.bytes, more!.bytes]).toEqual([4 * 3 * numbers, 4 * 5 * numbers]);
    });
  });
});
