// Measures the shipped models: writes description.json, and the tables of the model card.
//
//   npm run describe:models                    all of it
//   npm run describe:models -- --only gpt      gpt, sibling, encoder or vectors

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cardTables } from './card.mjs';
import { readComparison } from './comparison.mjs';
import { models, prepareTexts } from './data.mjs';
import { randomTokens, repeatedRuns } from './drawn.mjs';
import { bank, chosenPassages, layersOf, placesOf, separation } from './meaning.mjs';
import { describeVectors } from './neighbours.mjs';
import * as reading from './reading.mjs';
import { kept } from './recipes.mjs';
import { share } from './repeats.mjs';
import { shapeOf } from './shape.mjs';

const round = (value) =>
  typeof value === 'number' ? Number(value.toPrecision(6)) : value.map(round);
const rounded = (object) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, round(value)]));
const copiesOf = (tril, model, { random, passages }) => ({
  random: rounded(reading.copyLosses(tril, model, random)),
  passages: rounded(reading.copyLosses(tril, model, passages)),
});

/** A model's losses on the validation texts, and on tokens that a test can draw again without them. */
function lossesOf(tril, model, validation) {
  const tokens = model.encode(validation.toString());
  const { context, vocabulary } = shapeOf(model.config);
  const loss = reading.lossOfText(tril, model, tokens);
  return {
    loss: round(loss),
    bitsPerByte: round(((loss / Math.LN2) * tokens.length) / validation.length),
    goldenLoss: reading.lossOf(tril, model, [randomTokens(context + 1, vocabulary, 7)]),
  };
}

async function describeGpt(tril, texts) {
  const model = await tril.loadModel(reading.filesOf('gpt'));
  const narrow = await tril.loadModel(reading.filesOf('gpt'), { weights: 'q8_0' });
  const tokens = model.encode(texts.validation.toString());
  const some = reading.windowsOf(tokens, shapeOf(model.config).context, 32);
  const repeats = reading.repeatsFor(model, tokens);
  const result = {
    ...lossesOf(tril, model, texts.validation),
    q8_0: lossesOf(tril, narrow, texts.validation),
    others: readComparison(),
    copies: copiesOf(tril, model, repeats),
    heads: rounded(reading.scoresOfHeads(model, some, repeats)),
    ablation: rounded(reading.ablations(tril, model, some)),
  };
  for (const each of [model, narrow]) each.dispose();
  return result;
}

/** A distance between copies that the sibling never had in training: counting positions fails there. */
const farther = 60;

/** The scores of the sibling's heads by checkpoint, and the last checkpoint's losses without them. */
async function describeSibling(tril, texts) {
  const text = texts.validation.toString();
  const checkpoints = [];
  const last = {};
  for (const step of kept) {
    const model = await tril.loadModel(reading.filesOf('sibling', `step-${step}.safetensors`));
    const tokens = model.encode(text);
    const { context, vocabulary } = shapeOf(model.config);
    const windows = reading.windowsOf(tokens, context, 24);
    const repeats = reading.repeatsFor(model, tokens);
    checkpoints.push({
      step,
      loss: round(reading.lossOf(tril, model, windows)),
      copies: copiesOf(tril, model, repeats),
      ...rounded(reading.scoresOfHeads(model, windows, repeats)),
    });
    if (step === kept.at(-1)) {
      const far = repeatedRuns(vocabulary, 16, farther);
      last.ablation = rounded(reading.ablations(tril, model, windows));
      last.secondCopies = {
        random: rounded(reading.secondCopies(tril, model, repeats.random)),
        passages: rounded(reading.secondCopies(tril, model, repeats.passages)),
      };
      last.farther = {
        period: farther,
        copies: rounded(reading.copyLosses(tril, model, far)),
        prefixMatching: round(reading.prefixMatching(model, far)),
      };
    }
    model.dispose();
  }
  return { share, checkpoints, ...last };
}

/** The encoder's loss on hidden tokens, and the layers at which it tells rivers from money. */
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

const parts = {
  gpt: describeGpt,
  sibling: describeSibling,
  encoder: describeEncoder,
  vectors: describeVectors,
};

const file = join(models, 'description.json');
const write = (file, value) =>
  writeFileSync(
    join(models, file),
    `${JSON.stringify(value, null, 1)}\n`.replace(/\[[\s\d.,e-]+\]/g, (list) =>
      list.replace(/\s+/g, ' '),
    ),
  );

/** Measures all models, or one, and writes the results; other parts of the description stay. */
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
