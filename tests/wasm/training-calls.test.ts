// Calls that only a module of tril/training has: other modules refuse them, and a Worker gives the same results.
import { variants, type Tensor } from 'tril';
import { loadTril } from 'tril/training';
import { loadTril as loadRemote, type RemoteTensor } from 'tril/worker';
import { afterAll, describe, expect, it } from 'vitest';
import {
  asTensors,
  blockWeights,
  C,
  decoderWeights,
  H,
  prefixed,
  S,
  T,
} from './block-reference.js';
import type { Plain } from './block-reference.js';
import { expectRefused, tril } from './helpers.js';
import { epsilon, expectClose, randomMatrix } from './reference.js';
import { tril as trained } from './trained.js';

const remote = await loadRemote({ variant: 'simd', training: true });
afterAll(() => remote.close());

const [block, decoder] = [blockWeights(100), decoderWeights(200)];
const under = (plain: Plain, prefix: string): Plain =>
  Object.fromEntries(
    Object.entries(plain)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );
const linears = under(block, 'linear');
const feedForward = prefixed('linear', linears);
const gated = { ...feedForward, 'linear2.weight': randomMatrix(C, 6, 50) };
const heads = under(block, 'self_attn.');
const [x, memory, d] = [randomMatrix(T, C, 1), randomMatrix(S, C, 2), randomMatrix(T, C, 3)];
const additive: Plain = {
  ...{ w_q: randomMatrix(3, C, 4), w_k: randomMatrix(3, C, 5), v: randomMatrix(1, 3, 6)[0]! },
};
const both = { ...prefixed('encoder.layers.0.', block), ...prefixed('decoder.layers.0.', decoder) };
const [eight, six] = [randomMatrix(C, C, 7), randomMatrix(T, 6, 8)];

/** The arguments of each call: numbers become tensors, weights too. */
const calls: Record<string, readonly unknown[]> = {
  matmulBackward: [d, x, eight],
  rotaryPositionsBackward: [d],
  samplingProbabilities: [six, { temperature: 0.7, topK: 4, topP: 0.9, minP: 0.05 }],
  gatedActivation: [six, six],
  gatedActivationBackward: [six, six, six],
  gatedFeedForward: [x, gated],
  gatedFeedForwardBackward: [d, x, gated],
  feedForwardBackward: [d, x, feedForward],
  additiveAttentionBackward: [d, x, memory, memory, additive],
  multiHeadAttentionBackward: [d, x, heads, { heads: H }],
  transformerBlockBackward: [d, x, block, { heads: H, norm: 'pre' }],
  decoderBlockBackward: [d, x, memory, decoder, { heads: H }],
  transformerBackward: [d, memory, x, both, { heads: H, causal: true }],
};

type Call = (...values: unknown[]) => unknown;
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && Object.values(value as object).every(Array.isArray);

/** All numbers of a result, by their path in it. */
function numbersOf(result: unknown, name = ''): [string, Tensor | RemoteTensor][] {
  const isTensor = typeof (result as Partial<Tensor>).read === 'function';
  if (isTensor) return [[name, result as Tensor]];
  return Object.entries(result as object).flatMap(([key, part]) =>
    numbersOf(part, `${name}/${key}`),
  );
}

describe.each(Object.entries(calls))('%s', (name, values) => {
  it('says what is missing in a module without training', () => {
    tril.scope(() => {
      const given = values.map((value) => {
        if (Array.isArray(value)) return tril.tensor(value as number[]);
        return isPlain(value) ? asTensors(value, tril) : value;
      });
      const body = () => (tril as unknown as Record<string, Call>)[name]!(...given);
      const says = 'is not in the module that was loaded';
      expectRefused(body, { call: name, argument: 'training', says });
    });
  });

  it('gives the same bits in a Worker', async () => {
    const local = values.map((value) => {
      if (Array.isArray(value)) return trained.tensor(value as number[]);
      return isPlain(value) ? asTensors(value, trained) : value;
    });
    const there = await Promise.all(
      values.map(async (value) => {
        if (Array.isArray(value)) return remote.tensor(value as number[]);
        if (!isPlain(value)) return value;
        const made = Object.entries(value).map(
          async ([key, each]) => [key, await remote.tensor(each as number[])] as const,
        );
        return Object.fromEntries(await Promise.all(made));
      }),
    );
    const expected = numbersOf((trained as unknown as Record<string, Call>)[name]!(...local));
    const found = numbersOf(await (remote as unknown as Record<string, Call>)[name]!(...there));
    expect(found.map(([key]) => key)).toEqual(expected.map(([key]) => key));
    for (const [i, [, tensor]] of found.entries()) {
      expect(await tensor.read()).toEqual(expected[i]![1].read());
    }
  });
});

/** The tolerance of block-gradients.test.ts for sums of these lengths, relative to the largest number. */
const allowed = 2 * 512 * epsilon;

it.each(variants.filter((variant) => variant !== 'simd'))(
  'variant %s gives the same, within rounding',
  async (variant) => {
    const module = await loadTril({ variant });
    const numbersBy = (of: typeof trained, name: string) =>
      of.scope(() => {
        const given = calls[name]!.map((value) => {
          if (Array.isArray(value)) return of.tensor(value as number[]);
          return isPlain(value) ? asTensors(value, of) : value;
        });
        const result = (of as unknown as Record<string, Call>)[name]!(...given);
        return numbersOf(result).flatMap(([, tensor]) => [...(tensor as Tensor).read()]);
      });
    for (const name of Object.keys(calls)) {
      const expected = numbersBy(trained, name);
      const largest = Math.max(1, ...expected.map(Math.abs));
      expectClose(numbersBy(module, name), expected, allowed * largest);
    }
  },
);
