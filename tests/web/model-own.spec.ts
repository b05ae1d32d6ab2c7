// Chapter "Model", a model of the visitor's: folders in Hugging Face's layout, dropped for real, and folders that do
// not fit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { loadTril } from 'tril/training';
import { shapeOf } from '../../web/src/compute/worker/opened/shape.ts';
import { boxOf } from './box.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { message } from './messages.ts';
import { familyIds, modelFiles, writeClone } from './oracles/folders.ts';
import { readOf } from './oracles/model.ts';

const test = base.extend<{ lesson: Lesson; folder: string }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'model')),
  // eslint-disable-next-line no-empty-pattern -- Playwright reads which fixtures it needs
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'tril-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
});

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const own = (page: Page) => page.locator('[data-figure="own-model"]');
/** The text once the model of this name is open. */
const open = (name: string) => message('model-own.open', { name });

/** Drops files or folders of this machine with the mouse. */
async function drop(page: Page, paths: readonly string[]): Promise<void> {
  await page.locator('#own .drop').scrollIntoViewIfNeeded();
  const { x, y, width, height } = await boxOf(page.locator('#own .drop'));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  const at = { x: x + width / 2, y: y + height / 2, data };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...at });
  }
  await session.detach();
}

test('a folder from Hugging Face is dropped, and read without what else lies in it', async ({
  lesson,
  page,
  folder,
}) => {
  test.setTimeout(120_000);
  const text = 'the cat sat';
  await lesson.open({ text });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const tril = await loadTril();
  for (const family of familyIds) {
    const files = await modelFiles(family);
    const path = join(folder, `small-${family}`);
    writeClone(path, files);
    await drop(page, [path]);
    await expect(own(page).locator('[data-row="family"]')).toHaveText(family);
    await expect(own(page)).toContainText(open(`small-${family}`));

    const model = await tril.loadModel(files);
    const shape = shapeOf(model.config);
    await expect(own(page).locator('[data-row="kvHeads"]')).toHaveText(String(shape.kvHeads));
    const count = model.parameters.count.toLocaleString('en');
    await expect(own(page).locator('[data-row="parameters"]')).toHaveText(count);
    const { ids, best } = readOf({ tril, model, shape, tokenizer: true }, { text });
    const figure = page.locator('[data-figure="model"]').last();
    const shown = (kind: string, name: string) =>
      figure
        .locator(`[data-${kind}]`)
        .evaluateAll(
          (all, key) => all.map((one) => Number((one as HTMLElement).dataset[key])),
          name,
        );
    await expect.poll(() => shown('id', 'id')).toEqual(ids);
    const expected = [...best].reverse().flat();
    await expect(async () => {
      const shares = await shown('tile', 'p');
      expect(shares).toHaveLength(expected.length);
      shares.forEach((p, i) => expect(Math.abs(p - expected[i].p)).toBeLessThan(1e-3));
    }).toPass();
    model.dispose();
  }
  expect(asked.filter((url) => !/\.(js|wasm|css|woff2)/u.test(url))).toEqual([]);
});

test('dropped files do as well, a folder around the model too; what is no model is refused with numbers', async ({
  lesson,
  page,
  folder,
}) => {
  test.setTimeout(120_000);
  await lesson.open({ text: 'the cat' });
  const files = await modelFiles('gpt2');
  const path = join(folder, 'models', 'mine');
  writeClone(path, files);
  await drop(
    page,
    Object.keys(files).map((name) => join(path, name)),
  );
  await expect(own(page)).toContainText(open(message('model-own.unnamed')));
  await drop(page, [join(folder, 'models')]);
  await expect(own(page)).toContainText(open('mine'));

  // One more block than the weights have; a longer context; more words than a tokenizer may have; no model.
  const config = JSON.parse(new TextDecoder().decode(files['config.json']));
  const changed = (change: object) => {
    const wrong = join(folder, `wrong-${Object.keys(change).join('-')}`);
    const own = new TextEncoder().encode(JSON.stringify({ ...config, ...change }));
    writeClone(wrong, { ...files, 'config.json': own });
    return wrong;
  };
  await drop(page, [changed({ n_layer: 3 })]);
  await expect(own(page).locator('.wrong')).toContainText('h.2.ln_1.weight');
  await drop(page, [changed({ n_positions: 33 })]);
  await expect(own(page).locator('.wrong')).toContainText('[33, 16]');
  await drop(page, [changed({ vocab_size: 1e9 })]);
  await expect(own(page).locator('.wrong')).toContainText('from 1 to 16777216, is 1000000000');
  await drop(page, [join(path, 'README.md')]);
  await expect(own(page)).toContainText(message('model-own.missing'));
});
