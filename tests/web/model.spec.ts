// Chapter "Model": its figures before and after a model is loaded, against the package in Node; the next token, its
// cuts and its die; a visitor's own folder; and that no model is loaded unasked.
import type { Locator, Page } from '@playwright/test';
import { nextOf as pageNextOf } from '../../web/src/compute/worker/opened/next.ts';
import { expectAccessible } from './axe.ts';
import { expectBars, expectGrounds } from './bars.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import {
  filesOf,
  nextOf,
  openedOf,
  opening,
  readOf,
  roundingOf,
  type Core,
  type Next,
  type Read,
  type Sampling,
} from './oracles/model.ts';

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
/** Waits until the figure shows the state of the address. */
const current = (page: Page) =>
  expect(
    page.locator('[data-figure="model"][data-live="true"][data-current="true"]'),
  ).toBeVisible();

/** Expects the figure to show these results; another variant rounds differently. */
async function expectShown(page: Page, core: Core, read: Read, next: Next, within: number) {
  const shown = figure(page);
  const rounding = roundingOf(core);
  const close = (found: number, expected: number, what: string) =>
    near(found, expected, within + rounding * expected, what);
  expect(await numbers(shown.locator('[data-id]'), 'id')).toEqual(read.ids);
  // The blocks are shown from the last one down.
  const best = [...read.best].reverse().flat();
  const tiles = shown.locator('[data-tile]');
  const shares = await numbers(tiles, 'p');
  expect(shares).toHaveLength(best.length);
  shares.forEach((p, i) => close(p, best[i].p, `tile ${i}`));
  const bars = shown.locator('[data-bar]');
  expect(await numbers(bars, 'bar')).toEqual(next.shown);
  const kinds = ['plain', 'warm', 'left'] as const;
  for (const kind of kinds) {
    const found = await numbers(bars, kind);
    next.shown.forEach((id, i) => close(found[i], next[kind][id], `${kind} of ${id}`));
  }
  const die = shown.locator('[data-number]');
  expect(Math.fround(Number(await die.getAttribute('data-number')))).toBe(next.number);
  expect(Number(await die.getAttribute('data-drawn'))).toBe(next.drawn.id);
  expect(Number(await shown.locator('[data-kept]').getAttribute('data-kept'))).toBe(next.kept);

  // The length, the strength and the position of each.
  const ofTile = best.map(({ p }) => p);
  await expectBars(tiles.locator('.share'), ofTile, { end: 1 });
  await expectGrounds(
    tiles,
    ofTile.map((p) => 0.42 * p),
    { role: 'weight', paper: 'raised' },
  );
  const end = Math.max(...kinds.flatMap((kind) => next.shown.map((id) => next[kind][id])));
  for (const kind of kinds) {
    const ofKind = next.shown.map((id) => next[kind][id]);
    await expectBars(bars.locator(`.track .${kind}`), ofKind, { end });
  }
  await expectDie(shown, next);
}

/**
 * Expects the remaining tokens to lie on a line from 0 to 1 in the order of their ids, and the number to fall at its
 * position.
 */
async function expectDie(shown: Locator, { left, drawn, number }: Next) {
  const places = () =>
    shown.locator('.die .line').evaluate((line) => {
      const { left: zero, width } = line.getBoundingClientRect();
      const of = (one: Element) => {
        const box = one.getBoundingClientRect();
        return { from: (box.left - zero) / width, to: (box.right - zero) / width };
      };
      return {
        pixel: 1 / width,
        stretches: [...line.querySelectorAll<HTMLElement>('[data-stretch]')].map((one) => ({
          ...{ ...of(one), id: Number(one.dataset.stretch), marked: one.matches('.drawn') },
        })),
        mark: of(line.querySelector('i')!),
      };
    });
  await expect(async () => {
    const { pixel, stretches, mark } = await places();
    const close = (found: number, expected: number, what: string) =>
      near(found, expected, 1.5 * pixel, what);
    for (const { id, from, to, marked } of stretches) {
      const before = left.slice(0, id).reduce((a, b) => a + b, 0);
      close(from, before, `beginning of ${id}`);
      close(to, before + left[id], `end of ${id}`);
      expect(marked, `${id} is drawn`).toBe(id === drawn.id);
    }
    close((mark.from + mark.to) / 2, number, 'the number');
  }).toPass();
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
  // The prerendered result, from Node.
  await expectShown(page, opened, readOf(opened, opening), nextOf(opened, opening), 1e-8);
  await expect(
    page.getByRole('slider', { name: message('model.sampling.names.temperature') }),
  ).toBeDisabled();
  const models = () => asked.filter((url) => url.includes('/models/'));
  expect(models(), 'before it is asked for').toEqual([]);

  await page.getByRole('button', { name: messagePattern('model.load.button') }).click();
  await current(page);
  expect(models()).toHaveLength(3);
  const bar = page.locator('[data-layers]');
  expect(await numbers(bar, 'layers')).toEqual([opened.shape.layers]);
  expect(await numbers(bar, 'heads')).toEqual([opened.shape.heads]);
  const variant = await page.locator('[data-variant]').first().getAttribute('data-variant');
  const within = variant === opened.tril.variant ? 1e-7 : 1e-3;
  await expectShown(page, opened, readOf(opened, opening), nextOf(opened, opening), within);

  // Another text, and tokens drawn after it one by one.
  const text = 'The treaty of peace between';
  await page.getByLabel(message('model.open.field')).fill(text);
  await current(page);
  const then: number[] = [];
  for (let drawn = 0; drawn < 2; ++drawn) {
    const { drawn: found } = nextOf(opened, {
      ...{ ...opening, text, then: [...then], seed: opening.seed + drawn },
    });
    await page.getByRole('button', { name: message('model.die.next') }).click();
    then.push(found.id);
    await expect(page).toHaveURL(new RegExp(`then=${then.join('\\.')}`));
    await current(page);
  }
  const prose = opened.model.decode([...opened.model.encode(text), ...then]);
  await expect(page.locator('[data-written]')).toHaveText(prose);
  const later = { text, then, seed: opening.seed + 2 };
  const read = readOf(opened, later);
  const next = nextOf(opened, { ...opening, ...later });
  await expectShown(page, opened, read, next, within);

  // Each cut, with the number of tokens that it removes.
  const slide = async (of: string, value: string) => {
    const name = message(`model.sampling.names.${of}`);
    await page.getByRole('slider', { name }).fill(value);
    await current(page);
  };
  await slide('topK', '5');
  await slide('topP', '0.6');
  await slide('minP', '0.1');
  const cuts: Sampling = { ...opening.sampling, topK: 5, topP: 0.6, minP: 0.1 };
  const cut = nextOf(opened, { ...later, sampling: cuts });
  await expectShown(page, opened, read, cut, within);
  for (const { id, removed, kept } of cut.cuts) {
    const does = page.locator(`[data-does="${id}"]`);
    const counts = { removed: removed.toLocaleString('en'), kept: kept.toLocaleString('en') };
    await expect(does).toHaveText(messagePattern('model.sampling.removes', counts));
  }
  await slide('temperature', '0');
  await expect(shown.locator('.die p')).toContainText(messagePattern('model.die.sure'));

  // A tile by keys: pinned, in the address, unpinned.
  const roll = page.getByRole('grid', { name: messagePattern('model.open.roll') });
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
  const drawn = await lesson.drawn('head');
  read.weights[layer - 1][head - 1].forEach((row, r) =>
    row.forEach((value, c) => c <= r && near(drawn[r][c], value, within, `head ${r}, ${c}`)),
  );

  // Tokens are drawn by themselves, until a visitor stops it.
  const before = (await shown.locator('[data-id]').count()) + 2;
  await page.getByRole('button', { name: message('model.die.goOn') }).click();
  await expect.poll(() => shown.locator('[data-id]').count()).toBeGreaterThanOrEqual(before);
  await page.getByRole('button', { name: message('model.die.stop') }).click();
  await page.getByRole('button', { name: message('model.die.again') }).click();
  await current(page);
  await expect(page).not.toHaveURL(/then=/u);

  // The question is answered by a run of its own.
  const question = page.locator('.ask').first();
  await question.getByRole('button', { name: message('model-ask.options.one') }).click();
  const one = { text: 'The Government of the United', seed: 1 };
  const sampling = { temperature: 1, topK: 0, topP: 0.5, minP: 0 };
  const { kept } = nextOf(opened, { ...one, sampling });
  const answers = ['right', 'more', 'fewer'].map(
    (how) => messagePattern(`model-ask.says.${how}`, { kept }).source,
  );
  await expect(question.locator('[data-answer]')).toHaveText(
    new RegExp(`^(?:${answers.join('|')})$`, 'u'),
  );
  await expectFits(page);
  await expectAccessible(page);
});

test('what is left adds up to 1, and the token that the core draws lies where the number falls', async () => {
  const opened = await shipped;
  const texts = ['The Government of the United', opening.text];
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
        const { drawn, number, bars, others, cuts, kept } = await pageNextOf(opened, ask);
        const what = JSON.stringify(ask);
        const expected = nextOf(opened, ask);
        expect(
          bars.map(({ id }) => id),
          what,
        ).toEqual(expected.shown);
        expect(drawn!.id, what).toBe(expected.drawn.id);
        expect(kept, what).toBe(expected.kept);
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
    await expect(own).toContainText(messagePattern('model-own.numbers'));
    await current(page);
    const { best } = readOf(opened, { text: '3 1 4 1 5' });
    const shares = await numbers(figure(page).locator('[data-tile]'), 'p');
    [...best]
      .reverse()
      .flat()
      .forEach(({ p }, i) => near(shares[i], p, 1e-3, `${family}, tile ${i}`));
  }
  expect(asked.filter((url) => !/\.(js|wasm|css|woff2)/u.test(url))).toEqual([]);

  // A tensor whose shape disagrees with the settings: the error names both.
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
  await expect(own).toContainText(message('model-own.missing'));
  await expectFits(page);
});
