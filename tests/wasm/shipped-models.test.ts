// The models in models/: they load, and have the model card's loss on reproducible tokens and heads with the scores in
// description.json.
import { readFileSync, readdirSync } from 'node:fs';
import type { Tensor } from 'tril';
import { loadTril, type LoadModelOptions, type Model, type Without } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { behindCopies, randomTokens, repeatedRuns } from '../../models/drawn.mjs';
import { bank } from '../../models/meaning.mjs';
import { batchOf, shapes, share } from '../../models/repeats.mjs';
import { shapeOf } from '../../models/shape.mjs';

const tril = await loadTril({ variant: 'simd' });
const read = (path: string) => new Uint8Array(readFileSync(new URL(`../../models/${path}`, import.meta.url))); // prettier-ignore
const description = JSON.parse(new TextDecoder().decode(read('description.json')));
const load = (folder: string, weights: string, options: LoadModelOptions = {}) => {
  const files = {
    'config.json': read(`${folder}/config.json`),
    'tokenizer.json': read(`${folder}/tokenizer.json`),
    'model.safetensors': read(`${folder}/${weights}`),
  };
  return tril.loadModel(files, options);
};

/** A head's weight in the second copy on the tokens after an earlier copy of the same token. */
function prefixMatching(model: Model, layer: number, head: number): number {
  let sum = 0;
  let counted = 0;
  for (const tokens of repeatedRuns(shapeOf(model.config).vocabulary)) {
    const [size, period] = [tokens.length, tokens.length / 2];
    tril.scope(() => {
      const { trace } = model.forward(tokens, { trace: true });
      const weights: Float32Array = (trace!.layers[layer]!.weights as Tensor).read();
      for (let t = period; t < size; ++t, ++counted)
        for (const k of behindCopies(tokens, t)) sum += weights[(head * size + t) * size + k]!;
    });
  }
  return sum / counted;
}

/** The mean loss on the second copy of random tokens, with all heads or without some. */
function secondCopy(model: Model, without: readonly Without[] = []): number {
  const runs = repeatedRuns(shapeOf(model.config).vocabulary);
  const losses = runs.map((tokens) =>
    tril.scope(() => {
      const targets = tokens.map((_, t) =>
        t < tokens.length / 2 ? -100 : (tokens[t + 1] ?? -100),
      );
      return tril.crossEntropy(model.forward(tokens, { without }).logits, targets).loss;
    }),
  );
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/** The tolerance for a score of at most 1: other instruction sets add in another order, as above. */
const rounding = 5 * 512 * 2 ** -24;

/** The largest number in lists of numbers, and its indices. */
function largest(scores: readonly (readonly number[])[]) {
  const best = Math.max(...scores.flat());
  const layer = scores.findIndex((row) => row.includes(best));
  return { best, layer, head: scores[layer]!.indexOf(best) };
}

describe('the GPT that is shipped', () => {
  it.each([
    ['as its file has it', {}, description.gpt.goldenLoss],
    ['in q8_0', { weights: 'q8_0' }, description.gpt.q8_0.goldenLoss],
  ] as const)('%s has the loss of the description, on tokens that are drawn', async (...given) => {
    const [, options, expected] = given;
    using model = await load('gpt', 'model.safetensors', options);
    const { context, vocabulary } = shapeOf(model.config);
    const tokens = randomTokens(context + 1, vocabulary, 7);
    const { logits } = model.forward(tokens.slice(0, -1));
    expect(logits.shape).toEqual([context, vocabulary]);
    const { loss } = tril.crossEntropy(logits, tokens.slice(1));
    // 5 layers with sums of up to 512 products, each rounded by 2^-24.
    expect(Math.abs(loss - expected)).toBeLessThan(rounding * loss);
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
    if (n % 4 !== 0 && n !== checkpoints.length - 1) continue; // a sample of them is enough
    using model = await load('sibling', names[n]);
    const { best, layer, head } = largest(scores);
    expect(Math.abs(prefixMatching(model, layer, head) - best)).toBeLessThan(rounding);
  }
});

it('the sibling copies in the end, as the description says, and no more without the heads that do it', async () => {
  const { checkpoints, secondCopies } = description.sibling;
  const { step, copies, prefixMatching: scores, previousToken } = checkpoints.at(-1);
  using model = await load('sibling', `step-${step}.safetensors`);
  // 2 layers with shorter sums than the GPT's; a loss is a difference of logits, which are about ten times as large.
  const close = (found: number, told: number) =>
    expect(Math.abs(found - told)).toBeLessThan(rounding * 10 * Math.max(1, told));
  close(secondCopy(model), copies.random.second);
  for (const { layer, head } of [largest(scores), largest(previousToken)])
    close(secondCopy(model, [{ layer, head }]), secondCopies.random.heads[layer][head]);
});

describe('what the sibling learns from', () => {
  const text = randomTokens(5000, 300, 1);
  const vocabulary = 1000;

  it('is a function of the step, by turns in long windows and short ones', () => {
    for (const [step, { count, length }] of shapes.entries()) {
      const { tokens, targets } = batchOf(text, vocabulary, step);
      expect([tokens.length, targets.length]).toEqual([count, count]);
      for (const row of [...tokens, ...targets]) expect(row).toHaveLength(length);
      expect(batchOf(text, vocabulary, step)).toEqual({ tokens, targets });
      expect(batchOf(text, vocabulary, step + shapes.length).tokens).not.toEqual(tokens);
    }
  });

  it('repeats in its share of windows, with a period of its own each, and asks for nothing that cannot be known', () => {
    let [windows, repeating, random] = [0, 0, 0];
    for (let step = 0; step < 100; ++step) {
      const { length, periods: [least, most] } = shapes[step % shapes.length]!; // prettier-ignore
      const { tokens, targets } = batchOf(text, vocabulary, step);
      for (const [row, own] of tokens.entries()) {
        const asked = targets[row]!;
        ++windows;
        // The target is the next token.
        for (let t = 0; t + 1 < length; ++t)
          if (asked[t] !== -100) expect(asked[t]).toBe(own[t + 1]);
        if (!asked.includes(-100)) continue;
        ++repeating;
        const period = asked.lastIndexOf(-100) + 1;
        expect(period).toBeGreaterThanOrEqual(least);
        expect(period).toBeLessThanOrEqual(most);
        expect(own.slice(period)).toEqual(own.slice(0, length - period));
        if (asked[0] === -100) ++random;
      }
    }
    // Within 5 standard deviations of a binomial: 5 sqrt(p (1 - p) / n).
    const near = (count: number, all: number, p: number) =>
      expect(Math.abs(count / all - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / all));
    near(repeating, windows, share.repeats);
    near(random, repeating, share.random);
  });
});

it('the word vectors have the neighbours of the description, by a plain sum in double precision', async () => {
  const bytes = read('vectors/vectors.safetensors');
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true))))); // prettier-ignore
  const words: string[] = JSON.parse(header.__metadata__.words);
  const [stored] = await tril.readArrays(bytes, 'vectors.safetensors');
  const { tensor } = stored!;
  const [, width] = tensor.shape as [number, number];
  const values: Float32Array = tensor.read();
  tensor.dispose();
  const row = (n: number) => values.subarray(n * width, (n + 1) * width);
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  const own = row(words.indexOf(bank.word));
  const cosine = (n: number) => dot(own, row(n)) / Math.sqrt(dot(own, own) * dot(row(n), row(n)));
  const all = words.map((word, n) => ({ word, cosine: cosine(n) }));
  const { nearest, senses } = description.vectors;
  // Rounded to 4 decimals, of sums of 96 products in single precision.
  const close = (found: number, told: number) =>
    expect(Math.abs(found - told)).toBeLessThan(0.5e-4 + 96 * 2 ** -23);
  const sorted = all.sort((a, b) => b.cosine - a.cosine).slice(1, 1 + nearest.length);
  expect(sorted.map(({ word }) => word)).toEqual(nearest.map(({ word }: { word: string }) => word));
  for (const [n, { cosine: told }] of nearest.entries()) close(sorted[n]!.cosine, told);
  for (const [n, { words: named, cosine: told }] of senses.entries()) {
    expect(named).toEqual(bank.cues[n]!.filter((word) => words.includes(word)));
    const found = named.map((word: string) => all.find((one) => one.word === word)!.cosine);
    close(found.reduce((sum: number, x: number) => sum + x, 0) / found.length, told);
  }
});
