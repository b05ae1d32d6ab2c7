// Word vectors in WebAssembly: words of the text per second on one thread, like the native measurement of
// native/bench/vectors_bench.cc: with word2vec.c's settings on a text of Zipf's law, in the process's own time, so that
// other work of the machine matters little.
//
//     node wasm/bench/vectors.mjs [ROUNDS]

import { fileURLToPath } from 'node:url';
import { loadTril } from 'tril/training';

/** About a million words, of 20 000 different ones with frequencies by rank. */
export function madeUpText(count) {
  let seed = 1;
  const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const letters = 'etaoinshrdlcumwfgypbvk';
  const words = Array.from({ length: 20_000 }, () => {
    const length = 1 + Math.floor(5 * next()) + Math.floor(6 * next());
    return Array.from({ length }, () => letters[Math.floor(22 * next() ** 2)]).join('');
  });
  const text = Array.from({ length: count }, () => words[Math.floor(20_001 ** next()) - 1]);
  return text.join(' ');
}

/** Words per second in each round of `steps` steps. */
export async function measureVectors(variant, rounds, steps = 20, count = 1_000_000) {
  const { wordVectors } = await loadTril({ variant });
  const vectors = wordVectors({ data: madeUpText(count) });
  vectors.steps(steps); // so that the engine has optimised the code
  const rates = Array.from({ length: rounds }, () => {
    const begin = process.cpuUsage();
    let words = 0;
    for (let step = 0; step < steps; step += 1) words += vectors.step().words;
    const { user, system } = process.cpuUsage(begin); // microseconds
    return (1e6 * words) / (user + system);
  });
  vectors.dispose();
  return rates.sort((a, b) => a - b);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rounds = Number(process.argv[2] ?? 9);
  for (const variant of ['simd', 'relaxed']) {
    const rates = await measureVectors(variant, rounds).catch((error) => `${error}`);
    if (typeof rates === 'string') {
      console.log(`${variant}: ${rates}`);
      continue;
    }
    const at = (share) => (rates[Math.round(share * (rates.length - 1))] / 1e6).toFixed(2);
    console.log(`${variant}: ${at(0.5)} M words/s, ${at(0.1)} .. ${at(0.9)}`);
  }
}
