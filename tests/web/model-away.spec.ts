// Chapter "Model" without parts of its model: the cache, what is taken away and what is carried over, against the package
// in Node on the same files.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { Tensor } from 'tril';
import { loadTril, type Model, type ModelChanges, type TrainingTril } from 'tril/training';
import { shapeOf, type Shape } from '../../web/src/compute/opened/shape.ts';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { coverOf, readCanvas } from './pixels.ts';
import { placeOf } from './places.ts';

/** As the page has it. */
const shipped = new URL('../../web/dist/models/gpt/', import.meta.url);
const number = async (place: Locator, name: string) =>
  Number(await place.getAttribute(`data-${name}`));
/** Another variant adds up in another order. */
const allowed = 1e-4;
const near = (found: number, expected: number) =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(allowed);

/** The model that the page has loaded, here. */
class Here {
  readonly tril: TrainingTril;
  readonly model: Model;
  readonly shape: Shape;
  constructor(tril: TrainingTril, model: Model) {
    [this.tril, this.model, this.shape] = [tril, model, shapeOf(model.config)];
  }

  /** The loss on a text, and how likely each token is behind it. */
  said(ids: ArrayLike<number>, changes: ModelChanges = {}) {
    const { tril, model } = this;
    return tril.scope(() => {
      const { logits } = model.forward([...Array.from(ids)], changes);
      const [tokens, vocabulary] = logits.shape;
      const { loss } = tril.crossEntropy(logits, [...Array.from(ids).slice(1), -100]);
      const shares = tril
        .softmax(logits)
        .read()
        .slice((tokens - 1) * vocabulary);
      return { loss, shares };
    });
  }
}

async function opened(page: Page, query = ''): Promise<Here> {
  await page.goto('about:blank');
  await page.goto(placeOf(`model${query}`));
  await expect(page.locator('.load[data-model="closed"]')).toHaveCount(1); // what was made with the page is gone
  await page.getByRole('button', { name: /^Load the model/u }).click();
  await page.locator('[data-figure="model"][data-live="true"]').waitFor({ timeout: 60_000 });
  const tril = await loadTril();
  const read = (name: string) => new Uint8Array(readFileSync(new URL(name, shipped)));
  const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
  const files = Object.fromEntries(names.map((name) => [name, read(name)]));
  return new Here(tril, await tril.loadModel(files));
}

async function see(page: Page, part: string): Promise<Locator> {
  await page.locator(`#${part} .card`).scrollIntoViewIfNeeded();
  const figure = page.locator(`[data-figure="${part}"]`);
  await figure.waitFor();
  return figure;
}

/** Of bars: what each token had before, and has now. */
async function expectShifts(
  list: Locator,
  before: Float32Array,
  after: Float32Array,
): Promise<void> {
  const bars = await list.locator('[data-token]').evaluateAll((all) =>
    all.map((each) => {
      const { token, before: was, after: is } = (each as HTMLElement).dataset;
      return [token, was, is].map(Number);
    }),
  );
  expect(bars.length).toBeGreaterThanOrEqual(4);
  for (const [token, was, is] of bars) {
    near(was, before[token]);
    near(is, after[token]);
  }
  // The likeliest of both are among them.
  for (const shares of [before, after]) {
    const most = Math.max(...shares);
    expect(bars.some(([token]) => shares[token] >= most - allowed)).toBe(true);
  }
}

const rowsOf = (stack: Tensor, at: number) => {
  const [, rows, cols] = stack.shape;
  const all = stack.read();
  return { rows, cols, data: all.slice(at * rows * cols, (at + 1) * rows * cols) };
};

test('the cache: what is computed anew, counted, held and timed', async ({ page }) => {
  const text = 'The people of the United States and the Congress of the people';
  const here = await opened(page, `?${new URLSearchParams({ text }).toString()}`);
  const { model, shape, tril } = here;
  const ids = model.encode(text);
  const figure = await see(page, 'cache');
  const panel = (name: string) => figure.locator(`[data-panel="${name}"]`);
  await panel('with').waitFor();
  const [T, D] = [ids.length, shape.headWidth];
  expect(await number(panel('with'), 'now')).toBe(3 * D + T);
  expect(await number(panel('with'), 'kept')).toBe(2 * D * (T - 1));
  expect(await number(panel('without'), 'now')).toBe(3 * D * T + (T * (T + 1)) / 2);
  expect(await number(figure.locator('[data-apart]'), 'apart')).toBeLessThan(allowed);

  // What is painted is what the head has computed: all of it, or bright in its last row and dim above, or only there.
  await figure.getByRole('radiogroup', { name: 'Layer' }).getByRole('radio').nth(1).click();
  const trace = model.forward(ids, { trace: true }).trace!.layers[1];
  for (const [piece, tensor] of [
    ['q', trace.queries],
    ['k', trace.keys],
    ['v', trace.values],
    ['weight', trace.weights],
  ] as const) {
    const { rows, cols, data } = rowsOf(tensor, 0);
    const end = piece === 'weight' ? 1 : Math.max(...data.map(Math.abs));
    for (const where of ['with', 'without']) {
      const old = where === 'without' ? 1 : piece === 'k' || piece === 'v' ? 0.3 : 0;
      await expect(async () => {
        const canvas = panel(where).locator(`[data-piece="${piece}"] canvas`);
        const painted = coverOf(await readCanvas(canvas));
        expect(painted).toHaveLength(rows * cols);
        const wrong = painted.filter((alpha, i) => {
          const row = Math.floor(i / cols);
          if (piece === 'weight' && i % cols > row) return alpha !== 0;
          const strength = row === rows - 1 ? 1 : old;
          const share = Math.sqrt(Math.abs(data[i]) / end);
          return Math.abs(alpha - 255 * strength * (0.14 + 0.86 * share)) > 3;
        });
        expect(wrong).toEqual([]);
      }).toPass();
    }
  }

  // Counted for as many tokens as the slider says, and held by the core to the byte.
  const tokens = Math.min(100, shape.context);
  await figure.getByRole('slider', { name: 'Tokens so far' }).fill(String(tokens));
  const bytes = 2 * shape.layers * shape.keyHeads * D * 4 * tokens;
  await expect(figure.locator('[data-held]')).toHaveAttribute('data-held', String(bytes));
  await expect(figure.locator('[data-held]')).toHaveAttribute('data-bytes', String(bytes));
  const part = (name: string) => figure.locator(`[data-part="${name}"]`);
  const head = tril.cost.linear({ rows: 1, in: shape.width, out: shape.vocabulary, bias: false });
  expect(await number(part('head'), 'with')).toBe(head.flops);
  expect(await number(part('head'), 'without')).toBe(head.flops);
  for (const one of ['projections', 'feedForward']) {
    expect(await number(part(one), 'without')).toBe(tokens * (await number(part(one), 'with')));
  }
  const all = { with: 0, without: 0 };
  for (const one of ['projections', 'attention', 'feedForward', 'head']) {
    all.with += await number(part(one), 'with');
    all.without += await number(part(one), 'without');
  }
  expect(await number(part('all'), 'with')).toBe(all.with);
  expect(await number(part('all'), 'without')).toBe(all.without);
  const rows = figure.locator('[data-key-heads]');
  for (const row of await rows.all()) {
    const heads = await number(row, 'key-heads');
    expect(shape.heads % heads).toBe(0);
    expect(await number(row, 'bytes')).toBe((bytes / shape.keyHeads) * heads);
  }

  await figure.getByRole('button', { name: 'Time it here' }).click();
  const timed = figure.locator('[data-tokens]');
  await timed.nth(1).waitFor({ timeout: 60_000 });
  await figure
    .getByRole('button', { name: 'Stop' })
    .click({ force: true })
    .catch(() => {});
  await expect(figure.locator('[data-timing]')).toHaveAttribute('data-timing', /stopped|finished/u);
  for (const row of (await timed.all()).slice(0, 2)) {
    const [alone, together] = [await number(row, 'with'), await number(row, 'without')];
    expect(alone).toBeGreaterThan(0);
    expect(await number(row, 'times')).toBeCloseTo(together / alone, 4);
  }
  await expectAccessible(page, '#cache');
  await page.setViewportSize({ width: 360, height: 780 });
  await expectFits(page);
  model.dispose();
});

test('parts are taken away, ranked, and carried over', async ({ page }) => {
  await page.addInitScript(() => {
    if (location.protocol.startsWith('http')) localStorage.removeItem('tril.veils');
  });
  // An address that says more would lift the veil.
  const here = await opened(page);
  const { model, shape } = here;
  const ids = model.encode(await page.locator('#open textarea').first().inputValue());
  const whole = here.said(ids);

  const figure = await see(page, 'away');
  const loss = figure.locator('[data-loss]');
  near(await number(loss, 'loss'), whole.loss);
  await figure.locator('[data-part="1h2"]').click();
  await figure.locator('[data-part="2f"]').click();
  await expect(figure).toHaveAttribute('data-off', '2');
  const without = [
    { layer: 0, head: 1 },
    { layer: 1, part: 'feedForward' },
  ] as const;
  const after = here.said(ids, { without });
  await expect(async () => near(await number(loss, 'now'), after.loss)).toPass();
  near(await number(loss, 'loss'), whole.loss);
  await expectShifts(figure, whole.shares, after.shares);
  await expect(page).toHaveURL(/off=1h2\.2f/u);
  await expect(figure.locator('[data-part="1h2"]')).toHaveAttribute('aria-pressed', 'true');
  await figure.getByRole('button', { name: 'Switch all on' }).click();
  await expect(async () => near(await number(loss, 'now'), whole.loss)).toPass();

  // Guessed before anything is lit; then all are taken away in turn.
  const veil = page.locator('[data-veil="model-away"]');
  await expect(veil).toHaveAttribute('data-covered', 'true');
  await expect(figure.locator('[data-rise]')).toHaveCount(0);
  await page.locator('#away .ask button').first().click();
  await page.locator('#away [data-answer]').waitFor({ timeout: 60_000 });
  await expect(veil).not.toHaveAttribute('data-covered', 'true');
  const rises = Array.from({ length: shape.layers }, (_, layer) =>
    Array.from({ length: shape.heads }, (__, head) => {
      const { loss: now } = here.said(ids, { without: [{ layer, head }] });
      return now - whole.loss;
    }),
  );
  for (const [layer, heads] of rises.entries()) {
    for (const [head, rise] of heads.entries()) {
      near(await number(figure.locator(`[data-part="${layer + 1}h${head + 1}"]`), 'rise'), rise);
    }
    const { loss: now } = here.said(ids, { without: [{ layer }] });
    near(await number(figure.locator(`[data-part="${layer + 1}"]`), 'rise'), now - whole.loss);
  }
  const first = figure.locator('[data-ranked="heads"] [data-cost]').first();
  const most = Math.max(...rises.flat());
  near(await number(first, 'rise'), most);
  const [, layer] = /^(\d+)h/u.exec((await first.getAttribute('data-cost'))!)!;
  await expect(page.locator('#away [data-answer]')).toContainText(`of layer ${layer}`);
  await expectAccessible(page, '#away');

  await page.emulateMedia({ colorScheme: 'light' });
  const patch = await see(page, 'patch');
  await expect(patch).toHaveAttribute('data-patching', 'finished', { timeout: 60_000 });
  const [from, to] = await Promise.all(
    ['Taken from', 'Put into'].map((name) =>
      page.locator('#patch').getByRole('textbox', { name }).inputValue(),
    ),
  );
  const [donor, receiver] = [model.encode(from), model.encode(to)];
  const columns = Math.min(donor.length, receiver.length);
  const { embedded, layers } = model.forward(donor, { trace: true }).trace!;
  const streams = [embedded, ...layers.map(({ out }) => out)].map((one) =>
    one.toArray<number[][]>(),
  );
  const patched = (at: number, column: number) =>
    here.said(receiver, {
      replace: [
        {
          ...{ layer: at, part: 'residual', positions: [receiver.length - columns + column] },
          values: streams[at + 1][donor.length - columns + column],
        },
      ],
    }).shares;
  const base = patch.locator('[data-answer]');
  const answer = await number(base, 'answer');
  near(await number(base, 'before'), here.said(receiver).shares[answer]);
  near(await number(base, 'after'), here.said(donor).shares[answer]);
  const cell = (at: number, column: number) => patch.locator(`[data-cell="${at}.${column}"]`);
  for (let at = -1; at < shape.layers; ++at) {
    for (let column = 0; column < columns; ++column) {
      near(await number(cell(at, column), 'share'), patched(at, column)[answer]);
    }
  }
  // All of the first prompt's answer has passed through the last place.
  near(await number(cell(shape.layers - 1, columns - 1), 'share'), await number(base, 'after'));
  await cell(0, columns - 2).press('Enter');
  await expect(patch.locator('[data-chosen]')).toHaveAttribute('data-chosen', `0.${columns - 2}`);
  await patch.locator('[data-token]').first().waitFor();
  await expectShifts(patch, here.said(receiver).shares, patched(0, columns - 2));
  await page.keyboard.press('ArrowRight');
  await expect(cell(0, columns - 1)).toBeFocused();
  await page.locator('#patch').getByRole('button', { name: 'Swap them' }).click();
  await expect(page).toHaveURL(/into=/u);
  await expect(async () => {
    near(await number(base, 'after'), here.said(receiver).shares[await number(base, 'answer')]);
  }).toPass();
  await expectAccessible(page, '#patch');
  await page.setViewportSize({ width: 360, height: 780 });
  await expectFits(page);
  model.dispose();
});
