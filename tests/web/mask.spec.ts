// Chapter "Mask": every rule implemented again, and the core's results for it in Node.
import { expectAnswer } from './asks.ts';
import { expectAccessible } from './axe.ts';
import { boxOf } from './box.ts';
import { edgeIn, hatchedIn, readHatch } from './hatch.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { positionOf, tril } from './oracle.ts';
import { headOf, input, size } from './oracles/mask.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'mask')),
});

/** A few roundings of scores up to 4: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 4;

async function scoresOf(rows: number[][]): Promise<number[][]> {
  const [q, k, v] = await headOf(rows);
  return rowsOf((await tril()).attention(q, k, v, { trace: true }).trace.scores);
}

type Sees = (query: number, key: number) => boolean;
const rules: Record<string, { query: Record<string, string>; sees: Sees }> = {
  none: { query: { rules: '' }, sees: () => true },
  causal: { query: {}, sees: (t, s) => s <= t },
  padding: { query: { rules: 'padding', length: '5' }, sees: (_, s) => s < 5 },
  window: {
    query: { rules: 'window', left: '1', right: '2' },
    sees: (t, s) => s >= t - 1 && s <= t + 2,
  },
  'causal and strided': {
    query: { rules: 'causal,strided', local: '2', stride: '3' },
    sees: (t, s) => s <= t && (t - s < 2 || (t - s) % 3 === 0),
  },
};

const softmax = (scores: number[]) => {
  const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
  const sum = powers.reduce((total, power) => total + power);
  return powers.map((power) => power / sum);
};
const square = (cell: (t: number, s: number) => number) =>
  Array.from({ length: size }, (_, t) => Array.from({ length: size }, (__, s) => cell(t, s)));

test('every rule: mask, masked scores, weights, output', async ({ lesson }) => {
  const scores = await scoresOf(input);
  const [, , v] = await headOf(input);
  const values = rowsOf(v);
  for (const { query, sees } of Object.values(rules)) {
    const masked = square((t, s) => (sees(t, s) ? scores[t][s] : -Infinity));
    const weights = masked.map(softmax);
    const output = weights.map((row) =>
      values[0].map((_, c) => row.reduce((sum, weight, s) => sum + weight * values[s][c], 0)),
    );
    await lesson.open(query);
    await lesson.expectDrawn(
      'mask',
      square((t, s) => (sees(t, s) ? 0 : -Infinity)),
    );
    await lesson.expectDrawn('scores', scores, rounding);
    await lesson.expectDrawn('masked', masked, rounding);
    await lesson.expectDrawn('weights', weights, rounding);
    await lesson.expectDrawn('values', values, rounding);
    await lesson.expectDrawn('output', output, rounding);
  }
});

test('what is hidden is one hatched area, and says what it holds when it is pointed at', async ({
  lesson,
  page,
}) => {
  const matrix = (id: string) => page.locator(`[data-matrix="${id}"]`);
  const holds = { mask: '−∞', masked: '−∞', weights: '0' };
  for (const [name, { query, sees }] of Object.entries(rules)) {
    await lesson.open(query);
    await lesson.drawn('weights');
    // The sides of cells with a hidden cell on one side only.
    const hides = (t: number, s: number) => t >= 0 && t < size && s >= 0 && s < size && !sees(t, s);
    const places = Array.from({ length: (size + 1) ** 2 }, (_, i) => [
      Math.floor(i / (size + 1)),
      i % (size + 1),
    ]);
    const sides = places.reduce(
      (sum, [t, s]) =>
        sum + Number(hides(t, s) !== hides(t - 1, s)) + Number(hides(t, s) !== hides(t, s - 1)),
      0,
    );
    for (const id of Object.keys(holds)) {
      const found = await readHatch(matrix(id));
      if (name === 'none') {
        expect(found, id).toBeNull();
        continue;
      }
      const pixels = hatchedIn(found!);
      const hatched = square((t, s) => Number(pixels(t, s) > 1));
      expect(hatched, `${id}, ${name}`).toEqual(square((t, s) => Number(!sees(t, s))));
      expect(edgeIn(found!), `edge of ${id}, ${name}`).toBeCloseTo(sides, 1);
    }
  }
  await lesson.open();
  for (const [id, digits] of Object.entries(holds)) {
    await expect(lesson.cell(id, 2, 5)).toHaveText('');
    const { x, y, width } = await boxOf(lesson.cell(id, 2, 5));
    await page.mouse.move(x + width / 2, y + width / 2);
    await expect(matrix(id).locator('[data-peek]')).toHaveText(digits);
    await expect(lesson.cell(id, 2, 5)).toHaveAttribute(
      'aria-label',
      messagePattern('figures.cellHidden'),
    );
    const seen = await boxOf(lesson.cell(id, 5, 2));
    await page.mouse.move(seen.x + width / 2, seen.y + width / 2);
    await expect(matrix(id).locator('[data-peek]')).toHaveCount(0);
    // The keyboard does the same.
    await page.mouse.move(0, 0);
    await matrix(id).getByRole('grid').focus();
    await page.keyboard.press('End');
    await expect(matrix(id).locator('[data-peek]')).toHaveText(digits);
    await page.keyboard.press('Escape');
  }
});

test('other ways to hide, and what leaks', async ({ lesson, page }) => {
  const scores = await scoresOf(input);
  const { sees } = rules.causal;
  const leaks = async () =>
    page
      .locator('[data-leak]')
      .evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.leak)));
  const zeros = square((t, s) => (sees(t, s) ? scores[t][s] : 0));
  await lesson.open({ hide: 'zero' });
  await lesson.expectDrawn('masked', zeros, rounding);
  await lesson.expectDrawn('weights', zeros.map(softmax), rounding);
  const leaked = zeros
    .map(softmax)
    .map((row, t) => row.reduce((sum, weight, s) => sum + (sees(t, s) ? 0 : weight), 0));
  const drawn = await leaks();
  expect(drawn).toHaveLength(size);
  for (const [t, leak] of drawn.entries()) {
    expect(Math.abs(leak - leaked[t])).toBeLessThan(rounding);
  }
  await expect(page.locator('[data-verdict]')).toContainText(messagePattern('mask.verdicts.leaks'));

  await page.getByRole('radio', { name: message('mask.hide.names.after') }).click();
  const whole = scores.map(softmax);
  await lesson.expectDrawn(
    'weights',
    square((t, s) => (sees(t, s) ? whole[t][s] : 0)),
    rounding,
  );
  expect(await leaks()).toEqual(Array(size).fill(0));
  await expect(page.locator('[data-verdict]')).toContainText(messagePattern('mask.verdicts.short'));
});

test('a row that sees nothing: zeros, no NaN; with −10⁹ everything comes back', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  await page.getByRole('button', { name: message('mask.examples.names.empty') }).click();
  await expect(page.locator('[data-verdict]')).toContainText(messagePattern('mask.verdicts.empty'));
  expect((await lesson.drawn('weights'))[0]).toEqual(Array(size).fill(0));
  expect((await lesson.drawn('output'))[0]).toEqual([0, 0, 0, 0]);
  expect((await lesson.drawn('output')).flat().some(Number.isNaN)).toBe(false);
  await expect(page.locator('#masks .why')).toContainText('−∞ − (−∞) = NaN');
  await page.getByRole('radio', { name: message('mask.hide.names.large') }).click();
  await expect(async () => {
    expect((await lesson.drawn('weights'))[0]).toEqual(Array(size).fill(1 / size));
  }).toPass();
  await expect(page.locator('[data-verdict]')).toContainText(messagePattern('mask.verdicts.leaks'));
});

test('drawn by click, stroke and keyboard; the address holds it, undo takes it back', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const hidden = square((t, s) => (s <= t ? 0 : -Infinity));
  await lesson.point('mask', 4, 1);
  hidden[4][1] = -Infinity;
  await lesson.expectDrawn('mask', hidden);
  await expect(
    page.getByRole('button', { name: message('mask.rules.names.drawn') }),
  ).toHaveAttribute('aria-pressed', 'true');

  const [from, to] = [lesson.cell('mask', 0, 5), lesson.cell('mask', 0, 7)];
  const b = await boxOf(to);
  const a = await boxOf(from);
  await page.mouse.move(a.x + 9, a.y + 9);
  await page.mouse.down();
  await page.mouse.move(b.x + 9, b.y + 9, { steps: 12 });
  await page.mouse.up();
  for (const col of [5, 6, 7]) hidden[0][col] = 0;
  await lesson.expectDrawn('mask', hidden);

  await page.locator('[data-matrix="mask"] [role="grid"]').focus();
  await page.keyboard.press('Home');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  hidden[2][0] = -Infinity;
  await lesson.expectDrawn('mask', hidden);

  await page.getByRole('button', { name: message('shell.undo') }).click();
  hidden[2][0] = 0;
  await lesson.expectDrawn('mask', hidden);
  await page.goForward();
  hidden[2][0] = -Infinity;
  await lesson.expectDrawn('mask', hidden);
  // The last step changed the output of the third row, and nothing else.
  const marked = page.locator('[data-matrix="weights"] .changed');
  await expect(async () => {
    const rows = await marked.evaluateAll((cells) =>
      cells.map((cell) => (cell as HTMLElement).dataset.row),
    );
    expect([...new Set(rows)]).toEqual(['2']);
  }).toPass();

  await expect(page).toHaveURL(/drawn=8\.[0-9a-f]{16}/);
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await lesson.expectDrawn('mask', hidden);
});

test('a finger paints, and the page stays where it is', async ({ lesson, page }) => {
  await lesson.open();
  await lesson.drawn('mask');
  const client = await page.context().newCDPSession(page);
  const centre = async (row: number, col: number) => {
    const box = (await page.locator(`#cell-mask-${row}-${col}`).boundingBox())!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const touch = (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    touchPoints: { x: number; y: number }[],
  ) => client.send('Input.dispatchTouchEvent', { type, touchPoints });
  await page.locator('#cell-mask-7-1').scrollIntoViewIfNeeded();
  const from = await page.evaluate(() => scrollY);
  await touch('touchStart', [await centre(7, 1)]);
  for (const row of [6, 5, 4, 3]) await touch('touchMove', [await centre(row, 1)]);
  await touch('touchEnd', []);
  await lesson.expectDrawn(
    'mask',
    square((t, s) => (s > t || (s === 1 && t >= 3 && t <= 7) ? -Infinity : 0)),
  );
  expect(await page.evaluate(() => scrollY)).toBe(from);
});

test('quick taps count, the second one at a cell as well', async ({ lesson, page }) => {
  await lesson.open();
  await lesson.drawn('mask');
  const taps = ['4-1', '5-1', '6-1', '6-1', '7-1'];
  await page.evaluate(async (cells) => {
    for (const cell of cells) {
      const element = document.getElementById(`cell-mask-${cell}`)!;
      const { left, top } = element.getBoundingClientRect();
      const at = {
        ...{ bubbles: true, clientX: left + 9, clientY: top + 9 },
        ...{ pointerType: 'touch', isPrimary: true },
      };
      element.dispatchEvent(new PointerEvent('pointerdown', at));
      element.dispatchEvent(new PointerEvent('pointerup', at));
      // The page draws its own state; no answer of the Worker arrives in between.
      await Promise.resolve();
    }
  }, taps);
  const hidden = square((t, s) => (s > t || (s === 1 && [4, 5, 7].includes(t)) ? -Infinity : 0));
  await lesson.expectDrawn('mask', hidden);
  await expect(page).toHaveURL(/rules=drawn/);
});

test('the future overwritten: the same bits under a causal mask, and where they differ', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const before = await lesson.drawn('before');
  await page.getByRole('button', { name: message('mask.future.do') }).click();
  await expect(page.locator('[data-lost]')).toHaveAttribute('data-lost', '0');
  const after = await lesson.drawn('after');
  expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
  for (const row of [5, 6, 7]) expect(after[row]).not.toEqual(before[row]);

  const core = await tril();
  const other = rowsOf(core.randomNormal([size, 13], { seed: 1 }));
  const [q, k, v] = await headOf(input.map((row, t) => (t < 5 ? row : other[t])));
  const { output } = core.attention(q, k, v, { causal: true, trace: true });
  await lesson.expectDrawn('after', rowsOf(output), 1e-4);

  for (const [query, lost] of [
    [{ garbage: 'huge' }, 0],
    [{ garbage: 'nan' }, 0], // with so few queries, hidden keys are not read
    [{ hide: 'after' }, 5],
    [{ rules: '' }, 5],
    [{ rules: 'window', left: '1', right: '1' }, 1],
  ] as const) {
    await lesson.open({ overwritten: 'true', ...query });
    await expect(page.locator('[data-lost]')).toHaveAttribute('data-lost', String(lost));
  }
});

test('blocks: which are skipped, and how much of the others may be seen', async ({
  lesson,
  page,
}) => {
  const tokens = 512;
  const patterns: Record<string, Sees> = {
    full: () => true,
    causal: (t, s) => s <= t,
    window: (t, s) => s <= t && s >= t - 255,
    strided: (t, s) => s <= t && (t - s < 64 || (t - s) % 64 === 0),
    padding: (_, s) => s < tokens / 2,
  };
  for (const [pattern, sees] of Object.entries(patterns)) {
    const seen = Array.from({ length: tokens / 64 }, (_, row) =>
      Array.from({ length: tokens / 128 }, (__, col) => {
        let pairs = 0;
        for (let t = 64 * row; t < 64 * (row + 1); ++t) {
          for (let s = 128 * col; s < 128 * (col + 1); ++s) pairs += Number(sees(t, s));
        }
        return pairs / (64 * 128);
      }),
    );
    await lesson.open({ pattern });
    await lesson.expectDrawn('blocks', seen, 1e-6);
    const skipped = seen.flat().filter((share) => share === 0).length;
    await expect(page.locator('[data-skipped]')).toHaveAttribute('data-skipped', String(skipped));
    await expect(page.locator('#blocks .said')).toContainText(messagePattern('mask.blocks.scores'));
  }
});

test('questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#masks .ask');
  await ask.getByRole('button', { name: 'cat₈' }).click();
  await expectAnswer(ask, 'right');
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: 'NaN' }).click();
  await expectAnswer(ask, 'wrong');
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: message('mask.ask.choices.even') }).click();
  await expect(ask).toContainText(
    message('mask.ask.largeSays.even', { count: 8, weight: '0.125' }),
  );
  const future = page.locator('#future .ask');
  await future.getByRole('button', { name: message('mask.future.none') }).click();
  await expect(future).toContainText(
    message('mask.future.says.right', {
      ...{ changed: 0, rows: 5 },
      why: message('mask.future.reasons.infinity'),
    }),
  );
});

test('fits any width with the longest text', async ({ lesson, page }) => {
  const text = Array.from({ length: 14 }, (_, i) => `Donaudampfschiff${i}`).join(' ');
  await lesson.open({ text, rules: 'causal,padding,window,strided' });
  await page.locator('[data-skipped]').waitFor();
  await expectFits(page);
});

test('a broken link says so, and numbers are words of their own', async ({ lesson, page }) => {
  await lesson.open({
    drawn: '8.xyz',
    rules: 'causal,causal',
    by: 'numbers',
    text: '1 2\n3 4\n5 6',
  });
  await expect(page.getByText('drawn=8.xyz')).toBeVisible();
  await expect(page.getByText('rules=causal,causal')).toBeVisible();
  const rows = [
    [1, 2],
    [3, 4],
    [5, 6],
  ].map((row, place) => [1, ...row, ...positionOf(place)]);
  await lesson.expectDrawn('scores', await scoresOf(rows), 1e-5);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectAccessible(page);
});
