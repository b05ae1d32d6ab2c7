// Other models' losses on the validation texts, in bits per byte: n-grams of the GPT's tokens, and xz.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { models, run } from './data.mjs';
import { learnNgrams, surpriseOf } from './ngrams.mjs';
import { filesOf, loadTril } from './reading.mjs';
import { shapeOf } from './shape.mjs';

const file = join(models, 'comparison.json');

export async function writeComparison({ train, validation }) {
  checkXz();
  const tril = await loadTril();
  const model = await tril.loadModel(filesOf('gpt'));
  const [learned, said] = [train, validation].map((bytes) => model.encode(bytes.toString()));
  const perByte = (bits) => Number((bits / validation.length).toFixed(4));
  const ngrams = {};
  for (const longest of [2, 3, 4, 5]) {
    const found = learnNgrams(learned, shapeOf(model.config).vocabulary, longest);
    ngrams[longest] = perByte(surpriseOf(found, said) / Math.LN2);
    console.log(`Kneser-Ney ${longest}-grams: ${ngrams[longest]} bits a byte`);
  }
  const packed = (input) => 8 * run('xz', ['-9e', '--stdout'], { input, show: false }).length;
  const xz = {
    alone: perByte(packed(validation)),
    behindTraining: perByte(packed(Buffer.concat([train, validation])) - packed(train)),
  };
  const tokens = { train: learned.length, validation: said.length };
  writeFileSync(file, `${JSON.stringify({ tokens, ngrams, xz }, null, 2)}\n`);
}

/** Checks for xz before minutes are spent. */
function checkXz() {
  try {
    run('xz', ['--version'], { show: false });
  } catch (cause) {
    const install = 'install it (Debian and Ubuntu: xz-utils, macOS: brew install xz)';
    throw new Error(`xz is needed, and does not run: ${install}`, { cause });
  }
}

export const readComparison = () => JSON.parse(readFileSync(file, 'utf8'));
