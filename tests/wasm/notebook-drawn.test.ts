// Random choices of programs: they follow their probabilities, and repeat for the same seed.
import { runProgram } from 'tril/notebook';
import { describe, expect, it } from 'vitest';
import { tril, withoutLeak } from './helpers.js';

/** The numbers of `drawn`. */
const drawnBy = (code: string): number[] => {
  const { error, values, tensors } = runProgram(tril, code);
  expect(error).toBeNull();
  return [...tensors[values['drawn']!.node!]!.read()];
};

/** Expects 20,000 draws of three values to have these shares, within five deviations of each count. */
function expectShares(drawn: readonly number[], shares: readonly number[]): void {
  expect(drawn).toHaveLength(20_000);
  for (const [place, share] of shares.entries()) {
    const count = drawn.filter((each) => each === place).length;
    const deviation = Math.sqrt(20_000 * share * (1 - share));
    expect(Math.abs(count - 20_000 * share)).toBeLessThanOrEqual(5 * deviation);
  }
}

describe('drawn places', () => {
  it('come as often as weights say, whatever they add up to', () => {
    withoutLeak(() => {
      const multinomial = (weights: string, call: string) =>
        drawnBy(`import torch\nw = torch.tensor(${weights})\ndrawn = torch.multinomial(${call})`);
      expectShares(
        multinomial('[2., 5., 0., 3.]', 'w, 20000, replacement=True'),
        [0.2, 0.5, 0, 0.3],
      );
      expectShares(multinomial('[[2., 6.]] * 20000', 'w, 1'), [0.25, 0.75]);
      expectShares(
        drawnBy('import numpy as np\ndrawn = np.random.choice(3, 20000, p=[0.25, 0.25, 0.5])'),
        [0.25, 0.25, 0.5],
      );
    });
  });

  it('come in an order of chance, each once, without replacement', () => {
    withoutLeak(() => {
      const first = drawnBy(
        'import torch\ndrawn = torch.multinomial(torch.tensor([[1., 2., 1.]] * 20000), 3)[:, 0]',
      );
      expectShares(first, [0.25, 0.5, 0.25]);
      const rows = drawnBy(
        'import torch\ndrawn = torch.multinomial(torch.ones(50, 4), 4).sort().values',
      );
      expect(rows).toEqual(Array.from({ length: 50 }, () => [0, 1, 2, 3]).flat());
    });
  });

  it('are the same for the same seed, and others for another', () => {
    withoutLeak(() => {
      const [once, again, other] = [1, 1, 2].map((seed) =>
        drawnBy(
          `import torch\ntorch.manual_seed(${seed})\ndrawn = torch.multinomial(torch.ones(50), 30)`,
        ),
      );
      expect(again).toEqual(once);
      expect(other).not.toEqual(once);
    });
  });

  it('are as many as a run may have', () => {
    withoutLeak(() => {
      const code =
        'import torch\nx = torch.multinomial(torch.ones(100000), 100000, replacement=True)';
      expect(runProgram(tril, code).error).toMatchObject({ line: 2 });
    });
  });
});
