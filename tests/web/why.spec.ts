// "Why this number": the equation holds, its sources are lit, and keyboard, pointer and pin work.
import { boxOf } from './box.ts';
import { expect, numberOf, test, type AttendPage } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { placeOf } from './places.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const symbol = (id: string) => message(`attend.symbols.${id}`);

/** The factors of the equation, in pairs. */
async function products(attend: AttendPage, left: string, right: string): Promise<number[][]> {
  await expect(attend.why).toHaveAttribute('data-why', 'scores'); // once what reads the graph is there
  const factors = (role: string) =>
    attend.why.locator(`.equation > span.role-${role}:not(:first-child)`).allTextContents();
  const [a, b] = [await factors(left), await factors(right)];
  expect(a.length).toBe(b.length);
  return a.map((text, i) => [numberOf(text), numberOf(b[i].replace(/[()]/g, ''))]);
}

async function value(attend: AttendPage): Promise<number> {
  return numberOf((await attend.why.locator('[data-value]').textContent())!);
}

test('the terms of a score add up to it', async ({ attend }) => {
  await attend.open({ head: 'previous', step: 'scores' });
  for (const [row, col] of [
    [4, 3],
    [7, 0],
    [2, 5],
  ]) {
    await attend.point('scores', row, col, false);
    const pairs = await products(attend, 'q', 'k');
    expect(pairs.length).toBeGreaterThan(2);
    const sum = pairs.reduce((total, [a, b]) => total + a * b, 0);
    // Each factor is written to three or four digits.
    expect(sum).toBeCloseTo(await value(attend), 0);
  }
});

test('every kind of cell has its reason', async ({ attend }) => {
  await attend.open({ text: 'the cat the', step: 'x' });
  const why = (key: string, values: Record<string, string | number> = {}) =>
    messagePattern(`attend.why.${key}`, values);
  /** W_Q is shown with Q as a subscript. */
  const plain = (key: string) => message(`attend.why.${key}`).replace('_', '');
  const reasons: [string, string, number, number, string | RegExp][] = [
    ['X', 'x', 1, 0, why('one')],
    ['X', 'x', 1, 5, why('who.sideways', { token: 'cat', id: 1, digits: '001', digit: 1 })],
    ['X', 'x', 2, 9, why('where.sideways', { period: 16, place: 2 })],
    ['Q', 'wq', 0, 7, why('weight')],
    ['Q', 'q', 1, 1, plain('q')],
    ['K', 'k', 1, 1, plain('k')],
    ['V', 'v', 1, 1, plain('v')],
    ['Scores', 'scores', 1, 0, why('scores')],
    ['Scaled', 'scaled', 1, 0, why('scaled', { d: 6 })],
    ['Masked', 'masked', 1, 0, why('maskedOpen')],
    ['Masked', 'masked', 0, 2, why('maskedHidden')],
    ['Weights', 'weights', 1, 0, why('weights')],
    ['Weights', 'weights', 0, 2, why('weightHidden')],
    ['Output', 'output', 1, 1, why('output')],
  ];
  for (const [step, id, row, col, reason] of reasons) {
    await attend.step(step);
    await attend.point(id, row, col, false);
    await expect(attend.why, `${id}[${row}, ${col}]`).toContainText(reason);
  }
});

test('the sources of a cell light up', async ({ attend }) => {
  await attend.open({ step: 'scores' });
  await attend.point('scores', 4, 3, false);
  for (const id of ['q', 'k']) await expect(attend.matrix(id).locator('.mark')).toHaveCount(1);
  const mark = (await attend.matrix('q').locator('.mark').boundingBox())!;
  const first = (await attend.cell('q', 4, 0).boundingBox())!;
  const last = (await attend.cell('q', 4, 5).boundingBox())!;
  expect(mark.x).toBeCloseTo(first.x, 0);
  expect(mark.y).toBeCloseTo(first.y, 0);
  expect(mark.x + mark.width).toBeCloseTo(last.x + last.width, 0);
});

test('a click pins, another cell does not steal it, Escape frees', async ({ attend, page }) => {
  await attend.open({ step: 'weights' });
  await attend.point('weights', 4, 3);
  await expect(attend.why).toContainText(`${symbol('weights')}[dog, the₄]`);
  await attend.point('weights', 6, 1, false);
  await expect(attend.why).toContainText(`${symbol('weights')}[dog, the₄]`);
  await expect(page).toHaveURL(/pin=weights\.4\.3/);
  // The hovered number is shown beside its cell, for comparison, and covers neither.
  const beside = page.locator('[data-beside="other"]');
  await expect(beside).toContainText(`${symbol('weights')}[the₇, cat₂]`);
  await page.setViewportSize({ width: 1440, height: 900 }); // so that there is no room below
  await attend.point('weights', 6, 2, false);
  await attend.point('weights', 6, 1, false);
  const box = (await beside.boundingBox())!;
  for (const [row, col] of [
    [4, 3],
    [6, 1],
  ]) {
    const cell = (await attend.cell('weights', row, col).boundingBox())!;
    const gaps = [box.y - cell.y - cell.height, cell.y - box.y - box.height];
    gaps.push(box.x - cell.x - cell.width, cell.x - box.x - box.width);
    expect(Math.max(...gaps)).toBeGreaterThan(0);
    if (row === 6) expect(Math.max(...gaps)).toBeLessThan(16);
  }
  await page.locator('#steps h2, h1').first().click();
  await expect(page).not.toHaveURL(/pin/);
  await attend.point('weights', 4, 3);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/pin/);
  await attend.point('weights', 6, 2, false);
  await expect(attend.why).toContainText(`${symbol('weights')}[the₇, saw]`);
});

test('on a phone the box never lies over the cell that was tapped', async ({ browser }) => {
  const context = await browser.newContext({
    viewport: { width: 360, height: 640 },
    hasTouch: true,
  });
  const page = await context.newPage();
  await page.goto(placeOf('attend?step=weights'));
  const cell = page.locator('#cell-weights-7-2');
  await cell.evaluate((element) => element.scrollIntoView({ block: 'end' }));
  const { x, y } = (await cell.boundingBox())!;
  await page.touchscreen.tap(x + 9, y + 9);
  const why = page.locator('#steps .why');
  await expect(why).toContainText(`${symbol('weights')}[cat₈, saw]`);
  await expect(async () => {
    const [over, under] = [(await why.boundingBox())!, (await cell.boundingBox())!];
    expect(under.y + under.height).toBeLessThanOrEqual(over.y);
    expect(over.y + over.height).toBeLessThanOrEqual(640);
    expect(under.y).toBeGreaterThan(0);
  }).toPass();
  await context.close();
});

test('a pin goes along from scores to weights', async ({ attend, page }) => {
  await attend.open({ step: 'scores', pin: 'scores.4.3' });
  await attend.step('Weights');
  await expect(page).toHaveURL(/pin=weights\.4\.3/);
});

test('by keyboard: one tab stop a matrix, arrows, Home, End, Enter, Escape', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'weights' });
  const grid = attend.grid('weights');
  await attend.grid('masked').focus();
  await page.keyboard.press('Tab');
  await expect(grid).toBeFocused();
  await expect(attend.why).toContainText(`${symbol('weights')}[the₁, the₁]`);
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'End', 'ArrowLeft', 'ArrowUp']) {
    await page.keyboard.press(key);
  }
  await expect(grid).toHaveAttribute('aria-activedescendant', 'cell-weights-1-6');
  await expect(attend.cell('weights', 1, 6)).toHaveAttribute(
    'aria-label',
    messagePattern('figures.cellHidden', { row: 'cat₂', col: 'the₇' }),
  );
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/pin=weights\.1\.0/);
  await page.keyboard.press('ArrowDown');
  await expect(page).toHaveURL(/pin=weights\.2\.0/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/pin/);
});

test('a resting mouse takes nothing from the keys, a moved one does', async ({ attend, page }) => {
  await attend.open({ step: 'weights' });
  const grid = attend.grid('weights');
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await expect(grid).toHaveAttribute('aria-activedescendant', 'cell-weights-1-0');
  const { x, y } = await boxOf(attend.cell('weights', 4, 3));
  // Browsers report a move of 0 pixels when the page scrolls below the mouse.
  await grid.dispatchEvent('pointermove', { clientX: x + 4, clientY: y + 4, pointerType: 'mouse' });
  await expect(grid).toHaveAttribute('aria-activedescendant', 'cell-weights-1-0');
  await attend.cell('weights', 4, 3).hover();
  await expect(grid).toHaveAttribute('aria-activedescendant', 'cell-weights-4-3');
});

test('in a transposed matrix arrows move as seen', async ({ attend, page }) => {
  await attend.open({ step: 'scores' });
  await attend.grid('k').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(attend.grid('k')).toHaveAttribute('aria-activedescendant', 'cell-k-2-1');
});

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true, viewport: { width: 360, height: 740 } });
  test('a tap says why', async ({ attend }) => {
    await attend.open({ step: 'weights' });
    await attend.cell('weights', 1, 0).scrollIntoViewIfNeeded();
    await attend.cell('weights', 1, 0).tap();
    await expect(attend.why).toContainText(`${symbol('weights')}[cat₂, the₁]`);
    await expect(attend.why).toBeInViewport();
  });
});
