// Chapter "Model", a copy of the model that learns by an adapter (LoRA): against the package in Node, from the same
// link.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Page } from '@playwright/test';
import type { AdapterFiles, Tensor, TrainerOptions } from 'tril';
import { loadTril, type Model, type TrainingTril } from 'tril/training';
import { matricesOf } from '../../web/src/compute/shared/opened/head-pieces.ts';
import { shapeOf } from '../../web/src/compute/worker/opened/shape.ts';
import { expect, test } from './fixtures.ts';
import { moved, press, settingsOf, stopped } from './further-page.ts';
import { number } from './lessons.ts';
import { takeOf } from './menus.ts';
import { message } from './messages.ts';
import { allowed, near, opened, see } from './model-page.ts';
import { familyIds, modelFiles, writeClone } from './oracles/folders.ts';
import { saved } from './saved.ts';

/** The text of the field, with the end of its last line. */
const textOf = (page: Page) => page.locator('#further-text').inputValue();
const whole = (value: number) => value.toLocaleString('en');
const numbers = (page: Page) => page.locator('#further [data-trained]');
const chip = (page: Page, name: string) =>
  page.locator('#further').getByRole('button', { name, exact: true });
const radio = (page: Page, name: string) =>
  page.locator('#further').getByRole('radio', { name, exact: true });

async function savedFiles(page: Page, names: readonly string[]) {
  const take = await takeOf(page, 'model-further');
  const files: Record<string, Uint8Array> = {};
  for (const name of names) files[name] = new Uint8Array((await saved(page, take, name)).content);
  return files;
}
async function tensorsOf(tril: TrainingTril, file: Uint8Array): Promise<Map<string, Tensor>> {
  const arrays = await tril.readArrays(file, 'file.safetensors');
  return new Map(arrays.map(({ name, tensor }) => [name, tensor]));
}
async function greedy(model: Model, prompt: string): Promise<string> {
  let all = '';
  const options = { maxTokens: 40, temperature: 0 };
  for await (const part of model.generate(prompt, options)) all += part.text;
  return all;
}

test('an adapter learns, and nothing but it changes', async ({ page }) => {
  test.setTimeout(400_000);
  const lora = { rank: 4, targets: ['q_proj', 'o_proj'] };
  const here = await opened(page, '?trained=lora&rank=4&targets=q_proj.o_proj');
  const { tril, model } = here;
  const figure = await see(page, 'further');
  const text = await textOf(page);
  await expect(radio(page, 'LoRA')).toBeChecked();
  await expect(radio(page, '4')).toBeChecked();
  const pressed = page.locator('#further button[aria-pressed="true"]');
  await expect(pressed).toHaveText(lora.targets);
  const options: TrainerOptions = { from: model, ...settingsOf(lora), data: text };
  const trainer = tril.trainer(options);
  const { count } = model.parameters;
  const counted = message('model-further.trained.some', {
    ...{ trained: whole(trainer.parameterCount), all: whole(count) },
  });
  await expect(numbers(page)).toHaveText(counted);

  await press(page, 'train');
  await expect(figure).toHaveAttribute('data-step', '10', { timeout: 240_000 });
  await press(page, 'stop');
  const names = ['adapter_config.json', 'adapter_model.safetensors'];
  const files = await savedFiles(page, [...names, 'config.json', 'model.safetensors']);
  // Questions are answered in order: the new state is shown before it is saved.
  const step = await stopped(figure);
  await expect(numbers(page)).toHaveText(counted);

  // The same training of the package in Node.
  trainer.steps(step);
  const expected = trainer.exportAdapter();
  expect(files['adapter_config.json']).toEqual(expected['adapter_config.json']);
  const [own, same] = await Promise.all(
    [files, expected].map((of) => tensorsOf(tril, of['adapter_model.safetensors']!)),
  );
  expect([...own.keys()]).toEqual([...same.keys()]);
  for (const [name, tensor] of own) {
    expect(tril.compare(tensor, same.get(name)!).relative, name).toBeLessThan(allowed);
  }

  // Only the adapted matrices have changed, to the bit.
  const response = await page.request.get(
    new URL('../models/gpt/model.safetensors', page.url()).href,
  );
  const before = await response.body();
  const [was, is] = await Promise.all(
    [before, files['model.safetensors']].map((file) => tensorsOf(tril, file)),
  );
  const bits = (tensor: Tensor) => Buffer.from(tensor.read().buffer);
  const changed = [...was].filter(([name, tensor]) => !bits(tensor).equals(bits(is.get(name)!)));
  const layers = Array.from({ length: here.shape.layers }, (_, n) => `model.layers.${n}.self_attn`);
  expect(changed.map(([name]) => name).sort()).toEqual(
    layers.flatMap((layer) => ['o', 'q'].map((which) => `${layer}.${which}_proj.weight`)),
  );
  const shown = JSON.parse((await figure.locator('[data-moved]').getAttribute('data-moved'))!);
  for (const [layer, heads] of (await moved(here, before, files['model.safetensors'])).entries()) {
    for (const [head, far] of heads.entries()) {
      expect(Math.abs(shown[layer][head] / far - 1)).toBeLessThan(1e-4);
    }
  }

  // The saved adapter opens with the model, and writes the page's text.
  const adapter = Object.fromEntries(names.map((name) => [name, files[name]]));
  const read = async (name: string) =>
    new Uint8Array(
      await (await page.request.get(new URL(`../models/gpt/${name}`, page.url()).href)).body(),
    );
  const parts = ['config.json', 'model.safetensors', 'tokenizer.json'];
  const shipped = Object.fromEntries(
    await Promise.all(parts.map(async (name) => [name, await read(name)] as const)),
  );
  const opens = await tril.loadModel(shipped, { lora: adapter });
  const prompt = message('model-further.first');
  await expect(figure.locator('[data-said="now"]')).toHaveText(
    prompt + (await greedy(opens, prompt)),
  );
  const unseen = text.slice(text.length - Math.floor(text.length / 10));
  const lossOf = (of: Model) => of.evaluate(unseen).loss;
  near(await number(figure.locator('[data-first]'), 'first'), lossOf(model));
  near(await number(figure.locator('[data-loss]'), 'loss'), lossOf(opens));
  expect(lossOf(opens)).toBeLessThan(lossOf(model) - 0.3);

  // Another choice is in the address, and applies to the next training; the trained adapter stays.
  await radio(page, '2').click();
  await expect(page).toHaveURL(/trained=lora&rank=2&targets=q_proj\.o_proj/u);
  await expect(chip(page, message('model-further.buttons.train'))).toBeEnabled();
  await chip(page, 'q_proj').click();
  await chip(page, 'v_proj').click();
  await expect(chip(page, 'o_proj')).toBeEnabled();
  await chip(page, 'o_proj').click();
  await expect(chip(page, 'v_proj')).toBeDisabled(); // the last one cannot be removed
  await chip(page, 'q_proj').click();
  await expect(page).toHaveURL(/trained=lora&rank=2$/u); // at its default
  const usual = tril.trainer({ ...options, lora: { rank: 2 } });
  await expect(numbers(page)).toContainText(whole(usual.parameterCount));
  await radio(page, message('model-further.trained.names.all')).click();
  await expect(numbers(page)).toHaveCount(0);
  await expect(page.locator('#further')).toContainText(
    message('model-further.trained.all', { all: whole(count) }),
  );
});

test('what does not fit a model is said before it is trained, and can be taken back', async ({
  page,
}) => {
  test.setTimeout(120_000);
  await opened(page, '?trained=lora&rank=16&targets=c_attn');
  const figure = await see(page, 'further');
  const text = await textOf(page);
  const further = page.locator('#further');
  const refused = message('model-further.trained.wrong');
  await expect(further).toContainText(refused);
  await expect(further).toContainText('"c_attn" is no matrix of a layer; there are q_proj, k_proj');
  await press(page, 'train');
  await expect(figure).toHaveAttribute('data-training', 'failed');
  await expect(figure.getByRole('status')).toContainText('"c_attn" is no matrix of a layer');
  await chip(page, 'v_proj').click();
  await chip(page, 'c_attn').click();
  await expect(chip(page, 'c_attn')).toHaveCount(0);
  await expect(further).not.toContainText(refused);

  // A model narrower than the rank.
  const tril = await loadTril();
  const made = tril.trainer({
    model: { family: 'gpt2', layers: 2, heads: 2, width: 8, context: 16 },
    ...{ data: text, batch: 2 },
  });
  const folder = mkdtempSync(`${tmpdir()}/tril-`);
  const files = { ...made.export() };
  writeClone(folder, files);
  await page.locator('#own [data-choose="folder"]').setInputFiles(folder);
  await expect(further).toContainText('must be from 1 to the width of the model, 8, is 16');
  await expect(page).toHaveURL(/trained=lora&rank=16$/u); // the names belong to a model
  await expect(page.locator('#further button[aria-pressed="true"]')).toHaveText(['c_attn']);
  await radio(page, '8').click();
  const from = await tril.loadModel(files);
  const trainer = tril.trainer({
    ...{ from, ...settingsOf({ rank: 8, targets: [] }), data: text },
  });
  await expect(numbers(page)).toContainText(whole(trainer.parameterCount));
  await press(page, 'train');
  await expect(figure).toHaveAttribute('data-training', 'finished', { timeout: 60_000 });
  trainer.steps(40);
  const names = ['adapter_config.json', 'adapter_model.safetensors'];
  const lora = await savedFiles(page, names);
  const lossOf = async (adapter: Record<string, Uint8Array> | AdapterFiles) =>
    (await tril.loadModel(files, { lora: adapter })).evaluate(text.slice(-300)).loss;
  expect(Math.abs((await lossOf(lora)) - (await lossOf(trainer.exportAdapter())))).toBeLessThan(
    allowed,
  );
  rmSync(folder, { recursive: true });
});

test('matrices are called as the core calls them', async () => {
  const tril = await loadTril();
  for (const family of familyIds) {
    const from = await tril.loadModel(await modelFiles(family));
    const { all, queriesAndValues } = matricesOf(shapeOf(from.config));
    const { settings } = tril.trainer({ from, lora: {} });
    expect(settings.lora?.targets).toEqual(queriesAndValues);
    const trainer = tril.trainer({ from, lora: { rank: 1, targets: all } });
    const ofLayers = Object.entries(trainer.parameters()).filter(
      ([name, { shape }]) => /\.\d+\./u.test(name) && shape.length === 2,
    );
    const expected = ofLayers.map(([, { shape }]) => shape[0]! + shape[1]!);
    expect(trainer.parameterCount).toBe(expected.reduce((sum, each) => sum + each));
  }
});
