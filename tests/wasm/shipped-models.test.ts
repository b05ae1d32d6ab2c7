// The models in models/: that they load, have the loss that the card says of tokens that anyone can
// draw, and heads with the scores that description.json gives them.
import { readFileSync, readdirSync } from 'node:fs';
import type { Tensor } from 'tril';
import { loadTril, type Model } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { randomTokens, repeatedRuns } from '../../models/drawn.mjs';
import { shapeOf } from '../../models/shape.mjs';

const tril = await loadTril({ variant: 'simd' });
const read = (path: string) => new Uint8Array(readFileSync(new URL(`../../models/${path}`, import.meta.url))); // prettier-ignore
const description = JSON.parse(new TextDecoder().decode(read('description.json')));
const load = (folder: string, weights: string) =>
  tril.loadModel({
    'config.json': read(`${folder}/config.json`),
    'tokenizer.json': read(`${folder}/tokenizer.json`),
    'model.safetensors': read(`${folder}/${weights}`),
  });

/** The weight of a head in the second copy on what is behind the same token in the first. */
function prefixMatching(model: Model, layer: number, head: number): number {
  let sum = 0;
  let counted = 0;
  for (const tokens of repeatedRuns(shapeOf(model.config).vocabulary)) {
    const [size, period] = [tokens.length, tokens.length / 2];
    tril.scope(() => {
      const { trace } = model.forward(tokens, { trace: true });
      const weights: Float32Array = (trace!.layers[layer]!.weights as Tensor).read();
      for (let t = period; t < size; ++t, ++counted)
        sum += weights[(head * size + t) * size + t - period + 1]!;
    });
  }
  return sum / counted;
}

/** How far a score of at most 1 may be off: other instruction sets add in another order, as above. */
const rounding = 5 * 512 * 2 ** -24;

/** Where the largest of lists of numbers is. */
function largest(scores: readonly (readonly number[])[]) {
  const best = Math.max(...scores.flat());
  const layer = scores.findIndex((row) => row.includes(best));
  return { best, layer, head: scores[layer]!.indexOf(best) };
}

describe('the GPT that is shipped', () => {
  it('has the loss that the description gives, on tokens that are drawn', async () => {
    using model = await load('gpt', 'model.safetensors');
    const { context, vocabulary } = shapeOf(model.config);
    const tokens = randomTokens(context + 1, vocabulary, 7);
    const { logits } = model.forward(tokens.slice(0, -1));
    expect(logits.shape).toEqual([context, vocabulary]);
    const { loss } = tril.crossEntropy(logits, tokens.slice(1));
    // In 5 layers of sums of up to 512 products, each rounded to 2^-24.
    expect(Math.abs(loss - description.gpt.goldenLoss)).toBeLessThan(rounding * loss);
    logits.dispose();
  });

  it('has the heads of the description, and text comes back from its tokenizer', async () => {
    using model = await load('gpt', 'model.safetensors');
    const { best, layer, head } = largest(description.gpt.heads.prefixMatching);
    expect(Math.abs(prefixMatching(model, layer, head) - best)).toBeLessThan(rounding);
    expect(model.decode(model.encode('Both banks of the Mississippi.'))).toBe(
      'Both banks of the Mississippi.',
    );
  });
});

it('the sibling has its checkpoints, each with the heads of the description', async () => {
  const { checkpoints } = description.sibling;
  const names = checkpoints.map(({ step }: { step: number }) => `step-${step}.safetensors`);
  const there = readdirSync(new URL('../../models/sibling/', import.meta.url));
  expect(there.filter((name) => name.endsWith('.safetensors')).sort()).toEqual([...names].sort());
  for (const [n, { prefixMatching: scores }] of checkpoints.entries()) {
    if (n % 4 !== 0 && n !== checkpoints.length - 1) continue; // some are enough
    using model = await load('sibling', names[n]);
    const { best, layer, head } = largest(scores);
    expect(Math.abs(prefixMatching(model, layer, head) - best)).toBeLessThan(rounding);
  }
});
