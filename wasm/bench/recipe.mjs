// nanoGPT's recipe for characters on a CPU (Karpathy 2022), all of its 2000 steps, in a Worker of
// headless Chromium or in Node: the time of the steps, and the validation losses on the last tenth.
//
//   node wasm/bench/recipe.mjs TEXT [--where chromium|node] [--threads 2] [--steps 2000] [--seed 1]
//
// The head of native/bench/recipe.py, which has the same rows of `tril train` and of PyTorch, says where
// TEXT comes from.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { StepError } from '../toolchain/steps.mjs';
import { inChromium, inNode } from './places.mjs';

const places = { chromium: inChromium, node: inNode };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    where: { type: 'string', default: 'chromium' },
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});

try {
  const measure = places[values.where];
  if (!measure) throw new StepError(`--where knows no "${values.where}".`);
  if (positionals.length !== 1) throw new StepError('Say which text to train on, one file.');
  const request = {
    text: readFileSync(positionals[0], 'utf8'),
    ...{ threads: +values.threads, steps: +values.steps, seed: +values.seed },
  };
  const { engine, done } = await measure(
    { script: 'recipe-steps.mjs', call: 'train', request },
    ({ step, loss, seconds }) =>
      console.log(`${step} steps: ${seconds.toFixed(1)} s, validation loss ${loss.toFixed(4)}`),
  );
  console.log(`${engine}, ${done.variant}, ${done.threads} threads`);
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
