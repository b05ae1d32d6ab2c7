// One vector for each word, applied to *bank*: its nearest words, and its cosines with rivers and with money.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { models } from './data.mjs';
import { bank, nearest, rowsOf, unitRows } from './meaning.mjs';

const digits = (value) => Number(value.toFixed(4));
const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

/** The `nearest` words with their cosines; for each sense its `words` and their mean `cosine`. */
export async function describeVectors(tril) {
  const bytes = new Uint8Array(readFileSync(join(models, 'vectors', 'vectors.safetensors')));
  const [{ tensor }] = await tril.readArrays(bytes, 'vectors.safetensors');
  const words = wordsOf(bytes);
  const unit = unitRows(tril, tensor);
  const own = words.indexOf(bank.word);
  const cosines = tril.matmul(unit, rowsOf(tril, unit, [own]), { transposeB: true }).read();
  const near = nearest(tril, unit, rowsOf(tril, unit, [own]), 10, [own]);
  return {
    word: bank.word,
    nearest: near.map(({ index, cosine }) => ({ word: words[index], cosine: digits(cosine) })),
    senses: bank.senses.map((sense, n) => {
      const there = bank.cues[n].filter((word) => words.includes(word));
      const all = there.map((word) => cosines[words.indexOf(word)]);
      return { sense, words: there, cosine: digits(mean(all)) };
    }),
  };
}

/** The words in a file of vectors, row by row. */
function wordsOf(bytes) {
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size)));
  return JSON.parse(header.__metadata__.words);
}
