// Chapter "Model" with heads and other parts switched off on the roll: tiles, bars and what stood there before, against the
// package in Node with the same changes; and the program that is taken along, run on the shipped files.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import type { Without } from 'tril/training';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { nextOf } from '../../web/src/compute/opened/next.ts';
import {
  openingSampling,
  openingSeed,
  openingText,
} from '../../web/src/compute/opened/opening-text.ts';
import { readingOf } from '../../web/src/compute/opened/reading.ts';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { openedOf } from './oracles/model.ts';
import { placeOf } from './places.ts';

const folder = fileURLToPath(new URL('../../models/gpt/', import.meta.url));
const shipped = openedOf('models/gpt');
/** Another variant adds up in another order. */
const allowed = 1e-4;
const near = (found: number, expected: number, what: string) =>
  expect(Math.abs(found - expected), `${what}: ${found}, core ${expected}`).toBeLessThanOrEqual(
    allowed,
  );

type Data = Readonly<Record<string, string | undefined>>;
const dataOf = (all: Locator): Promise<Data[]> =>
  all.evaluateAll((found) => found.map((one) => ({ ...(one as HTMLElement).dataset })));

async function opened(page: Page, query = ''): Promise<Locator> {
  await page.goto('about:blank');
  await page.goto(placeOf(`model${query}`));
  await expect(page.locator('.load[data-model="closed"]')).toHaveCount(1);
  await page.getByRole('button', { name: /^Load the model/u }).click();
  const figure = page.locator('[data-figure="model"][data-live="true"][data-current="true"]');
  await figure.waitFor({ timeout: 60_000 });
  return figure;
}

/** All tiles, bars and ghosts are those of the model without these parts. */
async function expectWithout(figure: Locator, without: readonly Without[]): Promise<void> {
  await figure.waitFor();
  const here = await shipped;
  const ask = { text: openingText, then: [] };
  const changes = { without: [...without] };
  const sampled = { ...ask, sampling: openingSampling, seed: openingSeed };
  const [before, now] = [readingOf(here, ask), readingOf(here, { ...ask, changes })];
  const [was, is] = [await nextOf(here, sampled), await nextOf(here, { ...sampled, changes })];
  for (const { tile, token, p, was: old, wasP } of await dataOf(figure.locator('[data-tile]'))) {
    const [block, place] = tile!.split('.').map(Number);
    const [own] = now.lens[block][place];
    expect(Number(token), tile).toBe(own.id);
    near(Number(p), own.p, `tile ${tile}`);
    const [first] = before.lens[block][place];
    expect(Number(old), tile).toBe(first.id);
    near(Number(wasP), first.p, `tile ${tile} before`);
  }
  const bars = await dataOf(figure.locator('[data-bar]'));
  expect(bars.map(({ bar }) => Number(bar))).toEqual(is.bars.map(({ id }) => id));
  for (const [i, { left, before: old }] of bars.entries()) {
    near(Number(left), is.bars[i].left, `bar ${i}`);
    const there = was.bars.find(({ id }) => id === is.bars[i].id);
    if (there) near(Number(old), there.left, `ghost ${i}`);
  }
  expect(Number(await figure.locator('[data-number]').getAttribute('data-drawn'))).toBe(
    is.drawn!.id,
  );
}

test('a head is switched off on the roll: tiles, bars and ghosts are the core’s', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const figure = await opened(page, '?block=2&place=6');
  const { looks, tokens } = readingOf(await shipped, { text: openingText, then: [] });
  // The heads of block 2, and where each looks most from the sixth token.
  const heads = figure.locator('[data-head]');
  for (const [head, { head: id, to, weight }] of (await dataOf(heads)).entries()) {
    expect(id).toBe(`2.${head + 1}`);
    expect(Number(to)).toBe(looks[1][5][head].to);
    near(Number(weight), looks[1][5][head].weight, `head ${head}`);
  }
  await heads.nth(2).click();
  await expect(page).toHaveURL(/off=2h3/u);
  await expect(heads.nth(2)).toHaveAttribute('aria-pressed', 'true');
  await expectWithout(figure, [{ layer: 1, head: 2 }]);

  // By keys: its feed-forward as well, then all back; and the way back through what was done.
  const roll = page.getByRole('grid', { name: /blocks, the last on top/u });
  await roll.focus();
  await page.keyboard.press('f');
  await expect(page).toHaveURL(/off=2h3\.2f/u);
  await expectWithout(figure, [
    { layer: 1, head: 2 },
    { layer: 1, part: 'feedForward' },
  ]);
  const compared = page.locator('[data-compared]');
  await compared.locator('summary').click();
  for (const side of ['before', 'after'] as const) {
    const best = compared.locator(`[data-side="${side}"] [data-best]`);
    await expect(best).toHaveCount(looks.length * tokens.length);
  }
  await expectAccessible(page, '#open');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'All back on' }).click();
  await expect(page).not.toHaveURL(/off=/u);
  await figure.waitFor();
  await expect(figure.locator('[data-was]')).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/off=2h3\.2f/u);

  // A finger that rests on a tile takes its whole block.
  await page.setViewportSize({ width: 360, height: 780 });
  const tile = figure.locator('[data-tile^="3."]').first();
  await tile.scrollIntoViewIfNeeded();
  await tile.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  await expect(page).toHaveURL(/off=2h3\.2f\.4/u);
  await expectWithout(figure, [
    { layer: 1, head: 2 },
    { layer: 1, part: 'feedForward' },
    { layer: 3 },
  ]);
  await expectFits(page);
});

/** As many digits as the page shows. */
const shownDigits = 1e-5;

test('the program that is taken along finds the same in PyTorch, with all parts and without some', async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const python = findPythonWith('torch');
  test.skip(!python, 'PyTorch is not installed');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const die = (await nextOf(await shipped, {
    ...{ text: openingText, then: [], seed: openingSeed },
    sampling: openingSampling,
  }))!;
  for (const query of ['', '?off=2h3.3a.5f&topK=40&minP=0.01&temperature=1.2', '?temperature=0']) {
    await opened(page, query);
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.locator('[data-take="model"]').getByRole('button', { name: 'PyTorch' }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('largest difference');
    const code = await copied();
    const run = spawnSync(python!, ['-c', code, folder], { encoding: 'utf8' });
    expect(run.stderr, code.slice(0, 20_000)).toBe('');
    const [, apart] = /largest difference: (\S+)/u.exec(run.stdout)!;
    expect(Number(apart), `${query}\n${run.stdout}`).toBeLessThanOrEqual(shownDigits);
    const [, number, token] = /the die: (\S+), token (\d+)/u.exec(run.stdout)!;
    if (query !== '') continue;
    expect(Number(number)).toBe(die.number);
    expect(Number(token)).toBe(die.drawn!.id);
  }
});
