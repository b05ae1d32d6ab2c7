// Helpers for the tests of the lower figures of chapter "Model": the shipped model in Node, and its figures on the
// page.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { Tensor } from 'tril';
import {
  loadTril,
  type Model,
  type Interventions,
  type TrainingTril,
  type Without,
} from 'tril/training';
import { shapeOf, type Shape } from '../../web/src/compute/worker/opened/shape.ts';
import { expect } from './fixtures.ts';
import { expectBars, expectGrounds } from './bars.ts';
import { expectSaid } from './drawn.ts';
import { number } from './lessons.ts';
import { messagePattern, valuesIn } from './messages.ts';
import { coverOf, readCanvas } from './pixels.ts';
import { placeOf } from './places.ts';

/** The model's folder on the page. */
const shipped = new URL('../../web/dist/models/gpt/', import.meta.url);
/** Another variant adds up in another order. */
export const allowed = 1e-4;
export const near = (found: number, expected: number) =>
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(allowed);

/** The page's loaded model, in Node. */
export class Here {
  readonly tril: TrainingTril;
  readonly model: Model;
  readonly shape: Shape;
  constructor(tril: TrainingTril, model: Model) {
    [this.tril, this.model, this.shape] = [tril, model, shapeOf(model.config)];
  }

  /** The loss on a text, and the probability of each token after it. */
  said(ids: ArrayLike<number>, changes: Interventions = {}) {
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

export async function visited(page: Page, query = ''): Promise<void> {
  await page.goto('about:blank');
  await page.goto(placeOf(`model${query}`));
  await expect(page.locator('.load[data-model="closed"]')).toHaveCount(1); // the prerendered result is gone
}

export async function here(): Promise<Here> {
  const tril = await loadTril();
  const read = (name: string) => new Uint8Array(readFileSync(new URL(name, shipped)));
  const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
  const files = Object.fromEntries(names.map((name) => [name, read(name)]));
  return new Here(tril, await tril.loadModel(files));
}

export async function opened(page: Page, query = ''): Promise<Here> {
  await visited(page, query);
  await page
    .locator('#open')
    .getByRole('button', { name: messagePattern('model.load.button') })
    .click();
  await page.locator('[data-figure="model"][data-live="true"]').waitFor({ timeout: 60_000 });
  return here();
}

export async function see(page: Page, part: string): Promise<Locator> {
  await page.locator(`#${part} .card`).scrollIntoViewIfNeeded();
  const figure = page.locator(`[data-figure="${part}"]`);
  await figure.waitFor();
  return figure;
}

/** Checks bars: the probability of each token before and now. */
export async function expectShifts(
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
  // The likeliest tokens of both are among them.
  for (const shares of [before, after]) {
    const most = Math.max(...shares);
    expect(bars.some(([token]) => shares[token] >= most - allowed)).toBe(true);
  }
  const end = Math.max(...bars.flatMap(([token]) => [before[token], after[token]]));
  for (const [kind, shares] of [
    ['ghost', before],
    ['now', after],
  ] as const) {
    const ofKind = bars.map(([token]) => shares[token]);
    await expectBars(list.locator(`[data-token] .${kind}`), ofKind, { end });
  }
}

const rowsOf = (stack: Tensor, at: number) => {
  const [, rows, cols] = stack.shape;
  const all = stack.read();
  return { rows, cols, data: all.slice(at * rows * cols, (at + 1) * rows * cols) };
};

type Layer = NonNullable<ReturnType<Model['forward']>['trace']>['layers'][number];

/**
 * Expects the canvases to show the first head's trace: the whole matrix, its last row bright and the rest dim, or its
 * last row alone.
 */
export async function expectPainted(figure: Locator, trace: Layer): Promise<void> {
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
        const panel = figure.locator(`[data-panel="${where}"]`);
        const painted = coverOf(await readCanvas(panel.locator(`[data-piece="${piece}"] canvas`)));
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
}

/** The rise of the loss on a text without each head, layer by layer, and without each layer and each of its parts. */
function risesOf(here: Here, ids: ArrayLike<number>) {
  const { loss: whole } = here.said(ids);
  const rise = (part: Without) => here.said(ids, { without: [part] }).loss - whole;
  return Array.from({ length: here.shape.layers }, (_, layer) => ({
    layer: rise({ layer }),
    parts: (['attention', 'feedForward'] as const).map((part) => rise({ layer, part })),
    heads: Array.from({ length: here.shape.heads }, (__, head) => rise({ layer, head })),
  }));
}

/** Checks the number beside each part, and which head is first. */
export async function expectRanked(page: Page, here: Here, ids: ArrayLike<number>): Promise<void> {
  const figure = page.locator('[data-figure="away"]');
  const rises = risesOf(here, ids);
  for (const [layer, { layer: all, heads }] of rises.entries()) {
    for (const [head, rise] of heads.entries()) {
      near(await number(figure.locator(`[data-part="${layer + 1}h${head + 1}"]`), 'rise'), rise);
    }
    near(await number(figure.locator(`[data-part="${layer + 1}"]`), 'rise'), all);
  }
  const listed = figure.locator('[data-ranked="heads"] [data-cost]');
  const first = listed.first();
  const falling = rises.flatMap(({ heads }) => heads).sort((a, b) => b - a);
  near(await number(first, 'rise'), falling[0]);
  const end = Math.max(...falling.map(Math.abs));
  await expectBars(listed.locator('i'), falling.slice(0, await listed.count()), {
    ...{ end, inside: true },
  });
  const layers = rises.flatMap(({ layer, parts }) => [layer, ...parts]).sort((a, b) => b - a);
  const ofLayers = figure.locator('[data-ranked="layers"] i');
  await expectBars(ofLayers, layers.slice(0, await ofLayers.count()), {
    ...{ end: Math.max(...layers.map(Math.abs)), inside: true },
  });
  // A darker head costs more to remove.
  await expectGrounds(
    figure.locator('[data-part].head'),
    [...rises]
      .reverse()
      .flatMap(({ heads }) => heads)
      .map((rise) => 0.55 * Math.sqrt(Math.max(0, rise) / falling[0])),
    { role: 'wrong', paper: 'surface', within: 0.01 },
  );
  const [, layer, head] = /^(\d+)h(\d+)$/u.exec((await first.getAttribute('data-cost'))!)!;
  const answer = page.locator('#away [data-answer]');
  const right = (await answer.getAttribute('data-answer')) === 'right';
  const key = `model-away.away.ask.${right ? 'answer' : 'elsewhere'}`;
  await expect(answer).toHaveText(messagePattern(key));
  const says = valuesIn(key, (await answer.textContent())!)!;
  expect([says.layer, says.head]).toEqual([layer, head]);
  expectSaid(says.rise, falling[0]);
}

/**
 * Checks the patches from the first prompt to the second, position by position, and the answers of both without a
 * patch.
 */
export async function expectCarried(page: Page, here: Here) {
  const { model, shape } = here;
  await page.emulateMedia({ colorScheme: 'light' });
  const patch = page.locator('[data-figure="patch"]');
  const [from, to] = await Promise.all(
    [0, 1].map((index) => page.locator('#patch').getByRole('textbox').nth(index).inputValue()),
  );
  const [donor, receiver] = [model.encode(from), model.encode(to)];
  const columns = Math.min(donor.length, receiver.length);
  const { embedded, layers } = model.forward(donor, { trace: true }).trace!;
  const streams = [embedded, ...layers.map(({ residPost }) => residPost)].map((one) =>
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
      const share = patched(at, column)[answer];
      near(await number(cell(at, column), 'share'), share);
      await expectGrounds(cell(at, column), [0.03 + 0.97 * share], {
        ...{ role: 'weight', paper: 'paper' },
      });
    }
  }
  // The whole answer to the first prompt has passed through the last position.
  near(await number(cell(shape.layers - 1, columns - 1), 'share'), await number(base, 'after'));
  return { receiver, columns, cell, patched, base };
}
