// What the shipped models are and do, measured: description.json, and the tables of the card.
//
//   npm run describe:models

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cardTables } from './card.mjs';
import { readComparison } from './comparison.mjs';
import { models, prepareTexts } from './data.mjs';
import { randomTokens } from './drawn.mjs';
import * as reading from './reading.mjs';
import { kept } from './recipes.mjs';

const round = (value) =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value.map(round);
const rounded = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, round(value)]));

async function describeGpt(tril, texts) {
  const model = await tril.loadModel(reading.filesOf('gpt'));
  const tokens = model.encode(texts.validation.toString());
  const { n_positions: context, vocab_size: vocabulary } = model.config;
  const windows = reading.windowsOf(tokens, context);
  const loss = reading.lossOf(tril, model, windows);
  const bitsPerByte = ((loss / Math.LN2) * tokens.length) / texts.validation.length;
  const some = reading.windowsOf(tokens, context, 32);
  // What a test can say again without the texts.
  const fixed = [...randomTokens(context + 1, vocabulary, 7)];
  const golden = reading.lossOf(tril, model, [Int32Array.from(fixed)]);
  const result = {
    loss: round(loss),
    bitsPerByte: round(bitsPerByte),
    goldenLoss: golden,
    others: readComparison(),
    copies: rounded(reading.copyLosses(tril, model)),
    heads: rounded(reading.scoresOfHeads(model, some)),
    ablation: rounded(reading.ablations(tril, model, some)),
  };
  model.dispose();
  return { result, tokens };
}

/** The scores of the sibling's heads, by checkpoint. */
async function describeSibling(tril, tokens) {
  const checkpoints = [];
  for (const step of kept) {
    const model = await tril.loadModel(reading.filesOf('sibling', `step-${step}.safetensors`));
    const windows = reading.windowsOf(tokens, model.config.n_positions, 24);
    checkpoints.push({
      step,
      loss: round(reading.lossOf(tril, model, windows)),
      copies: rounded(reading.copyLosses(tril, model)),
      ...rounded(reading.scoresOfHeads(model, windows.slice(0, 8))),
    });
    model.dispose();
  }
  return { checkpoints };
}

const write = (file, value) =>
  writeFileSync(
    join(models, file),
    `${JSON.stringify(value, null, 1)}\n`.replace(/\[[\s\d.,e-]+\]/g, (list) =>
      list.replace(/\s+/g, ' '),
    ),
  );

/** Measures all that is there, and writes it. */
export async function writeReport(texts) {
  const tril = await reading.loadTril();
  const gpt = await describeGpt(tril, texts);
  const description = {
    data: {
      trainBytes: texts.train.length,
      validationBytes: texts.validation.length,
      validationYears: texts.years.validation,
    },
    gpt: gpt.result,
  };
  if (existsSync(join(models, 'sibling')))
    description.sibling = await describeSibling(tril, gpt.tokens);
  write('description.json', description);
  const card = join(models, 'README.md');
  const text = readFileSync(card, 'utf8');
  writeFileSync(card, cardTables(text, description));
  console.log(`loss ${gpt.result.loss}, ${gpt.result.bitsPerByte} bits a byte`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeReport(prepareTexts());
