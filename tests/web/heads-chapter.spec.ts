// Chapter "Heads": one multi-head attention against one head at a time, and the results of the hand-made circuit.
import { expectAnswer } from './asks.ts';
import { expectAccessible } from './axe.ts';
import { boxOf } from './box.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { idsOf, tril } from './oracle.ts';
import { circuit, headsApart, ids, inputOf, sideBySide } from './oracles/heads.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'heads')),
});

const rounding = 1e-4;

for (const batch of [1, 2]) {
  test(
    `every step of sequence ${batch}, against one head at a time`,
    weekly(String(batch), ['1']),
    async ({ lesson, page }) => {
      const order = batch === 1 ? ids : [...ids].reverse();
      const apart = await headsApart(order);
      await lesson.open({ batch: String(batch), step: '1' });
      await lesson.expectDrawn('x', inputOf(order), 1e-6);
      for (const [name, which] of [
        ['Q', 'q'],
        ['K', 'k'],
        ['V', 'v'],
      ] as const) {
        await page.getByRole('radio', { name, exact: true }).click();
        await lesson.expectDrawn('packed', sideBySide(apart.map((head) => head[which])), rounding);
      }
      await page.getByRole('radio', { name: 'Q', exact: true }).click();
      const next = page.getByRole('button', { name: message('figures.player.step') });
      await next.click();
      for (const [h, head] of apart.entries()) {
        await lesson.expectDrawn(`part${h + 1}`, rowsOf(head.q), rounding);
      }
      await next.click();
      for (const [h, head] of apart.entries()) {
        await lesson.expectDrawn(`map${h + 1}`, rowsOf(head.weights), rounding);
      }
      await next.click();
      for (const [h, head] of apart.entries()) {
        await lesson.expectDrawn(`blend${h + 1}`, rowsOf(head.output), rounding);
      }
      await next.click();
      await lesson.expectDrawn('concat', sideBySide(apart.map(({ output }) => output)), rounding);
      await next.click();
      // W_O writes the first head's output into the last six columns.
      const written = rowsOf(apart[0].output).map((row) => [...Array<number>(13).fill(0), ...row]);
      await lesson.expectDrawn('output', written, rounding);
    },
  );
}

test('shapes and addresses', async ({ lesson, page }) => {
  await lesson.open({ step: '2', pin: 'part3.4.2' });
  const shapes = await page.locator('[data-shape]').allTextContents();
  expect(shapes).toEqual([
    ...['2 × 9 × 19', '2 × 9 × 24', '2 × 4 × 9 × 6', '2 × 4 × 9 × 9'],
    ...['2 × 4 × 9 × 6', '2 × 9 × 24', '2 × 9 × 19'],
  ]);
  // The address of row 4 of 24 numbers, head 2 of width 6, entry 2.
  await expect(page.locator('[data-address]')).toHaveText(
    message('heads.where', { address: 4 * 24 + 2 * 6 + 2 }),
  );
});

test('one wide head, two, four: the same weights, other maps', async ({ lesson, page }) => {
  const core = await tril();
  const apart = await headsApart(ids);
  await lesson.open();
  await page.locator('[data-division="4"]').waitFor();
  for (const count of [1, 2, 4]) {
    const each = 4 / count;
    for (let head = 0; head < count; ++head) {
      const own = apart.slice(head * each, (head + 1) * each);
      const [q, k, v] = (['q', 'k', 'v'] as const).map((which) =>
        core.tensor(sideBySide(own.map((one) => one[which]))),
      );
      const { trace } = core.attention(q, k, v, { causal: true, trace: true });
      await lesson.expectDrawn(`wide${count}-${head + 1}`, rowsOf(trace.weights), rounding);
    }
  }
});

test('the induction head looks at what came after its like, or at the start sign', async ({
  lesson,
  page,
}) => {
  const letters = 'abcdefghijkl';
  const texts = [
    'the cat saw the dog chase the cat',
    [...letters].join(' '),
    'a a a a a',
    'a b a b a b a b a b a b',
    'a b c d e f a b c d e f',
    'a b c a d a c b e b',
    'a',
  ];
  for (const text of texts) {
    const words = text.split(' ');
    const order = idsOf(words);
    const [, second] = await circuit(order, true);
    const looks = rowsOf(second[0].weights);
    await lesson.open({ text });
    await lesson.expectDrawn('chosen', looks, rounding);
    const held = page.locator('[data-predictions] td.expects');
    await expect(held).toHaveCount(order.length + 1);
    for (let query = 1; query <= order.length; ++query) {
      const token = order[query - 1];
      // Key s holds token s - 1; it follows a copy of this token if token s - 2 equals it.
      const keys = looks[query].keys();
      const after = [...keys].filter((s) => s >= 2 && s <= query && order[s - 2] === token);
      const looked = after.length > 0 ? after : [0];
      const share = looked.reduce((sum, key) => sum + looks[query][key], 0);
      expect(share, `${text} at ${query}`).toBeGreaterThan(0.9);
      const followers = new Set(after.map((s) => words[s - 1]));
      if (followers.size === 0) {
        await expect(held.nth(query)).toHaveText(message('heads.circuit.nothing'));
      } else if (followers.size === 1) {
        await expect(held.nth(query).locator('bdi')).toHaveText([...followers][0]);
      }
    }
  }
});

test('layers by heads: maps, lines and strip are one; a second layer without the first finds nothing', async ({
  lesson,
  page,
}) => {
  const [one, two] = await circuit(ids, true);
  const weights = rowsOf(two[0].weights);
  await lesson.open();
  await lesson.expectDrawn('chosen', weights, rounding);
  const lines = page.locator('[data-lines="chosen"] path');
  const heavy = weights.flatMap((row, query) =>
    row.flatMap((weight, key) => (weight > 0.004 ? [{ weight, query, key }] : [])),
  );
  await expect(lines).toHaveCount(heavy.length);
  const drawn = await lines.evaluateAll((all) =>
    all.map((line) => {
      const { strokeWidth, opacity } = (line as SVGElement).style;
      const [, from, to] = /^M\S+ (\S+)C.* (\S+)$/u.exec(line.getAttribute('d')!)!;
      return [strokeWidth, opacity, from, to].map(parseFloat);
    }),
  );
  const step = (await boxOf(page.locator('[data-lines="chosen"]'))).height / 9;
  for (const [i, { weight, query, key }] of heavy.entries()) {
    const expected = [
      0.7 + 4.3 * weight,
      0.18 + 0.82 * weight,
      (query + 0.5) * step,
      (key + 0.5) * step,
    ];
    for (const [j, value] of expected.entries()) {
      expect(Math.abs(drawn[i][j] - value), `${query} to ${key}, ${j}`).toBeLessThan(0.05);
    }
  }

  // The strip of the last token and the token it looks at: q, k and their products, computed here.
  await lesson.point('chosen', 8, 3);
  const [q, k] = [two[0].q, two[0].k].map((tensor) => rowsOf(tensor));
  const values = (row: string) =>
    page
      .locator(`[data-strip] [data-row="${row}"] [data-value]`)
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.value)));
  const expected = { q: q[8], k: k[3], product: q[8].map((value, i) => value * k[3][i]) };
  for (const [row, numbers] of Object.entries(expected)) {
    const shown = await values(row);
    expect(shown, row).toHaveLength(numbers.length);
    for (const [i, value] of shown.entries()) {
      expect(Math.abs(value - numbers[i]), `${row} ${i}`).toBeLessThan(0.01);
    }
  }
  await expect(page.locator('[data-strip] [data-sum]')).toHaveText(/^(71\.\d+|72)$/);
  await page.keyboard.press('Escape');

  // Hovering a line's end lights up its cell.
  const svg = page.locator('[data-lines="chosen"]');
  const box = await boxOf(svg);
  await page.mouse.move(box.x + 20, box.y + (4.5 * box.height) / 9);
  await expect(page.locator('[data-strip]')).toContainText(
    message('heads.circuit.strip', { query: 'the₄', key: 'cat₂' }),
  );

  await page
    .locator('#circuit')
    .getByRole('button', { name: message('heads.headNames.previous') })
    .click();
  const silent = rowsOf((await circuit(ids, false))[1][0].weights);
  await lesson.expectDrawn('chosen', silent, rounding);
  expect(silent[8][0]).toBeGreaterThan(0.9);

  await page
    .getByRole('radio', { name: message('heads.headTitle', { layer: 2, head: 1 }) })
    .focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/layer=1&head=2/);
  await lesson.expectDrawn('chosen', rowsOf(one[1].weights), rounding);
});

test('questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#circuit .ask');
  await ask.getByRole('button', { name: 'saw', exact: true }).click();
  await expectAnswer(ask, 'right', messagePattern('heads.circuit.answer', { target: 'saw' }));
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: message('heads.startName') }).click();
  await expectAnswer(ask, 'right', messagePattern('heads.circuit.writeAnswer'));
  const first = page.locator('#reads .ask');
  await first.getByRole('button').first().click();
  const answer = await first.locator('[data-answer]').textContent();
  await first.getByRole('button', { name: message('figures.ask.another') }).click();
  await first.getByRole('button').first().click();
  await expect(first.locator('[data-answer]')).not.toHaveText(answer!);
});

test('the address holds it all; a broken one says so', async ({ lesson, page, context }) => {
  await lesson.open({ writers: '10', layer: '3', text: 'a b a b' });
  await expect(page.getByText('writers=10')).toBeVisible();
  await expect(page.getByText('layer=3')).toBeVisible();
  await page
    .getByRole('radio', { name: message('heads.headTitle', { layer: 1, head: 2 }) })
    .click();
  await lesson.point('chosen', 3, 1);
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator('[data-strip]')).toContainText(
    message('heads.circuit.strip', { query: 'a₃', key: 'a₁' }),
  );
});

test(
  'never scrolls sideways, at three widths; axe finds nothing',
  weekly(),
  async ({ lesson, page }) => {
    const long = Array.from({ length: 14 }, (_, i) => `Donaudampfschiff${i}`).join(' ');
    for (const step of ['2', '3', '6']) {
      await lesson.open({ text: long, step });
      await page.locator('[data-strip]').waitFor();
      await expectFits(page);
    }
    await page.setViewportSize({ width: 360, height: 800 });
    await lesson.open({ step: '3' });
    await page.locator('[data-strip]').waitFor();
    await expectAccessible(page);
  },
);
