// Chapter "Model", a copy of the model that learns a text: its loss, its samples, the movement of its heads, and its
// files.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Locator } from '@playwright/test';
import { loadTril, type Model } from 'tril/training';
import { furtherCode } from '../../web/src/chapters/model/further-code.ts';
import { expect, test } from './fixtures.ts';
import { moved, press, settingsOf, stopped } from './further-page.ts';
import { number } from './lessons.ts';
import { takeOf } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { near, opened, see } from './model-page.ts';
import { saved } from './saved.ts';

const shipped = fileURLToPath(new URL('../../models/gpt', import.meta.url));

interface Told {
  readonly step: string | undefined;
  readonly status: string;
  readonly before: string | undefined;
  readonly now: string | undefined;
}

/**
 * Records in the page all that the figure shows from now on, since a busy test may miss a moment. Presses Stop at step
 * 10.
 */
async function recorded(figure: Locator): Promise<() => Promise<Told[]>> {
  const told = await figure.evaluateHandle((element: HTMLElement, stop) => {
    const all: Told[] = [];
    let pressed = false;
    const textOf = (which: string) => element.querySelector(which)?.textContent;
    new MutationObserver(() => {
      const { step } = element.dataset;
      all.push({
        ...{ step, status: textOf('[role="status"]')! },
        ...{ before: textOf('[data-said="before"]'), now: textOf('[data-said="now"]') },
      });
      if (step !== '10' || pressed) return;
      pressed = true;
      const buttons = [...document.querySelectorAll<HTMLElement>('#further button')];
      buttons.find(({ textContent }) => textContent.trim() === stop)!.click();
    }).observe(element, { subtree: true, childList: true, attributes: true, characterData: true });
    return all;
  }, message('model-further.buttons.stop'));
  return () => told.jsonValue();
}

test('a copy of the model learns a text, and the model stays as it is', async ({ page }) => {
  test.setTimeout(300_000);
  const here = await opened(page);
  const { tril, model } = here;
  const figure = await see(page, 'further');
  const text = message('model-further.text');
  const field = page.locator('#further-text');
  expect((await field.inputValue()).trim()).toBe(text);

  // The core refuses a text that is too short, and the next text is learned all the same.
  await field.fill('Take two eggs.');
  await press(page, 'train');
  await expect(figure).toHaveAttribute('data-training', 'failed');
  await expect(figure.getByRole('status')).toContainText(/too short: \d+ tokens/u);
  await field.fill(text);
  const told = await recorded(figure);
  await press(page, 'train');
  await expect(figure).toHaveAttribute('data-training', 'waiting', { timeout: 120_000 });
  const said = (which: string) => figure.locator(`[data-said="${which}"]`).textContent();
  const prompt = message('model-further.first');
  const { shares } = here.said(model.encode(prompt));
  const likeliest = model.decode([shares.indexOf(Math.max(...shares))]);
  const before = (await said('before'))!;
  expect(before.startsWith(prompt + likeliest)).toBe(true);
  const first = (await told()).find((each) => each.step === '0')!;
  expect(first).toMatchObject({ before, now: before });

  const take = await takeOf(page, 'model-further');
  const files: Record<string, Uint8Array> = {};
  for (const name of ['model.safetensors', 'config.json', 'tokenizer.json']) {
    files[name] = new Uint8Array((await saved(page, take, name)).content);
  }
  // Questions are answered in order: the new state is shown before it is saved.
  const step = await stopped(figure);
  expect(step).toBeGreaterThanOrEqual(10);
  expect(step).toBeLessThan(20);
  expect(await said('before')).toBe(before);
  expect(await said('now')).not.toBe(before);
  const own = await tril.loadModel(files);
  expect(own.config['max_position_embeddings']).toBe(here.shape.context);
  // The held-out part is the last tenth of the text, as the core splits it: all its letters are single bytes.
  const unseen = text.slice(text.length - Math.floor(text.length / 10));
  const lossOf = (of: Model) => of.evaluate(unseen).loss;
  near(await number(figure.locator('[data-first]'), 'first'), lossOf(model));
  near(await number(figure.locator('[data-loss]'), 'loss'), lossOf(own));
  expect(lossOf(own)).toBeLessThan(lossOf(model) - 0.5);

  const shown = JSON.parse((await figure.locator('[data-moved]').getAttribute('data-moved'))!);
  const response = await page.request.get(
    new URL('../models/gpt/model.safetensors', page.url()).href,
  );
  const expected = await moved(here, await response.body(), files['model.safetensors']);
  expect(shown).toHaveLength(expected.length);
  for (const [layer, heads] of expected.entries()) {
    expect(shown[layer]).toHaveLength(heads.length);
    for (const [head, far] of heads.entries()) {
      expect(far).toBeGreaterThan(0);
      expect(Math.abs(shown[layer][head] / far - 1)).toBeLessThan(1e-4);
    }
  }

  // Another prompt is continued at once; the training goes on from its last step.
  await page.locator('#further').getByRole('textbox').nth(1).fill('Add some');
  await expect(figure.locator('[data-said="now"]')).toHaveText(/^Add some/u);
  expect(await number(figure, 'step')).toBe(step);
  await press(page, 'on');
  const next = messagePattern('model-further.states.running', { step: step + 1, steps: 40 });
  await expect
    .poll(async () => (await told()).some(({ status }) => next.test(status)), { timeout: 60_000 })
    .toBe(true);
});

for (const lora of [
  null,
  { rank: 2, targets: ['q_proj', 'down_proj'] },
  { rank: 4, targets: [] },
]) {
  test(`the program that is taken along trains the same, ${JSON.stringify(lora)}`, async () => {
    const folder = mkdtempSync(`${tmpdir()}/tril-`);
    const code = furtherCode(message('model-further.text'), 'Take a', lora)
      .replace('const text', `process.chdir(${JSON.stringify(folder)});\nconst text`)
      .replace("'models/gpt'", JSON.stringify(shipped))
      .replace('.steps(40)', '.steps(2)');
    const { stdout, stderr } = spawnSync('node', ['--input-type=module'], {
      ...{ cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8', input: code },
    });
    expect(stderr).toBe('');
    const tril = await loadTril();
    const read = (from: string, names: readonly string[]) =>
      Object.fromEntries(
        names.map((name) => [name, new Uint8Array(readFileSync(`${from}/${name}`))]),
      );
    const files = ['config.json', 'model.safetensors', 'tokenizer.json'];
    const from = await tril.loadModel(read(shipped, files));
    const trainer = tril.trainer({
      from,
      ...settingsOf(lora),
      data: message('model-further.text'),
    });
    const { count } = from.parameters;
    expect(stdout).toContain(`${trainer.parameterCount} of ${count} numbers are trained\n`);
    expect(stdout).toMatch(/the loss of a batch: \d\.\d+, then \d\.\d+\nTake a/u);
    trainer.steps(2);
    expect(read(folder, files)).toEqual(trainer.export());
    if (lora) {
      const adapter = trainer.exportAdapter();
      expect(read(`${folder}/adapter`, Object.keys(adapter))).toEqual(adapter);
    }
  });
}
