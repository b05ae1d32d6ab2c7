// What the shipped models are and do, measured: description.json, and the tables of the card.
//
//   npm run describe:models                    all of it
//   npm run describe:models -- --only gpt      gpt, sibling or encoder

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cardTables } from './card.mjs';
import { readComparison } from './comparison.mjs';
import { models, prepareTexts } from './data.mjs';
import { randomTokens } from './drawn.mjs';
import { bank, chosenPassages, layersOf, placesOf, separation } from './meaning.mjs';
import * as reading from './reading.mjs';
import { kept } from './recipes.mjs';
import { shapeOf } from './shape.mjs';

const round = (value) =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value.map(round);
const rounded = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, round(value)]));

async function describeGpt(tril, texts) {
  const model = await tril.loadModel(reading.filesOf('gpt'));
  const tokens = model.encode(texts.validation.toString());
  const { context, vocabulary } = shapeOf(model.config);
  const loss = reading.lossOfText(tril, model, tokens);
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
  return result;
}

/** The scores of the sibling's heads, by checkpoint. */
async function describeSibling(tril, texts) {
  const text = texts.validation.toString();
  const checkpoints = [];
  for (const step of kept) {
    const model = await tril.loadModel(reading.filesOf('sibling', `step-${step}.safetensors`));
    const tokens = model.encode(text);
    const windows = reading.windowsOf(tokens, shapeOf(model.config).context, 24);
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

/** What the encoder tells of hidden tokens, and at which layer it tells rivers from money. */
async function describeEncoder(tril, texts) {
  const curve = readFileSync(join(models, 'encoder', 'curve.csv'), 'utf8')
    .trim()
    .split('\n');
  const [, , validationLoss] = curve.findLast((line) => line.split(',')[2]).split(',');
  const model = await tril.loadModel(reading.filesOf('encoder'));
  const passages = chosenPassages(Buffer.concat([texts.train, texts.validation]).toString(), bank);
  const senses = passages.map(({ sense }) => sense);
  const layers = layersOf(
    tril,
    passages.map((passage) => placesOf(tril, model, passage)),
  );
  const count = (sense) => senses.filter((one) => one === sense).length;
  const described = {
    validationLoss: Number(validationLoss),
    bank: {
      river: count(0),
      money: count(1),
      layers: layers.map((unit) => rounded(separation(tril, unit, senses))),
    },
  };
  model.dispose();
  return described;
}

const parts = { gpt: describeGpt, sibling: describeSibling, encoder: describeEncoder };

const file = join(models, 'description.json');
const write = (file, value) =>
  writeFileSync(
    join(models, file),
    `${JSON.stringify(value, null, 1)}\n`.replace(/\[[\s\d.,e-]+\]/g, (list) =>
      list.replace(/\s+/g, ' '),
    ),
  );

/** Measures what is there, or one part of it, and writes that; other parts stay as they are described. */
export async function writeReport(texts, only) {
  const tril = await reading.loadTril();
  const description = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  description.data = {
    trainBytes: texts.train.length,
    validationBytes: texts.validation.length,
    validationYears: texts.years.validation,
  };
  for (const [name, describe] of Object.entries(parts)) {
    if ((only && only !== name) || !existsSync(join(models, name))) continue;
    description[name] = await describe(tril, texts);
    console.log(`${name}: measured`);
  }
  write('description.json', description);
  const card = join(models, 'README.md');
  writeFileSync(card, cardTables(readFileSync(card, 'utf8'), description));
  console.log(`GPT: loss ${description.gpt.loss}, ${description.gpt.bitsPerByte} bits a byte`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { only: { type: 'string' } } });
  if (values.only && !(values.only in parts)) {
    console.error(`--only: must be ${Object.keys(parts).join(', ')}, is ${values.only}`);
    process.exit(2);
  }
  await writeReport(prepareTexts(), values.only);
}
