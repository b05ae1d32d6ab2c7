// Chapter "Meaning": word vectors against plain JavaScript in double precision, trainings against the same trainings in
// Node.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { loadTril } from 'tril/training';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { expectAccessible } from './axe.ts';
import { expectMap } from './bars.ts';
import { expect, test } from './fixtures.ts';
import { takeOf } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { open } from './reach.ts';

const models = new URL('../../models/', import.meta.url);
const built = new URL('../../web/dist/models/', import.meta.url);

/** Cosines are sums of some hundred products, each rounded to float32. */
const rounding = 2e-6;

type Rows = readonly (readonly number[])[];
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, x, i) => sum + x * b[i], 0);
const unit = (row: readonly number[]) => row.map((x) => x / Math.sqrt(dot(row, row)));

/** Words, and their vectors of length 1. */
interface Words {
  readonly words: readonly string[];
  readonly rows: Rows;
}

async function shipped(): Promise<Words> {
  const file = new Uint8Array(readFileSync(new URL('vectors/vectors.safetensors', models)));
  const length = Number(new DataView(file.buffer).getBigUint64(0, true));
  const header = new TextDecoder().decode(file.subarray(8, 8 + length));
  const tril = await loadTril();
  const [{ tensor }] = await tril.readArrays(file, 'vectors.safetensors');
  const words = JSON.parse(JSON.parse(header)['__metadata__'].words) as string[];
  return { words, rows: tensor.toArray<number[][]>().map(unit) };
}

function nearest({ words, rows }: Words, to: readonly number[], without: readonly string[]) {
  const found = words.map((word, i) => ({ word, cosine: dot(rows[i], unit(to)) }));
  return found.filter(({ word }) => !without.includes(word)).sort((a, b) => b.cosine - a.cosine);
}
const rowOf = ({ words, rows }: Words, word: string) => rows[words.indexOf(word)];

const numberOf = async (place: Locator, name: string) =>
  Number(await place.getAttribute(`data-${name}`));

/** Checks the listed neighbours, in order; words with equal cosines up to rounding may change places. */
async function expectNeighbours(page: Page, table: Words, word: string, allowed = rounding) {
  const rows = page.locator('#words [data-neighbour]');
  const expected = nearest(table, rowOf(table, word), [word]);
  await expect(async () => {
    await expect(page.locator('#words h2').first()).toContainText(`“${word}”`);
    expect(await rows.count()).toBe(12);
  }).toPass();
  for (const [i, row] of (await rows.all()).entries()) {
    const name = await row.getAttribute('data-neighbour');
    const cosine = await numberOf(row.locator('[data-cosine]'), 'cosine');
    const own = expected.find((one) => one.word === name)!.cosine;
    expect(Math.abs(cosine - own), name!).toBeLessThan(allowed);
    expect(Math.abs(cosine - expected[i].cosine), `place ${i}`).toBeLessThan(allowed);
    // The row is coloured up to the word's cosine.
    const ground = await row.evaluate((one) => getComputedStyle(one).backgroundImage);
    const [, percent] = /([\d.]+)%/u.exec(ground)!;
    expect(Math.abs(Number(percent) - 100 * own), name!).toBeLessThan(0.01 + 100 * allowed);
  }
}

interface Dot {
  readonly word: string;
  readonly x: number;
  readonly y: number;
  /** Its position on the map. */
  readonly left: number;
  readonly top: number;
}
const dotsOf = (page: Page): Promise<Dot[]> =>
  page.locator('#words [data-map] [data-word]').evaluateAll((all) =>
    all.map((one) => {
      const { word, x, y } = (one as HTMLElement).dataset;
      const { e, f } = (one as SVGGElement).transform.baseVal[0].matrix;
      return { word: word!, x: Number(x), y: Number(y), left: e, top: f };
    }),
  );

/** Expects every dot at the position given by its two numbers. */
async function expectDrawn(page: Page, dots: readonly Dot[], numbers: readonly [number, number][]) {
  const map = page.locator('#words [data-map]');
  const [width, height] = await Promise.all(
    ['width', 'height'].map(async (name) => Number(await map.getAttribute(name))),
  );
  const named = dots.map(({ word, left, top }) => ({ name: word, left, top }));
  expectMap(named, numbers, { width, height, within: 1e-4 });
}

/** Checks the two principal components against the power method in double precision; their signs are arbitrary. */
async function expectPrincipal(page: Page, table: Words, dots: readonly Dot[], share: number) {
  const rows = dots.map(({ word }) => rowOf(table, word));
  const mean = rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  let left = rows.map((row) => row.map((x, i) => x - mean[i]));
  const all = left.reduce((sum, row) => sum + dot(row, row), 0);
  let held = 0;
  const places: [number, number][] = dots.map(() => [0, 0]);
  for (const axis of ['x', 'y'] as const) {
    let direction = unit(mean.map((_, i) => Math.sin(i + 1)));
    for (let n = 0; n < 3000; ++n) {
      const along = left.map((row) => dot(row, direction));
      direction = unit(
        direction.map((_, i) => left.reduce((sum, row, r) => sum + along[r] * row[i], 0)),
      );
    }
    const along = left.map((row) => dot(row, direction));
    const sign = Math.sign(
      dot(
        along,
        dots.map((one) => one[axis]),
      ),
    );
    dots.forEach((one, i) =>
      expect(Math.abs(sign * along[i] - one[axis]), one.word).toBeLessThan(1e-4),
    );
    along.forEach((value, i) => (places[i][axis === 'x' ? 0 : 1] = sign * value));
    held += dot(along, along);
    left = left.map((row, r) => row.map((x, i) => x - along[r] * direction[i]));
  }
  expect(Math.abs(share - held / all)).toBeLessThan(1e-4);
  await expectDrawn(page, dots, places);
}

test('neighbours, maps and analogies are those of the vectors', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const table = await shipped();
  await open(page, 'meaning');
  // The prerendered result: nothing is loaded.
  await expectNeighbours(page, table, 'bank');
  const share = page.locator('#words [data-share]');
  const dots = await dotsOf(page);
  expect(dots.map(({ word }) => word)).toEqual(expect.arrayContaining(['bank', 'river', 'money']));
  await expectPrincipal(page, table, dots, await numberOf(share, 'share'));
  for (const one of await page.locator('[data-cosines] > span').all()) {
    const word = (await one.locator('b').textContent())!;
    const cosine = await numberOf(one.locator('[data-cosine]'), 'cosine');
    expect(Math.abs(cosine - dot(rowOf(table, 'bank'), rowOf(table, word)))).toBeLessThan(rounding);
  }
  expect(asked.filter((url) => url.includes('/models/'))).toEqual([]);
  await expectAccessible(page);

  await page.getByRole('button', { name: messagePattern('meaning.load.all') }).click();
  await page.locator('[data-words="finished"]').waitFor();
  expect(asked.filter((url) => url.includes('/models/'))).toHaveLength(1);
  const field = page.getByLabel(message('meaning.word.label'), { exact: true });
  await field.fill('River');
  await field.press('Enter');
  await expectNeighbours(page, table, 'river');
  await expect(page).toHaveURL(/word=River/iu);
  await expectPrincipal(page, table, await dotsOf(page), await numberOf(share, 'share'));
  await field.fill('zyzzyva');
  await field.press('Enter');
  await expect(page.locator('#words .unknown')).toContainText('“zyzzyva”');
  const other = page.locator('#words').getByRole('button', { name: 'war', exact: true });
  await other.click();
  await expectNeighbours(page, table, 'war');
  await page
    .locator('#words')
    .getByRole('radio', { name: message('meaning.map.words') })
    .click();
  await expect(share).toHaveCount(0);
  const along = (to: string, from: string) => {
    const [a, b] = [rowOf(table, to), rowOf(table, from)];
    return unit(a.map((x, i) => x - b[i]));
  };
  const [across, up] = [along('river', 'money'), along('war', 'peace')];
  const placed = await dotsOf(page);
  const expected = placed.map(({ word }): [number, number] => [
    dot(rowOf(table, word), across),
    dot(rowOf(table, word), up),
  ]);
  for (const [i, { word, x, y }] of placed.entries()) {
    expect(Math.abs(x - expected[i][0]), word).toBeLessThan(rounding);
    expect(Math.abs(y - expected[i][1]), word).toBeLessThan(rounding);
  }
  await expectDrawn(page, placed, expected);

  await page.locator('#analogies').scrollIntoViewIfNeeded();
  const analogies = await page.locator('[data-analogy]').all();
  expect(analogies.length).toBeGreaterThan(5);
  let right = 0;
  const expectAnalogy = async (asking: readonly string[], place: Locator) => {
    const [a, b, c] = asking.map((word) => rowOf(table, word));
    const expected = nearest(
      table,
      b.map((x, i) => x - a[i] + c[i]),
      asking,
    );
    const cosine = await numberOf(place.locator('[data-cosine]'), 'cosine');
    expect(Math.abs(cosine - expected[0].cosine), asking.join(' ')).toBeLessThan(rounding);
    await expect(place.locator('[data-found]')).toHaveText(expected[0].word);
  };
  for (const row of analogies) {
    await expectAnalogy((await row.getAttribute('data-analogy'))!.split(' '), row);
    right += Number(((await row.textContent()) ?? '').includes('✓'));
  }
  expect(await numberOf(page.locator('#analogies [data-right]'), 'right')).toBe(right);
  expect(right).toBeLessThan(analogies.length); // analogies that fail are listed, too
  const own = page.locator('#analogies .own input');
  for (const [i, word] of ['gold', 'silver', 'summer'].entries()) {
    await own.nth(i).fill(word);
    await own.nth(i).press('Enter');
  }
  const answer = page.locator('#analogies .answer');
  await expect(answer).toHaveAttribute('data-own', 'gold silver summer');
  await expect(answer.locator('[data-found]')).toBeVisible();
  await expect(async () =>
    expectAnalogy(['gold', 'silver', 'summer'], answer.locator('xpath=.')),
  ).toPass();
});

test('vectors are learned before your eyes, and are those that Node learns', async ({ page }) => {
  const data = new Uint8Array(readFileSync(new URL('speeches.txt', built)));
  const tril = await loadTril();
  const vectors = tril.wordVectors({ width: 64, epochs: 5, minCount: 10, data, seed: 1 });
  vectors.steps();
  const table: Words = {
    words: vectors.words,
    rows: vectors.vectors().toArray<number[][]>().map(unit),
  };
  await open(page, 'meaning');
  await page.getByRole('button', { name: messagePattern('meaning.load.share') }).click();
  await page.getByRole('button', { name: message('meaning.load.wait') }).click();
  const doing = page.locator('[data-words]');
  await expect(doing).toHaveText(messagePattern('meaning.load.waiting'));
  const early = await dotsOf(page);
  await page.getByRole('button', { name: message('meaning.load.on') }).click();
  await page.locator('[data-words="finished"]').waitFor({ timeout: 150_000 });
  await expect(doing).toContainText(String(vectors.allSteps));
  expect(await dotsOf(page)).not.toEqual(early);
  const variant = await page.locator('[data-variant]').first().getAttribute('data-variant');
  if (variant === tril.variant) {
    await expectNeighbours(page, table, 'bank', 1e-4);
  } else {
    // Another variant rounds differently, and hundreds of steps amplify that: most neighbours are the same.
    const expected = nearest(table, rowOf(table, 'bank'), ['bank'])
      .slice(0, 24)
      .map(({ word }) => word);
    const shown = await page.locator('#words [data-neighbour] button').allTextContents();
    expect(shown).toHaveLength(12);
    expect(shown.filter((word) => expected.includes(word.trim())).length).toBeGreaterThanOrEqual(8);
  }
  vectors.dispose();
});

/**
 * Sums of some hundred products of float32, in another order; principal components to the precision of their iteration.
 */
const programs = 1e-4;

test('the program that is taken along finds the same neighbours, analogies and map', async ({
  page,
  context,
}) => {
  const python = findPythonWith('numpy');
  test.skip(!python, 'NumPy is not installed');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const cwd = new URL('vectors/', models);
  await open(page, 'meaning');
  const states = [
    async () => {},
    async () => {
      await page.getByRole('button', { name: 'spring', exact: true }).click();
      await expect(page.locator('#words h2').first()).toContainText('“spring”');
    },
    async () => {
      await page.getByRole('radio', { name: message('meaning.map.words') }).click();
      await expect(page.locator('#words [data-share]')).toHaveCount(0);
    },
  ];
  for (const enter of states) {
    await enter();
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await (
      await takeOf(page, 'words')
    )
      .getByRole('button', { name: message('figures.take.code.numpy') })
      .click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('largest difference');
    const run = spawnSync(python!, ['-c', await copied()], { encoding: 'utf8', cwd });
    expect(run.stderr).toBe('');
    const [, apart] = /largest difference: (\S+)/u.exec(run.stdout)!;
    expect(Number(apart), run.stdout).toBeLessThanOrEqual(programs);
  }
});
