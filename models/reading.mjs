// Measurements of a shipped model: its loss on tokens, and the attention of its heads.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { models, root } from './data.mjs';
import { behindCopies, repeatedPassages, repeatedRuns } from './drawn.mjs';
import { shapeOf } from './shape.mjs';

/** The locally built package with `loadModel`. */
export async function loadTril(options = {}) {
  const built = join(root, 'wasm', 'dist', 'training.js');
  if (!existsSync(built)) throw new Error('the package is not built; run `npm run build`');
  const { loadTril: load } = await import(built);
  return load(options);
}

/** The files of a folder of models/, with `weights` as the model's. */
export function filesOf(name, weights = 'model.safetensors') {
  const folder = join(models, name);
  const take = (file) => [file.endsWith('.safetensors') ? 'model.safetensors' : file, read(file)];
  const read = (file) => new Uint8Array(readFileSync(join(folder, file)));
  const wanted = ['config.json', 'tokenizer.json', weights];
  return Object.fromEntries(
    readdirSync(folder)
      .filter((file) => wanted.includes(file))
      .map(take),
  );
}

/** Up to `count` runs of `length + 1` tokens, evenly spaced. */
export function windowsOf(tokens, length, count = Infinity) {
  const all = Math.floor((tokens.length - 1) / length);
  const some = Math.min(count, all);
  return Array.from({ length: some }, (_, n) => {
    const begin = Math.floor((n * all) / some) * length;
    return tokens.subarray(begin, begin + length + 1);
  });
}

/** The mean loss over windows, in nats per token, each token given those before it in its window. */
export function lossOf(tril, model, windows, options = {}) {
  let sum = 0, counted = 0; // prettier-ignore
  for (const window of windows) {
    const { logits } = model.forward(window.slice(0, -1), options);
    const found = tril.crossEntropy(logits, window.slice(1));
    sum += found.loss * found.counted;
    counted += found.counted;
    logits.dispose();
  }
  return sum / counted;
}

/**
 * The mean loss on a text, in nats per token. Windows of the model's context begin half of it apart, and only the
 * second half of each counts, so that every token is predicted from at least that many tokens.
 */
export function lossOfText(tril, model, tokens) {
  const { context } = shapeOf(model.config);
  let sum = 0;
  for (let begin = 0, next = 1; next < tokens.length; begin += context / 2) {
    const window = tokens.subarray(begin, begin + context + 1);
    const { logits } = model.forward(window.slice(0, -1));
    const targets = window.slice(1).fill(-100, 0, next - begin - 1);
    const found = tril.crossEntropy(logits, targets);
    sum += found.loss * found.counted;
    next = begin + window.length;
    logits.dispose();
  }
  return sum / (tokens.length - 1);
}

/** A value for each layer and head: `value(layer, head)`. */
const byHead = (config, value) =>
  Array.from({ length: shapeOf(config).layers }, (_, layer) =>
    Array.from({ length: shapeOf(config).heads }, (_, head) => value(layer, head)),
  );

/**
 * The mean weight of each head on the positions in `places`, averaged over the queries of `runs` from `from(tokens)`
 * on.
 */
function meanWeights(model, runs, from, places) {
  const sums = byHead(model.config, () => 0);
  let counted = 0;
  for (const tokens of runs) {
    const { logits, trace } = model.forward(tokens, { trace: { lens: false, scores: false } });
    const size = tokens.length;
    const wanted = Array.from({ length: size }, (_, t) =>
      t < from(tokens) ? [] : places(tokens, t),
    );
    for (const [layer, { weights }] of trace.layers.entries()) {
      weights.view((values) => {
        for (const [head] of sums[layer].entries())
          for (const [t, chosen] of wanted.entries())
            for (const k of chosen) sums[layer][head] += values[(head * size + t) * size + k];
      });
    }
    counted += size - from(tokens);
    disposeAll({ logits, trace });
  }
  return sums.map((heads) => heads.map((sum) => sum / counted));
}

function disposeAll(value) {
  if (typeof value?.dispose === 'function') value.dispose();
  else if (value && typeof value === 'object') Object.values(value).forEach(disposeAll);
}

/** Repetitions: random tokens, and passages of a text. */
export const repeatsFor = (model, tokens) => ({
  random: repeatedRuns(shapeOf(model.config).vocabulary),
  passages: repeatedPassages(tokens),
});

/** The position at which the second copy begins. */
const half = (tokens) => tokens.length / 2;

/**
 * For every head, the weight in the second copy on all positions after an earlier copy of the same token (Olsson et al.
 * 2022).
 */
export const prefixMatching = (model, runs) => meanWeights(model, runs, half, behindCopies);

/**
 * Scores of every head, from 0 to 1: `prefixMatching`, in random tokens and `InPassages` of texts; `previousToken` and
 * `firstToken`, the weight on these in texts.
 */
export function scoresOfHeads(model, windows, { random, passages }) {
  const texts = windows.map((window) => window.slice(0, -1));
  return {
    prefixMatching: prefixMatching(model, random),
    prefixMatchingInPassages: prefixMatching(model, passages),
    previousToken: meanWeights(model, texts, () => 1, (_, t) => [t - 1]), // prettier-ignore
    firstToken: meanWeights(model, texts, () => 2, () => [0]), // prettier-ignore
  };
}

/** The mean loss on each copy of repetitions: the gain by induction. */
export function copyLosses(tril, model, runs, options = {}) {
  const sums = { first: 0, second: 0 };
  for (const tokens of runs) {
    const { logits } = model.forward(tokens, options);
    const period = half(tokens);
    const of = (from, to) => {
      const targets = Int32Array.from(tokens, (_, t) =>
        t + 1 >= from && t + 1 < to ? tokens[t + 1] : -100,
      );
      return tril.crossEntropy(logits, targets).loss / runs.length;
    };
    sums.first += of(1, period);
    sums.second += of(period + 1, 2 * period);
    logits.dispose();
  }
  return sums;
}

/** The rise of the loss with one head, or one layer, switched off, in nats per token. */
export function ablations(tril, model, windows) {
  const whole = lossOf(tril, model, windows);
  const rise = (part) => lossOf(tril, model, windows, { without: [part] }) - whole;
  return {
    loss: whole,
    heads: byHead(model.config, (layer, head) => rise({ layer, head })),
    layers: byHead(model.config, (layer) => layer).map((_, layer) => rise({ layer })),
  };
}

/** A head whose weight reaches this is named after its target. */
export const naming = 0.3;

/**
 * The loss on second copies without each of the heads, and without `all` that look for earlier copies, in nats per
 * token.
 */
export function secondCopies(tril, model, runs) {
  const second = (without) => copyLosses(tril, model, runs, { without }).second;
  const named = prefixMatching(model, runs).flatMap((row, layer) =>
    row.flatMap((score, head) => (score >= naming ? [{ layer, head }] : [])),
  );
  return {
    heads: byHead(model.config, (layer, head) => second([{ layer, head }])),
    all: second(named),
  };
}
