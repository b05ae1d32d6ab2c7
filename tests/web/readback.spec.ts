// Reads back every default matrix of every chapter: the visible digits and the accessible ones are the numbers that the
// package computes in Node, and each cell has its own position, size, strength and colour.
import { expectSquares, expectThumb } from './canvas.ts';
import { expectMatrix, expectPlaces, readMatrices, spokenOf } from './drawn.ts';
import { expect, test } from './fixtures.ts';
import { hatchedIn, readHatch } from './hatch.ts';
import { rowsOf } from './lessons.ts';
import { openings } from './opening.ts';
import { chapter, contentOf, idsOf, tril, type Matrices } from './oracle.ts';
import { blockOf, ids as blockIds, inputOf } from './oracles/block.ts';
import { circuit, ids } from './oracles/heads.ts';
import { chapters, open } from './reach.ts';
import { still } from './settled.ts';

for (const { id } of chapters) {
  test(`every matrix is drawn as the core has it: ${id}`, async ({ page }) => {
    const { numbers, largest } = openings[id];
    const expected = await numbers(await tril());
    const rounding = 64 * 2 ** -24 * largest;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id);
    const shown = page.locator('main [data-matrix]:visible');
    const seen = async () => new Set((await readMatrices(shown)).map(({ id }) => id));
    await expect.poll(seen).toEqual(new Set(Object.keys(expected)));
    await still(page);
    const matrices = await readMatrices(shown);
    for (const matrix of matrices) {
      const rows = expected[matrix.id];
      expect(matrix.cells, matrix.id).toHaveLength(rows.flat().length);
      for (const cell of matrix.cells) {
        const [spoken, value] = [spokenOf(cell), rows[cell.row][cell.col]];
        const place = `${matrix.id}[${cell.row}, ${cell.col}]: ${spoken}, core ${value}`;
        if (!Number.isFinite(value)) expect(spoken, place).toBe(value);
        // Enough digits to tell float32 numbers apart.
        else
          expect(Math.abs(spoken - value), place).toBeLessThanOrEqual(
            rounding + 1e-7 * Math.abs(value),
          );
      }
      expectMatrix(matrix, ({ row, col }) => rows[row][col], rounding);
      expectPlaces(matrix);
    }
  });
}

/** Scores share a scale, so that scaling is visible. */
const endOf = (numbers: Matrices, id: string) =>
  id === 'weights'
    ? 1
    : Math.max(...numbers[['scaled', 'masked'].includes(id) ? 'scores' : id].flat().map(Math.abs));

/** Three tokens of a text, with the head "average": matrices that fit a thumbnail. */
const few = ['one', 'two', 'three'];

test('small pictures of the steps have the core’s numbers', async ({ attend, page }) => {
  const numbers = await chapter({
    content: idsOf(few).map(contentOf),
    ...({ head: 'same', causal: true, tokens: true } as const),
  });
  await attend.open({ text: few.join(' '), head: 'same' });
  const steps = ['x', 'q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'output'] as const;
  const pictures = page.locator('#steps ol canvas');
  await expect(pictures).toHaveCount(steps.length);
  const roles: Partial<Record<string, string>> = {
    ...{ x: 'x', q: 'q', k: 'k', v: 'v', weights: 'weight', output: 'v' },
  };
  for (const [i, id] of steps.entries()) {
    const rows = numbers[id];
    await expectThumb(pictures.nth(i), rows, {
      role: roles[id] ?? 'score',
      end: endOf(numbers, id),
      hidden: (row, col) => (id === 'masked' || id === 'weights') && col > row,
    });
  }
});

test('small pictures of all heads have the core’s weights', async ({ page }) => {
  await open(page, 'heads');
  const layers = await circuit([...ids], true);
  for (const [l, layer] of layers.entries()) {
    for (const [h, { weights }] of layer.entries()) {
      await expectThumb(page.locator(`[data-head="${l + 1}.${h + 1}"] canvas`), rowsOf(weights), {
        ...{ role: 'weight', end: 1 },
        hidden: (row, col) => col > row,
      });
    }
  }
});

test('a large matrix on a canvas has the core’s numbers', async ({ attend, page }) => {
  const tokens = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const numbers = await chapter({
    content: idsOf(tokens).map(contentOf),
    ...({ head: 'previous', causal: true, tokens: true } as const),
  });
  await page.setViewportSize({ width: 900, height: 900 });
  for (const [step, role] of [
    ['weights', 'weight'],
    ['scaled', 'score'],
  ] as const) {
    await attend.open({ text: tokens.join(' '), head: 'previous', step });
    const rows = numbers[step];
    await expectSquares(attend.grid(step).locator('canvas'), rows, {
      role,
      end: endOf(numbers, step),
      hidden: (row, col) => step === 'weights' && col > row,
    });
    const hatch = await readHatch(attend.matrix(step));
    if (step === 'scaled') {
      expect(hatch).toBeNull();
      continue;
    }
    const pixels = hatchedIn(hatch!);
    const hatched = rows.map((row, t) => row.map((_, s) => pixels(t, s) > 1));
    expect(hatched).toEqual(rows.map((row, t) => row.map((_, s) => s > t)));
  }
});

test('bars of the activations are as long as the core counts zeros', async ({ page }) => {
  await open(page, 'block');
  const core = await tril();
  const { trace } = blockOf(core, inputOf(core, blockIds, true), 'post');
  const { hidden } = trace;
  const bars = page.locator('[data-figure="activations"] .bar');
  const activations = { relu: core.relu(hidden), gelu: core.gelu(hidden), silu: core.silu(hidden) };
  await expect(bars).toHaveCount(3);
  for (const [i, activated] of Object.values(activations).entries()) {
    const values = [...activated.read()];
    const share = values.filter((value) => value === 0).length / values.length;
    const [zeros, whole] = await bars.nth(i).evaluate((bar) => {
      const parts = [...bar.children].map((part) => part.getBoundingClientRect().width);
      return [parts[0], parts.reduce((sum, part) => sum + part)];
    });
    expect(Math.abs(zeros / whole - share), Object.keys(activations)[i]).toBeLessThan(0.01);
  }
});
