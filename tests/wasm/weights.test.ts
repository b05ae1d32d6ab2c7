// Prepared weights: the same results as with the weights themselves, and their lifetime.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const [width, hidden] = [64, 96];
const random = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
const weightsOf = () => ({
  'self_attn.in_proj_weight': random(1, 3 * width, width),
  'self_attn.in_proj_bias': random(2, 3 * width),
  'self_attn.out_proj.weight': random(3, width, width),
  'self_attn.out_proj.bias': null,
  'linear1.weight': random(4, hidden, width),
  'linear1.bias': random(5, hidden),
  'linear2.weight': random(6, width, hidden),
  'norm1.weight': random(7, width),
});

describe('prepareWeights', () => {
  it('gives a block the same', () => {
    withoutLeak(() => {
      const weights = weightsOf();
      const prepared = tril.prepareWeights(weights);
      expect(Object.keys(prepared)).toEqual(Object.keys(weights));
      for (const time of [1, 5, 70]) {
        const x = random(8, 2, time, width);
        const options = { heads: 4 };
        const { output } = tril.transformerBlock(x, weights, options);
        const again = tril.transformerBlock(x, prepared, options).output;
        // With 2 and 10 rows, unpacked weights are added up in another order: both results are within PyTorch's
        // tolerance of the exact block. With 140 rows they have the same bits.
        const close = time < 70 ? { absolute: 2e-5, relative: 2.6e-6 } : undefined;
        expect(tril.compare(output, again, close).beyond).toBe(0);
      }
    });
  });

  it('gives linear layers of many rows the same bits', () => {
    withoutLeak(() => {
      const weights = { weight: random(1, 70, 600), bias: random(2, 70) };
      const prepared = tril.prepareWeights(weights);
      const x = random(3, 25, 600);
      const expected = tril.linear(x, weights.weight, weights.bias).read();
      expect(tril.linear(x, prepared.weight, prepared.bias).read()).toEqual(expected);
    });
  });

  it('does not depend on the weights any more', () => {
    withoutLeak(() => {
      const weight = random(1, 40, 30);
      const prepared = tril.prepareWeights({ weight });
      const x = random(2, 25, 30);
      const expected = tril.linear(x, weight).read();
      weight.write(new Float32Array(40 * 30));
      expect(tril.linear(x, prepared.weight).read()).toEqual(expected);
    });
  });

  it('keeps what was packed when a call that was to write it is refused', () => {
    withoutLeak(() => {
      const { square } = tril.prepareWeights({ square: random(2, 30, 30) });
      const { bytes } = tril.memory();
      expectRefused(() => tril.linear(square, square, null, { out: square }), {
        ...{ call: 'linear', argument: 'out', says: 'shares memory with an input', out: square },
      });
      expectRefused(() => tril.softmax(square, { temperature: 0, out: square }), {
        ...{ call: 'softmax', argument: 'temperature', says: 'must be', out: square },
      });
      expect(tril.memory().bytes).toBe(bytes);
      tril.relu(square, { out: square });
      expect(tril.memory().bytes).toBeLessThan(bytes);
    });
  });

  it('forgets what was packed when a copy is written', () => {
    withoutLeak(() => {
      const prepared = tril.prepareWeights({
        weight: random(1, 40, 30),
        square: random(2, 30, 30),
      });
      const x = random(3, 5, 30);
      prepared.weight.write(new Float32Array(40 * 30));
      expect(tril.linear(x, prepared.weight).read()).toEqual(new Float32Array(5 * 40));
      const zeros = tril.zeros([30, 30]);
      tril.matmul(zeros, zeros, { out: prepared.square });
      expect(tril.linear(x, prepared.square).read()).toEqual(new Float32Array(5 * 30));
    });
  });

  it('keeps what was packed when a call that would write is refused', () => {
    withoutLeak(() => {
      const { square } = tril.prepareWeights({ square: random(1, 30, 30) });
      const { bytes } = tril.memory();
      const wrong = random(2, 30, 31);
      for (const refused of [
        () => tril.matmul(square, wrong, { out: square }),
        () => tril.matmul(wrong, wrong, { out: square }),
        () => tril.linear(wrong, square, null, { out: square }),
      ]) {
        expect(refused).toThrow(TrilError);
      }
      wrong.dispose();
      expect(tril.memory().bytes).toBe(bytes);
      tril.relu(square, { out: square });
      expect(tril.memory().bytes).toBeLessThan(bytes);
    });
  });

  it('forgets what was packed when the numbers are lent, which could be written', () => {
    withoutLeak(() => {
      const { weight } = tril.prepareWeights({ weight: random(1, 40, 30) });
      const x = random(2, 5, 30);
      weight.read();
      const { bytes } = tril.memory();
      weight.view((values) => values.fill(0));
      if (tril.threads === 1) {
        expect(tril.memory().bytes).toBeLessThan(bytes);
        expect(tril.linear(x, weight).read()).toEqual(new Float32Array(5 * 40));
      }
    });
  });

  it('holds the copies and their packed form until it is disposed', () => {
    withoutLeak(() => {
      const weights = weightsOf();
      const held = () => {
        const { tensors, bytes } = tril.memory();
        return { tensors, bytes };
      };
      const before = held();
      const prepared = tril.prepareWeights(weights);
      const bytes = 4 * (4 * width * width + 2 * width * hidden);
      expect(held().tensors).toBe(before.tensors + 7);
      expect(held().bytes).toBeGreaterThanOrEqual(before.bytes + 2 * bytes);
      prepared.dispose();
      prepared.dispose();
      expect(held()).toEqual(before);
      const x = random(9, 2, width);
      expectRefused(() => tril.linear(x, prepared['linear1.weight']), {
        call: 'linear',
        argument: 'weight',
        says: 'has been disposed',
      });
    });
  });

  it('refuses what are no weights', () => {
    withoutLeak(() => {
      const weight = random(1, 4, 4);
      const refusal = { call: 'prepareWeights', argument: 'weights', says: 'must be an object' };
      for (const wrong of [null, 3, [weight]]) {
        expectRefused(() => tril.prepareWeights(wrong as never), refusal);
      }
      expectRefused(() => tril.prepareWeights({ weight, bias: 3 } as never), {
        call: 'prepareWeights',
        argument: 'bias',
        says: 'must be a tensor',
      });
      const prepared = tril.prepareWeights({ weight });
      expect(tril.linear(weight, prepared.weight).shape).toEqual([4, 4]);
    });
  });
});
