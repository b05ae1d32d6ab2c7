// A shipped model, read: loss on tokens, and what its heads look at.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { models, root } from './data.mjs';
import { period, repeatedRuns } from './drawn.mjs';
import { shapeOf } from './shape.mjs';

/** The package with `loadModel`, as it was built here. */
export async function loadTril() {
  const built = join(root, 'wasm', 'dist', 'training.js');
  if (!existsSync(built)) throw new Error('the package is not built; run `npm run build`');
  const { loadTril: load } = await import(built);
  return load();
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

/** Runs of `length + 1` tokens, `count` of them or as many as there are, evenly spaced. */
export function windowsOf(tokens, length, count = Infinity) {
  const all = Math.floor((tokens.length - 1) / length);
  const some = Math.min(count, all);
  return Array.from({ length: some }, (_, n) => {
    const begin = Math.floor((n * all) / some) * length;
    return tokens.subarray(begin, begin + length + 1);
  });
}

/** The mean loss over windows, in nats a token, each token given those before it in its window. */
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
 * The mean loss over a text, in nats a token. Windows of the model's context begin half of it apart,
 * and each counts its second half, so that a token is told from at least that many before it.
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

/** Lists of so many layers and heads, filled by `value(layer, head)`. */
const byHead = (config, value) =>
  Array.from({ length: shapeOf(config).layers }, (_, layer) =>
    Array.from({ length: shapeOf(config).heads }, (_, head) => value(layer, head)),
  );

/** The mean over `runs` of the weight that each head gives from places to one place each. */
function meanWeights(model, runs, from, to) {
  const sums = byHead(model.config, () => 0);
  let counted = 0;
  for (const tokens of runs) {
    const { logits, trace } = model.forward(tokens, { trace: true });
    const size = tokens.length;
    for (const [layer, { weights }] of trace.layers.entries()) {
      weights.view((values) => {
        for (const [head] of sums[layer].entries())
          for (let t = from; t < size; ++t)
            sums[layer][head] += values[(head * size + t) * size + to(t)];
      });
    }
    counted += size - from;
    disposeAll({ logits, trace });
  }
  return sums.map((heads) => heads.map((sum) => sum / counted));
}

function disposeAll(value) {
  if (typeof value?.dispose === 'function') value.dispose();
  else if (value && typeof value === 'object') Object.values(value).forEach(disposeAll);
}

/**
 * For every head, from 0 to 1: `prefixMatching`, the weight in the second copy of random tokens on
 * the token behind the same token in the first (Olsson et al. 2022); `previousToken` and
 * `firstToken`, the weight on these in texts.
 */
export function scoresOfHeads(model, windows) {
  const texts = windows.map((window) => window.slice(0, -1));
  const repeated = repeatedRuns(shapeOf(model.config).vocabulary);
  return {
    prefixMatching: meanWeights(model, repeated, period, (t) => t - period + 1),
    previousToken: meanWeights(model, texts, 1, (t) => t - 1),
    firstToken: meanWeights(model, texts, 2, () => 0),
  };
}

/** The mean loss on each copy of repeated random tokens: what a model with induction gains. */
export function copyLosses(tril, model) {
  const first = [], second = []; // prettier-ignore
  for (const tokens of repeatedRuns(shapeOf(model.config).vocabulary)) {
    const { logits } = model.forward(tokens);
    const of = (from, to) => {
      const none = Int32Array.from(tokens, (_, t) =>
        t + 1 >= from && t + 1 < to ? tokens[t + 1] : -100,
      );
      return tril.crossEntropy(logits, none).loss;
    };
    first.push(of(1, period));
    second.push(of(period + 1, 2 * period));
    logits.dispose();
  }
  const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
  return { first: mean(first), second: mean(second) };
}

/** What the loss rises by where one head, or one layer, is switched off, in nats a token. */
export function ablations(tril, model, windows) {
  const whole = lossOf(tril, model, windows);
  const rise = (part) => lossOf(tril, model, windows, { without: [part] }) - whole;
  return {
    loss: whole,
    heads: byHead(model.config, (layer, head) => rise({ layer, head })),
    layers: byHead(model.config, (layer) => layer).map((_, layer) => rise({ layer })),
  };
}
