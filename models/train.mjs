// Trains the models of this folder again, from the texts to their description:
//
//   npm run train:models                       all of it
//   npm run train:models -- --only vectors     gpt, sibling, encoder, vectors, comparison or report
//   npm run train:models -- --threads 1
//
// It needs the built program `tril` (cmake --build --preset native --target tril_cli), except for the sibling; for the
// sibling and the measurements the built package (npm run build); and xz. An interrupted run continues where it
// stopped.

import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeComparison } from './comparison.mjs';
import { writeCurve } from './curve.mjs';
import { models, prepareTexts, root, run, work } from './data.mjs';
import { kept, recipes } from './recipes.mjs';
import { writeReport } from './report.mjs';
import { trainSibling } from './sibling.mjs';

const parts = ['gpt', 'sibling', 'encoder', 'vectors', 'comparison', 'report'];
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    threads: { type: 'string' },
    program: { type: 'string', default: join(root, 'build/native/native/cli/tril') },
  },
});
if (options.only && !parts.includes(options.only)) {
  console.error(`--only: must be ${parts.join(', ')}, is ${options.only}`);
  process.exit(2);
}
const chosen = options.only ? [options.only] : parts;
if (chosen.some((part) => part in recipes) && !existsSync(options.program)) {
  console.error(
    `${options.program}: is not built; cmake --build --preset native --target tril_cli`,
  );
  process.exit(2);
}
const threads = options.threads ? ['--threads', options.threads] : [];
const tril = (...args) => run(options.program, [...args, ...threads]);

/** Trains a language model in build/models/NAME, then copies it here. */
async function trainModel(name, texts) {
  const folder = join(work, name);
  if (name === 'sibling') await trainSibling(texts, folder);
  else trainByProgram(name, texts, folder);
  const weights =
    name === 'sibling' ? kept.map((step) => `step-${step}.safetensors`) : ['model.safetensors'];
  mkdirSync(join(models, name), { recursive: true });
  for (const file of ['config.json', 'tokenizer.json', ...weights])
    copyFileSync(join(folder, file), join(models, name, file));
  writeCurve(join(folder, 'log.csv'), join(models, name, 'curve.csv'));
}

function trainByProgram(name, texts, folder) {
  const wanted = recipes[name].split(' ');
  const begun = existsSync(join(folder, 'checkpoint.safetensors'));
  if (begun) tril('train', '--resume', '-o', folder, ...optionOf(wanted, '--dtype'));
  else tril('train', '--data', texts.files.all, '-o', folder, ...wanted);
}

/** An option and its values, up to the next option. */
function optionOf(list, option) {
  const from = list.indexOf(option);
  if (from < 0) return [];
  const end = list.findIndex((each, n) => n > from && each.startsWith('--'));
  return list.slice(from, end < 0 ? undefined : end);
}

function trainVectors(texts) {
  mkdirSync(join(models, 'vectors'), { recursive: true });
  const file = join(models, 'vectors', 'vectors.safetensors');
  tril('vectors', '--data', texts.files.train, '-o', file, ...recipes.vectors.split(' '));
}

const texts = prepareTexts();
for (const part of chosen) {
  const begin = performance.now();
  console.log(`\n${part}`);
  if (part === 'report') await writeReport(texts);
  else if (part === 'comparison') await writeComparison(texts);
  else if (part === 'vectors') trainVectors(texts);
  else await trainModel(part, texts);
  console.log(`${part}: ${((performance.now() - begin) / 1000).toFixed(0)} s`);
}
