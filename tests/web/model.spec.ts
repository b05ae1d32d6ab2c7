// Chapter "Model": what is drawn, before a model is loaded and after, against the package in Node; the next token, its cuts
// and its die; a folder of the visitor's; and that nobody loads a model who has not asked for one.
import type { Locator, Page } from '@playwright/test';
import { nextOf } from '../../web/src/compute/opened/next.ts';
import {
  openingSampling,
  openingSeed,
  openingText,
} from '../../web/src/compute/opened/opening-text.ts';
import type { Next, Reading, Sampling } from '../../web/src/compute/opened/protocol.ts';
import { readingOf } from '../../web/src/compute/opened/reading.ts';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits } from './lessons.ts';
import { filesOf, openedOf } from './oracles/model.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'model')),
});
const shipped = openedOf('models/gpt');
const numbers = (all: Locator, name: string) =>
  all.evaluateAll(
    (found, key) => found.map((one) => Number((one as HTMLElement).dataset[key])),
    name,
  );
const near = (found: number, expected: number, within: number, what: string) =>
  expect(Math.abs(found - expected), `${what}: ${found}, core ${expected}`).toBeLessThanOrEqual(
    within,
  );

const figure = (page: Page) => page.locator('[data-figure="model"]').last();
/** Until what is shown is of what the address says. */
const current = (page: Page) =>
  expect(
    page.locator('[data-figure="model"][data-live="true"][data-current="true"]'),
  ).toBeVisible();

/** What the figure shows is what these say; another variant rounds otherwise. */
async function expectShown(page: Page, reading: Reading, next: Next, within: number) {
  const shown = figure(page);
  expect(await numbers(shown.locator('[data-id]'), 'id')).toEqual(
    reading.tokens.map(({ id }) => id),
  );
  // From the last block down.
  const lens = [...reading.lens].reverse().flat();
  const shares = await numbers(shown.locator('[data-tile]'), 'p');
  expect(shares).toHaveLength(lens.length);
  shares.forEach((p, i) => near(p, lens[i][0].p, within, `tile ${i}`));
  const bars = shown.locator('[data-bar]');
  const ids = await numbers(bars, 'bar');
  for (const kind of ['plain', 'warm', 'left'] as const) {
    const found = await numbers(bars, kind);
    for (const bar of next.bars) {
      near(found[ids.indexOf(bar.id)], bar[kind], 4 * within, `${kind} of ${bar.id}`);
    }
  }
  const die = shown.locator('[data-number]');
  expect(Math.fround(Number(await die.getAttribute('data-number')))).toBe(next.number);
  expect(Number(await die.getAttribute('data-drawn'))).toBe(next.drawn!.id);
  expect(Number(await shown.locator('[data-kept]').getAttribute('data-kept'))).toBe(next.kept);
}

test('tokens, blocks, bars and die are the core’s, and the model comes when it is asked for', async ({
  lesson,
  page,
}) => {
  test.setTimeout(120_000);
  const opened = await shipped;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await lesson.open();
  const shown = figure(page);
  const ask = { text: openingText, then: [] };
  const sampled = { ...ask, sampling: openingSampling, seed: openingSeed };
  // Made with the page, in Node.
  await expectShown(page, readingOf(opened, ask), await nextOf(opened, sampled), 1e-8);
  await expect(page.getByRole('slider', { name: 'Temperature' })).toBeDisabled();
  const models = () => asked.filter((url) => url.includes('/models/'));
  expect(models(), 'before it is asked for').toEqual([]);

  await page.getByRole('button', { name: /^Load the model/ }).click();
  await current(page);
  expect(models()).toHaveLength(3);
  const bar = page.locator('[data-layers]');
  expect(await numbers(bar, 'layers')).toEqual([opened.shape.layers]);
  expect(await numbers(bar, 'heads')).toEqual([opened.shape.heads]);
  const variant = await page.locator('[data-variant]').first().getAttribute('data-variant');
  const within = variant === opened.tril.variant ? 1e-7 : 1e-3;
  await expectShown(page, readingOf(opened, ask), await nextOf(opened, sampled), within);

  // Another text, and tokens drawn behind it one by one.
  const text = 'The treaty of peace between';
  await page.getByLabel('Your text').fill(text);
  await current(page);
  const then: number[] = [];
  for (let drawn = 0; drawn < 2; ++drawn) {
    const { drawn: found } = await nextOf(opened, {
      ...{ text, then: [...then], sampling: openingSampling, seed: openingSeed + drawn },
    });
    await page.getByRole('button', { name: 'Next token' }).click();
    then.push(found!.id);
    await expect(page).toHaveURL(new RegExp(`then=${then.join('\\.')}`));
    await current(page);
  }
  const later = { text, then };
  await expectShown(
    page,
    readingOf(opened, later),
    await nextOf(opened, { ...later, sampling: openingSampling, seed: openingSeed + 2 }),
    within,
  );

  // Cuts, each with what it removes.
  const slide = async (name: string, value: string) => {
    await page.getByRole('slider', { name }).fill(value);
    await current(page);
  };
  await slide('Top-k', '5');
  await slide('Top-p', '0.6');
  await slide('Min-p', '0.1');
  const cuts: Sampling = { ...openingSampling, topK: 5, topP: 0.6, minP: 0.1 };
  const cut = await nextOf(opened, { ...later, sampling: cuts, seed: openingSeed + 2 });
  await expectShown(page, readingOf(opened, later), cut, within);
  for (const { id, removed, kept } of cut.cuts) {
    const does = page.locator(`[data-does="${id}"]`);
    await expect(does).toContainText(`Removes ${removed.toLocaleString('en')}`);
    await expect(does).toContainText(`${kept} are left`);
  }
  await slide('Temperature', '0');
  await expect(shown.locator('.die p')).toContainText('no die is cast');

  // A tile by keys: pinned, in the address, freed.
  const roll = page.getByRole('grid', { name: /blocks, the last on top/ });
  await roll.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/block=\d+&place=\d+/u);
  await expect(roll.locator('[aria-selected="true"]')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/place=/u);

  // A head, number by number.
  const [layer, head] = [opened.shape.layers, opened.shape.heads];
  await page.locator('#heads .card').scrollIntoViewIfNeeded();
  await page.locator(`[data-figure="all-heads"] [data-head="${layer}.${head}"]`).click();
  const all = readingOf(opened, later).weights[layer - 1];
  const size = readingOf(opened, later).tokens.length;
  const rows = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (__, col) =>
      col > row ? NaN : all[((head - 1) * size + row) * size + col],
    ),
  );
  const drawn = await lesson.drawn('head');
  rows.forEach((row, r) =>
    row.forEach((value, c) => c <= r && near(drawn[r][c], value, within, `head ${r}, ${c}`)),
  );

  // On its own, as long as nobody stops it.
  const before = (await shown.locator('[data-id]').count()) + 2;
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => shown.locator('[data-id]').count()).toBeGreaterThanOrEqual(before);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Back to the text alone' }).click();
  await current(page);
  await expect(page).not.toHaveURL(/then=/u);

  // The question is answered by a run of its own.
  const question = page.locator('.ask').first();
  await question.getByRole('button', { name: 'a single one' }).click();
  const one = { text: 'The Government of the United', then: [], seed: 1 };
  const sampling = { temperature: 1, topK: 0, topP: 0.5, minP: 0 };
  const { kept } = await nextOf(opened, { ...one, sampling });
  await expect(question.locator('[data-answer]')).toContainText(`${kept} `);
  await expectFits(page);
  await expectAccessible(page);
});

test('what is left adds up to 1, and the token that the core draws lies where the number falls', async () => {
  const opened = await shipped;
  const texts = ['The Government of the United', 'We must work for peace and'];
  const settings: Sampling[] = [
    { temperature: 1, topK: 0, topP: 1, minP: 0 },
    { temperature: 0.7, topK: 20, topP: 1, minP: 0 },
    { temperature: 1.5, topK: 0, topP: 0.8, minP: 0 },
    { temperature: 0.9, topK: 40, topP: 0.9, minP: 0.1 },
  ];
  for (const text of texts) {
    for (const sampling of settings) {
      for (let seed = 0; seed < 12; ++seed) {
        const ask = { text, then: [], sampling, seed };
        const { drawn, number, bars, others, cuts, kept } = await nextOf(opened, ask);
        const what = JSON.stringify(ask);
        near(
          bars.reduce((sum, { left }) => sum + left, others.left),
          1,
          1e-5,
          what,
        );
        expect(drawn, what).not.toBeNull();
        expect(number!, what).toBeGreaterThanOrEqual(drawn!.from - 1e-5);
        expect(number!, what).toBeLessThanOrEqual(drawn!.to + 1e-5);
        expect(bars.find(({ id }) => id === drawn!.id)!.cut, what).toBeNull();
        const removed = cuts.reduce((sum, cut) => sum + cut.removed, 0);
        expect(removed + kept, what).toBe(opened.shape.vocabulary);
        if (sampling.topK > 0) expect(cuts[0].kept, what).toBe(sampling.topK);
      }
    }
  }
});

test('a folder of the visitor’s takes the place of the page’s model, or is refused with numbers', async ({
  lesson,
  page,
}) => {
  test.setTimeout(120_000);
  await lesson.open({ text: '3 1 4 1 5' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const own = page.locator('[data-figure="own-model"]');
  await page.locator('#own .card').scrollIntoViewIfNeeded();
  const give = (files: { name: string; buffer: Buffer }[]) =>
    page
      .locator('[data-choose="files"]')
      .setInputFiles(files.map((file) => ({ ...file, mimeType: 'application/octet-stream' })));
  for (const family of ['gpt2', 'llama', 'qwen2']) {
    const folder = `tests/golden/models/${family}`;
    const opened = await openedOf(folder);
    await give(filesOf(folder));
    await expect(own.locator('[data-row="family"]')).toHaveText(family);
    await expect(own.locator('[data-row="blocks"]')).toHaveText(String(opened.shape.layers));
    await expect(own.locator('[data-row="kvHeads"]')).toHaveText(String(opened.shape.kvHeads));
    await expect(own).toContainText('no tokenizer');
    await current(page);
    const { lens } = readingOf(opened, { text: '3 1 4 1 5', then: [] });
    const shares = await numbers(figure(page).locator('[data-tile]'), 'p');
    [...lens]
      .reverse()
      .flat()
      .forEach(([best], i) => near(shares[i], best.p, 1e-3, `${family}, tile ${i}`));
  }
  expect(asked.filter((url) => !/\.(js|wasm|css|woff2)/u.test(url))).toEqual([]);

  // A tensor of another shape than the settings say: both are named.
  const files = filesOf('tests/golden/models/gpt2');
  const config = files.find(({ name }) => name === 'config.json')!;
  const { n_positions: context } = JSON.parse(config.buffer.toString());
  const wrong = config.buffer
    .toString()
    .replace(/("n_positions":\s*)\d+/u, (_, before: string) => `${before}${context + 1}`);
  await give(
    files.map((file) => (file === config ? { ...file, buffer: Buffer.from(wrong) } : file)),
  );
  await expect(own.locator('.wrong')).toContainText(`${context + 1}`);
  await expect(own.locator('.wrong')).toContainText(`${context},`);
  await give([{ name: 'model.safetensors', buffer: Buffer.from('x') }]);
  await expect(own).toContainText('no config.json');
  await expectFits(page);
});
