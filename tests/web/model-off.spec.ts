// Chapter "Model" with heads and other parts switched off on the roll: tiles, bars and their former values, against the
// package in Node with the same changes; and the exported program, run on the shipped files.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import type { Without } from 'tril/training';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { expectAccessible } from './axe.ts';
import { expectBars } from './bars.ts';
import { expect, test } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { takeOf } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { nextOf, openedOf, opening, readOf } from './oracles/model.ts';
import { placeOf } from './places.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const folder = fileURLToPath(new URL('../../models/gpt/', import.meta.url));
const shipped = openedOf('models/gpt');
/** Another variant adds up in another order. */
const allowed = 1e-4;
const near = (found: number, expected: number, what: string, within = allowed) =>
  expect(Math.abs(found - expected), `${what}: ${found}, core ${expected}`).toBeLessThanOrEqual(
    within,
  );

type Data = Readonly<Record<string, string | undefined>>;
const dataOf = (all: Locator): Promise<Data[]> =>
  all.evaluateAll((found) => found.map((one) => ({ ...(one as HTMLElement).dataset })));

async function opened(page: Page, query = ''): Promise<Locator> {
  await page.goto('about:blank');
  await page.goto(placeOf(`model${query}`));
  await expect(page.locator('.load[data-model="closed"]')).toHaveCount(1);
  await page.getByRole('button', { name: messagePattern('model.load.button') }).click();
  const figure = page.locator('[data-figure="model"][data-live="true"][data-current="true"]');
  await figure.waitFor({ timeout: 60_000 });
  return figure;
}

/** Expects all tiles, bars and ghosts to be those of the model without these parts. */
async function expectWithout(figure: Locator, without: readonly Without[]): Promise<void> {
  await figure.waitFor();
  const here = await shipped;
  const changed = { ...opening, changes: { without: [...without] } };
  const [before, now] = [readOf(here, opening), readOf(here, changed)];
  const is = nextOf(here, changed);
  for (const { tile, token, p, was: old, wasP } of await dataOf(figure.locator('[data-tile]'))) {
    const [block, place] = tile!.split('.').map(Number);
    const [here_, there] = [now.best[block][place], before.best[block][place]];
    expect(Number(token), tile).toBe(here_.id);
    near(Number(p), here_.p, `tile ${tile}`);
    expect(Number(old), tile).toBe(there.id);
    near(Number(wasP), there.p, `tile ${tile} before`);
  }
  const bars = await dataOf(figure.locator('[data-bar]'));
  expect(bars.map(({ bar }) => Number(bar))).toEqual(is.shown);
  for (const [i, { left, before: old }] of bars.entries()) {
    near(Number(left), is.left[is.shown[i]], `bar ${i}`);
    near(Number(old), is.before![is.shown[i]], `ghost ${i}`);
  }
  const of = (shares: readonly number[]) => is.shown.map((id) => shares[id]);
  const end = Math.max(...[is.plain, is.warm, is.left, is.before!].flatMap(of));
  await expectBars(figure.locator('[data-bar] .track .left'), of(is.left), { end });
  await expectBars(figure.locator('[data-bar] .track .before'), of(is.before!), { end });
  expect(Number(await figure.locator('[data-number]').getAttribute('data-drawn'))).toBe(
    is.drawn.id,
  );
}

/**
 * Expects a head's arc to end in the middle of the column with its largest weight; a larger weight makes it wider and
 * darker.
 */
async function expectArc(figure: Locator, head: number, row: readonly number[]): Promise<void> {
  const most = Math.max(...row);
  const arc = figure.locator('.arcs path:not(.stem)').nth(head);
  const [wide, strong] = await Promise.all(
    ['stroke-width', 'opacity'].map(async (name) => Number(await arc.getAttribute(name))),
  );
  near(wide, 0.5 + 5 * most, `width of arc ${head}`, 0.006);
  near(strong, 0.25 + 0.6 * most, `strength of arc ${head}`, 0.006);
  const { end, from, column } = await arc.evaluate((path: SVGPathElement) => {
    const all = path.ownerSVGElement!;
    const { left, width } = all.getBoundingClientRect();
    const at = path.getPointAtLength(path.getTotalLength());
    const columns = [...all.closest('.roll')!.querySelectorAll('[data-place]')];
    return {
      end: left + (at.x / all.viewBox.baseVal.width) * width,
      from: at.y,
      column: columns.map((one) => {
        const box = one.getBoundingClientRect();
        return [box.left, box.right];
      }),
    };
  });
  const [left, right] = column[row.indexOf(most)];
  expect(end, `arc ${head}`).toBeGreaterThan(left);
  expect(end, `arc ${head}`).toBeLessThan(right);
  expect(Math.abs(end - (left + right) / 2), `arc ${head}`).toBeLessThan(3);
  expect(from, `arc ${head}`).toBe(0);
}

test('a head is switched off on the roll: tiles, bars and ghosts are the core’s', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const figure = await opened(page, '?block=2&place=6');
  const { weights, ids } = readOf(await shipped, opening);
  // The heads of block 2, and the largest weight of each at the sixth token.
  const heads = figure.locator('[data-head]');
  for (const [head, { head: id, to, weight }] of (await dataOf(heads)).entries()) {
    expect(id).toBe(`2.${head + 1}`);
    const row = weights[1][head][5].slice(0, 6);
    expect(Number(to)).toBe(row.indexOf(Math.max(...row)));
    near(Number(weight), Math.max(...row), `head ${head}`);
    await expectArc(figure, head, row);
  }
  await heads.nth(2).click();
  await expect(page).toHaveURL(/off=2h3/u);
  await expect(heads.nth(2)).toHaveAttribute('aria-pressed', 'true');
  await expectWithout(figure, [{ layer: 1, head: 2 }]);

  // Keyboard: the feed-forward part as well, then everything back on; and undo, step by step.
  const roll = page.getByRole('grid', { name: messagePattern('model.open.roll') });
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
    await expect(best).toHaveCount(weights.length * ids.length);
  }
  await expectAccessible(page, '#open');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: message('model.off.back') }).click();
  await expect(page).not.toHaveURL(/off=/u);
  await figure.waitFor();
  await expect(figure.locator('[data-was]')).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(/off=2h3\.2f/u);

  // Holding a finger on a tile selects its whole block.
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

/** The precision of the displayed digits. */
const shownDigits = 1e-5;

test(
  'the program that is taken along finds the same in PyTorch, with all parts and without some',
  weekly(),
  async ({ page, context }) => {
    test.setTimeout(180_000);
    const python = findPythonWith('torch');
    test.skip(!python, 'PyTorch is not installed');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const die = nextOf(await shipped, opening);
    for (const query of [
      '',
      '?off=2h3.3a.5f&topK=40&minP=0.01&temperature=1.2',
      '?temperature=0',
    ]) {
      await opened(page, query);
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await (
        await takeOf(page, 'model')
      )
        .getByRole('button', { name: message('figures.take.code.pytorch') })
        .click();
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
      expect(Number(token)).toBe(die.drawn.id);
    }
  },
);
