// Weights of 32, 16 and 8 bits, in Node: the speed of a prompt and of the tokens after it, for Llama-like models with
// random weights. `node wasm/bench/weights.mjs [VARIANT] [THREADS]`; all types take turns, and a round is a prompt and
// its continuation. Times are processor times on one thread, and elapsed times on several.

import { loadTril } from 'tril/training';
import { llamaFiles } from './generation.mjs';

const cases = {
  small: { layers: 6, heads: 8, width: 256, hidden: 688, prompt: 128, tokens: 64, rounds: 15 },
  large: { layers: 12, heads: 12, width: 768, hidden: 2048, prompt: 32, tokens: 8, rounds: 7 },
};
const vocabulary = 4096;
const types = ['float32', 'float16', 'bfloat16', 'q8_0'];

const [variant = 'simd', threadCount = '1'] = process.argv.slice(2);
const threads = Number(threadCount);
const tril = await loadTril({ variant, ...(threads > 1 && { threads }) });

/** Seconds: the thread's own time if there is only one. */
function now() {
  if (threads > 1) return performance.now() / 1000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The times of the prompt, and of each token after it. */
async function round(model, { prompt, tokens }) {
  const ids = Array.from({ length: prompt }, (_, n) => (n * n) % vocabulary);
  const begin = now();
  let first = begin;
  let count = 0;
  for await (const { token } of model.generate(ids, { maxTokens: tokens, temperature: 0 })) {
    if (token === undefined) continue;
    if (count === 0) first = now();
    count += 1;
  }
  return { prompt: first - begin, token: (now() - first) / (count - 1) };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

for (const [name, sizes] of Object.entries(cases)) {
  if (threads > 1 && name === 'large') continue; // not all of them fit a memory of fixed size
  const models = [];
  for (const dtype of types) {
    const quantised = dtype === 'q8_0';
    const model = await tril.loadModel(
      llamaFiles(
        ...[tril, { ...sizes, vocabulary }, sizes.prompt + sizes.tokens],
        quantised ? 'float16' : dtype,
      ).files,
      quantised ? { weights: dtype } : {},
    );
    models.push({ dtype, model, times: [] });
    await round(model, sizes);
  }
  for (let n = 0; n < sizes.rounds; n += 1) {
    for (const each of models) each.times.push(await round(each.model, sizes));
  }
  for (const { dtype, model, times } of models) {
    const of = (part) => median(times.map((time) => time[part]));
    // Ratios by round, to the same round of float32.
    const ratio = (part) => median(times.map((time, n) => models[0].times[n][part] / time[part]));
    const { bytes } = model.parameters;
    console.log(
      `${name} ${variant} ${threads}: ${dtype}, ${(bytes / 1e6).toFixed(1)} MB:`,
      `${(1 / of('token')).toFixed(0)} tokens/s (${ratio('token').toFixed(2)} x float32),`,
      `${(bytes / of('token') / 1e9).toFixed(1)} GB/s;`,
      `prompt ${(sizes.prompt / of('prompt')).toFixed(0)} tokens/s (${ratio('prompt').toFixed(2)} x)`,
    );
    model.dispose();
  }
}
process.exit();
