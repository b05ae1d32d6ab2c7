// Trains the sibling: one batch of repeats.mjs per step, with the package, as every page can. Its module without
// relaxed SIMD rounds the same on every machine, and so the weights are the same, too.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTril } from './reading.mjs';
import { deviation, kept, siblingRecipe } from './recipes.mjs';
import { batchOf } from './repeats.mjs';

/** Steps between validations, each with a checkpoint. */
const every = 250;
const head = 'step,loss,validation_loss,gradient_norm,learning_rate\n';

/** Trains it in `folder`, continuing where it stopped, and leaves its checkpoints and log.csv there. */
export async function trainSibling(texts, folder) {
  mkdirSync(folder, { recursive: true });
  const [state, log] = ['checkpoint.safetensors', 'log.csv'].map((name) => join(folder, name));
  const tril = await loadTril({ variant: 'simd' });
  const checkpoint = existsSync(state) ? new Uint8Array(readFileSync(state)) : undefined;
  // The last tenth of this text, too, is for validation.
  const data = new Uint8Array(readFileSync(texts.files.all));
  const trainer = tril.trainer({ ...siblingRecipe, data, ...(checkpoint && { checkpoint }) });
  if (!checkpoint) widen(tril, trainer);
  const { steps, model } = trainer.settings;
  const tokens = trainer.encode(texts.train.toString());

  const lines = checkpoint
    ? readFileSync(log, 'utf8')
        .split('\n')
        .slice(1, trainer.done + 1)
    : [];
  while (trainer.done <= steps) {
    const { done } = trainer;
    if (kept.includes(done)) writeModel(tril, trainer, folder);
    if (done === steps) break;
    const { loss, gradientNorm, learningRate } = trainer.step(
      batchOf(tokens, model.vocabulary, done),
    );
    const measured = trainer.done % every === 0;
    const validation = measured ? trainer.evaluate().loss : '';
    lines.push([done, loss, validation, gradientNorm, learningRate].join(','));
    if (!measured) continue;
    writeFileSync(log, `${head}${lines.join('\n')}\n`);
    writeFileSync(state, trainer.save());
    console.log(`step ${trainer.done}: loss ${loss.toFixed(3)}, of texts ${validation.toFixed(3)}`);
  }
  trainer.dispose();
}

/** Matrices begin with a deviation of 0.02, which suits models ten times as wide: these get their own. */
export function widen(tril, trainer) {
  tril.scope(() => {
    const matrices = Object.entries(trainer.parameters()).filter(([, { shape }]) => shape[1]);
    const wider = matrices.map(([name, all]) => [name, tril.multiply(all, deviation / 0.02)]);
    trainer.setParameters(Object.fromEntries(wider));
  });
}

/** Writes a model like `tril train --dtype float16 --keep`. */
function writeModel(tril, trainer, folder) {
  const files = trainer.export();
  const config = new TextDecoder().decode(files['config.json']).replace('"float32"', '"float16"');
  writeFileSync(join(folder, 'config.json'), config);
  writeFileSync(join(folder, 'tokenizer.json'), files['tokenizer.json']);
  const weights = tril.scope(() =>
    tril.writeSafetensors(trainer.parameters(), { dtype: 'float16' }),
  );
  writeFileSync(join(folder, `step-${trainer.done}.safetensors`), weights);
}
