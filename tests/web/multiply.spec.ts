// Chapter "Multiply": every number that is drawn or counted, against the core's own in Node.
import { expectAnswer } from './asks.ts';
import { expectAccessible } from './axe.ts';
import { expectBars } from './bars.ts';
import { boxOf } from './box.ts';
import { readHeat, shownOf } from './drawn.ts';
import { expect, numberOf } from './fixtures.ts';
import { countOf, expectFits, rowsOf } from './lessons.ts';
import { metered, expectTimed } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { a, b, test } from './multiply-page.ts';
import { tril } from './oracle.ts';
import { weekly } from './weekly.ts';

const orders = ['ijk', 'jik', 'ikj', 'kij', 'jki', 'kji', 'blocked'] as const;
const text = (matrix: number[][]) => matrix.map((row) => row.join(',')).join(';');

for (const reading of ['dots', 'rows', 'columns', 'outer'] as const) {
  test(`read as ${reading}: every partial sum is the core's`, async ({ lesson, page }) => {
    const core = await tril();
    const { partial, output } = core.readProduct(core.tensor(a), core.tensor(b), { reading });
    const last = partial.shape[0];
    await lesson.open({ reading, step: '0' });
    await lesson.expectDrawn('a', a);
    await lesson.expectDrawn('b', b);
    const on = lesson
      .stepper('readings')
      .getByRole('button', { name: message('figures.player.step') });
    for (let step = 1; step <= last; ++step) {
      await on.click();
      await lesson.expectDrawn('c', rowsOf(partial, step - 1));
    }
    await expect(on).toBeDisabled();
    await lesson.expectDrawn('c', rowsOf(output));
    await expect(page).toHaveURL(new RegExp(`step=${last}`));
  });
}

test('plays from nothing to the whole product', async ({ lesson }) => {
  const core = await tril();
  await lesson.open({ reading: 'outer', step: '0' });
  await expect(lesson.figure('readings')).toHaveAttribute('data-done', '0');
  await lesson
    .stepper('readings')
    .getByRole('button', { name: message('figures.player.play') })
    .click();
  await expect(lesson.figure('readings')).toHaveAttribute('data-done', '4');
  await lesson.expectDrawn('c', rowsOf(core.matmul(core.tensor(a), core.tensor(b))));
});

test('says why: the terms that are in, and how many are not', async ({ lesson, page }) => {
  await lesson.open({ reading: 'outer', step: '2' });
  await lesson.point('c', 1, 1);
  const why = page.locator('#readings .why');
  await expect(why).toContainText('C[2, 2]');
  await expect(why).toContainText('3·1 + 1·3');
  await expect(why.locator('[data-value]')).toHaveText('6');
  await expect(why).toContainText(message('multiply.readings.partial', { done: 2, of: 4 }));
  await expect(page).toHaveURL(/pin=c\.1\.1/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/pin=/);
});

test('a number that is changed changes the product, and back undoes it', async ({
  lesson,
  page,
}) => {
  const core = await tril();
  await lesson.open({ step: '6' });
  await lesson.point('a', 0, 1);
  await page.locator('#readings .why input').fill('-2.5');
  await page
    .locator('#readings .why')
    .getByRole('button', { name: message('figures.why.set') })
    .click();
  const changed = a.map((row, r) => row.map((value, c) => (r === 0 && c === 1 ? -2.5 : value)));
  await lesson.expectDrawn('a', changed);
  await lesson.expectDrawn('c', rowsOf(core.matmul(core.tensor(changed), core.tensor(b))));
  await page.locator('#readings .why input').fill('x');
  await page.keyboard.press('Enter');
  await expect(page.getByText(message('figures.why.notANumber'))).toBeVisible();
  await page.getByRole('button', { name: message('shell.undo') }).click();
  await lesson.expectDrawn('a', a);
});

test('sizes change, and the product with them', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  for (let i = 0; i < 2; ++i)
    await page.getByRole('button', { name: message('multiply.readings.more.depth') }).click();
  await page.getByRole('button', { name: message('multiply.readings.less.rows') }).click();
  await page.getByRole('button', { name: message('multiply.readings.more.cols') }).click();
  const sizes = async () => {
    const [left, right] = [await lesson.drawn('a'), await lesson.drawn('b')];
    return [left.length, left[0].length, right[0].length];
  };
  await expect.poll(sizes).toEqual([2, 6, 3]);
  await lesson.stepper('readings').getByRole('slider').fill('6');
  await expect(lesson.figure('readings')).toHaveAttribute('data-done', '6');
  const [left, right] = [await lesson.drawn('a'), await lesson.drawn('b')];
  await lesson.expectDrawn('c', rowsOf(core.matmul(core.tensor(left), core.tensor(right))));
});

for (const order of orders) {
  test(
    `memory under ${order}: hits, misses and lines are the core's`,
    weekly(order, ['ijk', 'blocked']),
    async ({ lesson, page }) => {
      const core = await tril();
      const zeros = core.zeros([16, 16]);
      const options = { method: order, block: 4, cache: { lineBytes: 16, ways: 8 } };
      const { count, accesses, misses, lines } = core.traceProduct(zeros, zeros, options);
      for (const at of [1, 7, 1234, count]) {
        await lesson.open({ order, access: String(at) });
        await expect(lesson.figure('memory')).toHaveAttribute('data-done', String(at));
        const missed = [...misses.subarray(3 * (at - 1), 3 * at)];
        const sum = missed.reduce((x, y) => x + y);
        const shown = async (selector: string) =>
          countOf(await lesson.figure('memory').locator(selector).textContent());
        expect(await shown('[data-misses]')).toBe(sum);
        expect(await shown('[data-hits]')).toBe(at - sum);
        for (const [i, name] of ['A', 'B', 'C'].entries()) {
          expect(await shown(`[data-missed="${name}"]`)).toBe(missed[i]);
        }
        const [matrix, write, row, col, hit] = accesses.subarray(5 * (at - 1), 5 * at);
        await expect(page.locator('[data-access]')).toHaveText(
          `${write ? 'write' : 'read'} ${'ABC'[matrix]}[${row + 1}, ${col + 1}], ${hit ? 'hit' : 'miss'}`,
        );
        const held = [...lines.subarray(8 * (at - 1), 8 * at)].map((line) => {
          if (line < 0) return 'empty';
          const first = 4 * line;
          const from = (first % 16) + 1;
          const where = `${Math.floor((first % 256) / 16) + 1}, ${from}–${from + 3}`;
          return `${'ABC'[Math.floor(first / 256)]}[${where}]`;
        });
        const items = lesson.figure('memory').getByRole('listitem');
        expect((await items.allTextContents()).map((one) => one.trim())).toEqual(held);
      }
      const line = page.locator(`[data-order="${order}"]`);
      const totalOf = (method: (typeof orders)[number]) =>
        [...core.traceProduct(zeros, zeros, { ...options, method }).misses.slice(-3)].reduce(
          (x, y) => x + y,
        );
      const total = totalOf(order);
      expect(countOf(await line.locator('[data-accesses]').textContent())).toBe(count);
      expect(countOf(await line.locator('[data-total]').textContent())).toBe(total);
      const bars = page.locator('[data-order] .bar span');
      await expectBars(bars, orders.map(totalOf), { inside: true });
      expect(countOf(await line.locator('[data-paper]').textContent())).toBe(
        core.expectedMisses(16, options),
      );
    },
  );
}

test('memory: steps, plays, and can be scrubbed', async ({ lesson, page }) => {
  await lesson.open({ access: '0' });
  const stepper = lesson.stepper('memory');
  await expect(page.locator('[data-access]')).toContainText(message('multiply.memory.begin'));
  await stepper.getByRole('button', { name: message('figures.player.step') }).click();
  await expect(page.locator('[data-access]')).toHaveText(
    message('multiply.memory.said.readMiss', { matrix: 'A', row: 1, col: 1 }),
  );
  await stepper.getByRole('slider').fill('8448');
  await expect(lesson.figure('memory').locator('[data-misses]')).toHaveText('5,376');
  await stepper.getByRole('slider').fill('0');
  await stepper.getByRole('button', { name: message('figures.player.play') }).click();
  await expect(async () => {
    const done = Number(await lesson.figure('memory').getAttribute('data-done'));
    expect(done).toBeGreaterThan(20);
  }).toPass();
  await stepper.getByRole('button', { name: message('figures.player.pause') }).click();
  const done = await lesson.figure('memory').getAttribute('data-done');
  await expect(page).toHaveURL(new RegExp(`access=${done}(&|$)`));
});

test('the question about memory is answered by the count', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#memory .ask');
  await ask.getByRole('button', { name: 'i j k', exact: true }).click();
  await expectAnswer(ask, 'right');
  const why = message('multiply.memory.walks.ijk');
  const counted = { one: 'i j k', a: '5,376', other: 'i k j', b: '1,408', why };
  await expectAnswer(ask, 'right', message('multiply.memory.says.right', counted));
  await ask.getByRole('button', { name: 'i k j', exact: true }).click();
  await expectAnswer(ask, 'wrong', message('multiply.memory.says.less', counted));
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: message('multiply.memory.alike') }).click();
  await expectAnswer(ask, 'wrong');
});

test('Strassen: seven sums, seven products, and what they add up to', async ({ lesson }) => {
  const core = await tril();
  const sa = [
    [1, 2, 0, 1.5],
    [3, 1, -2, 0],
    [0, 1, 4, 2],
    [2, 0, 1, 3],
  ];
  const sb = [
    [2, 0, 1, 1],
    [1, 3, 0, -2],
    [0, 1, 2, 0.25],
    [4, 1, 0, 3],
  ];
  const level = core.strassenLevel(core.tensor(sa), core.tensor(sb));
  await lesson.open({ sa: text(sa), sb: text(sb) });
  for (let p = 0; p < 7; ++p) {
    await lesson.expectDrawn('left', rowsOf(level.left, p));
    await lesson.expectDrawn('right', rowsOf(level.right, p));
    await lesson.expectDrawn('product', rowsOf(level.products, p));
    await lesson.expectDrawn('sc', rowsOf(core.matmul(core.tensor(sa), core.tensor(sb))));
    const on = lesson
      .stepper('strassen')
      .getByRole('button', { name: message('figures.player.step') });
    if (p < 6) await on.click();
    await expect(lesson.figure('strassen')).toHaveAttribute(
      'data-product',
      String(Math.min(p + 2, 7)),
    );
  }
});

test('Strassen: why an entry of C is a sum of products', async ({ lesson, page }) => {
  await lesson.open();
  await lesson.point('sc', 0, 0);
  const why = page.locator('#strassen .why');
  for (const name of ['M1', 'M4', 'M5', 'M7']) await expect(why).toContainText(`(${name})`);
  await expect(why).not.toContainText('(M2)');
  await expect(why.locator('[data-value]')).toHaveText('8');
});

test('the error of Strassen grows with its levels, as in Node', async ({ lesson, page }) => {
  const core = await tril();
  const [x, y] = [1, 2].map((seed) => core.randomNormal([128, 128], { seed }));
  await lesson.open();
  await expect(page.locator('[data-levels]')).toHaveCount(3);
  let before = 0;
  for (const levels of [0, 1, 2]) {
    const shown = page.locator(`[data-levels="${levels}"] [data-rms]`);
    const rms = Number(await shown.getAttribute('data-rms'));
    // Variants of the core round differently, so the errors agree in size, not in digits.
    const expected = core.productError(x, y, { method: 'strassen', levels }).rms;
    expect(rms / expected).toBeGreaterThan(0.6);
    expect(rms / expected).toBeLessThan(1.7);
    expect(rms).toBeGreaterThan(before);
    before = rms;
  }
});

test('the error maps are read cell by cell: by keys, aloud, in a table, in words', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const map = page.locator('[data-heat="error-2"]');
  const grid = map.getByRole('grid');
  const before = map.locator('[data-pointed]');
  await expect(before).toHaveText(message('figures.heat.hint'));
  await page.locator('[data-heat="error-1"] summary').focus();
  await page.keyboard.press('Tab');
  await expect(grid).toBeFocused();
  for (const key of ['PageDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowUp']) {
    await page.keyboard.press(key);
  }
  await expect(before).toContainText('[17, 3] = ');
  const shown = (await before.textContent())!.split(' = ')[1].trim();
  await expect(map.getByRole('gridcell')).toHaveText(`17, 3: ${shown}`);
  await map.locator('summary').click();
  await expect(map).toContainText(message('figures.heat.part', { rows: '5 – 28', cols: '1 – 24' }));
  // The picture has the colours of the numbers in the table, on the scale of its legend.
  const picture = await readHeat(map);
  const legend = (await map.locator('.legend').textContent())!;
  const end = shownOf(/0\s*(\S+)\s*$/u.exec(legend)![1]);
  const numbers = await map
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => Array.from(row.querySelectorAll('td'), (cell) => cell.textContent!)),
    );
  for (const [r, row] of numbers.entries()) {
    for (const [c, text] of row.entries()) {
      const share = Math.min(1, Math.abs(numberOf(text)) / end);
      const { alpha } = picture[(r + 4) * 128 + c];
      expect(Math.abs(alpha - Math.sqrt(share)), `${r}, ${c}: ${text}`).toBeLessThan(0.01);
    }
  }
  await expect(map.locator('tbody tr').nth(12).locator('td').nth(2)).toHaveText(shown);
  const { x, y } = await boxOf(grid);
  await page.mouse.move(x + 1, y + 1);
  await expect(before).toContainText('[1, 1] = ');
  // One end of the range in the summary is the core's largest distance.
  const largest = await page.locator('[data-levels="2"] [data-largest]').textContent();
  await expect(map.locator('#error-2-summary')).toContainText(largest!);
});

test('the question about rows and columns is answered by multiplying again', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const ask = page.locator('#readings .ask');
  await ask.getByRole('button', { name: message('multiply.readings.choices.col') }).click();
  await expectAnswer(ask, 'wrong');
  await ask.getByRole('button', { name: message('multiply.readings.choices.row') }).click();
  await expectAnswer(ask, 'right', messagePattern('multiply.readings.says.a.row'));
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: message('multiply.readings.choices.col') }).click();
  await expectAnswer(ask, 'right', messagePattern('multiply.readings.says.b.col'));
});

test('the question about Strassen is answered by how many products the core adds up', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const ask = page.locator('#strassen .ask');
  await expect(ask.locator('.chip').first()).toHaveText('14');
  await ask.getByRole('button', { name: '49', exact: true }).click();
  const squared = message('multiply.strassen.says.count', { powers: '7 · 7', count: 49 });
  await expectAnswer(ask, 'right', squared);
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await expect(ask).toContainText(message('multiply.strassen.question', { levels: 3, plain: 512 }));
  await ask.getByRole('button', { name: '448', exact: true }).click();
  const cubed = { once: 448, powers: '7 · 7 · 7', count: 343 };
  await expectAnswer(ask, 'wrong', message('multiply.strassen.says.once', cubed));
});

test('costs are counted by the core, times are measured', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  const { flops, inputBytes, outputBytes } = core.cost.matmul({ rows: 3, depth: 4, cols: 2 });
  const cost = page.locator('#readings [data-cost]');
  await expect(cost).toHaveAttribute('data-flops', String(flops));
  await expect(cost).toHaveAttribute('data-bytes', String(inputBytes + outputBytes));
  await metered(cost);
  await expectTimed(cost.locator('[data-measured]'));
});

test('fits any width, in the middle of its steps and with the largest matrices', async ({
  lesson,
  page,
}) => {
  await lesson.open({ step: '3', access: '500' });
  await expectFits(page);
  await lesson.open({ a: '1,2,3,4,5,6;1,2,3,4,5,6', b: '1,2;3,4;5,6;7,8;9,10;11,12000000' });
  await expectFits(page);
});

test('has no accessibility faults', weekly(), async ({ lesson, page }) => {
  await lesson.open({ step: '3', pin: 'c.0.0', access: '500' });
  await page.locator('[data-levels]').first().waitFor();
  await expectAccessible(page);
});

test('a broken link shows the rest and says what was wrong', async ({ lesson, page }) => {
  await lesson.open({ reading: 'sideways', step: '2', a: '1,2;3', order: 'kji' });
  await expect(page.getByText('reading=sideways')).toBeVisible();
  await expect(page.getByText('a=1,2;3')).toBeVisible();
  await lesson.expectDrawn('a', a);
  await expect(page.getByRole('radio', { name: 'k j i' }).first()).toHaveAttribute(
    'aria-checked',
    'true',
  );
  await page.getByRole('button', { name: message('shell.dismiss') }).click();
  await expect(page.getByText('reading=sideways')).toHaveCount(0);
});
