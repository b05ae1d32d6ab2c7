// Chapter "Two towers": everything drawn, against a call of the core's transformer in Node, with the same hand-made
// weights; the decoder step by step, against the rows of a single call.
import { expectAnswer } from './asks.ts';
import type { ModeId } from '../../web/src/compute/shared/handmade/towers-weights.ts';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf, type Rows } from './lessons.ts';
import { metered, expectTimed } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';
import {
  additiveScores,
  full,
  inputs,
  masks,
  start,
  towers,
  type Masks,
} from './oracles/towers.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'towers')),
});

/** Sums of up to 25 products of numbers up to 100, several in a row: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 100;
const likeliest = (chances: Rows) => chances.map((row) => row.indexOf(Math.max(...row)));

async function expectMaps(lesson: Lesson, mode: ModeId, given: Masks): Promise<void> {
  const { trace, chances } = towers(await tril(), mode, given);
  const [decoder] = trace.decoder;
  for (const name of ['source', 'target', 'memory'] as const) {
    const added = given[name].map((row) => row.map((sees) => (sees ? 0 : -Infinity)));
    await lesson.expectDrawn(`${name}Mask`, added);
  }
  await lesson.expectDrawn('sourceWeights', rowsOf(trace.encoder[0].weights), rounding);
  await lesson.expectDrawn('targetWeights', rowsOf(decoder.weights), rounding);
  await lesson.expectDrawn('memoryWeights', rowsOf(decoder.crossAttention.weights), rounding);
  const drawn = await lesson.page
    .locator('[data-chance]')
    .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.chance)));
  for (const [step, row] of chances.entries()) {
    expect(Math.abs(drawn[step] - Math.max(...row))).toBeLessThan(rounding);
  }
}

for (const mode of ['place', 'reverse', 'same', 'follows'] as const) {
  test(
    `every map of both towers, looking for "${mode}"`,
    weekly(mode, ['place', 'follows']),
    async ({ lesson, page }) => {
      await lesson.open({ mode });
      await expectMaps(lesson, mode, masks());
      const { crossAttention } = towers(await tril(), mode, masks()).trace.decoder[0];
      for (const [id, tensor] of [
        ['q', crossAttention.queries],
        ['k', crossAttention.keys],
        ['scores', crossAttention.masked],
        ['weights', crossAttention.weights],
        ['v', crossAttention.values],
        ['heads', crossAttention.heads],
      ] as const) {
        await lesson.expectDrawn(id, rowsOf(tensor), rounding);
      }
      const written = {
        place: 'the red house by the lake',
        reverse: 'lake the by house red the',
        same: `${start} the red house by the`,
        follows: null,
      }[mode];
      const says = await page.locator('[data-writes]').allTextContents();
      if (written) expect(says.map((word) => word.trim()).join(' ')).toBe(written);
    },
  );
}

test('masks: padding, both ways, a cell turned over, and the future let in', async ({
  lesson,
  page,
}) => {
  const given = masks();
  await lesson.open({ mode: 'follows', padding: '2' });
  given.source = full(7, 7, (_, col) => col < 5);
  given.memory = full(6, 7, (_, col) => col < 5);
  await expectMaps(lesson, 'follows', given);
  await page.getByLabel(message('towers.controls.hides')).uncheck();
  given.memory = full(6, 7);
  await expectMaps(lesson, 'follows', given);
  await lesson.point('memoryMask', 2, 3);
  given.memory[2][3] = 0;
  await expectMaps(lesson, 'follows', given);
  await page.getByLabel(message('towers.controls.causal')).uncheck();
  given.target = full(6, 6);
  await expectMaps(lesson, 'follows', given);
  await page.getByRole('button', { name: message('shell.undo') }).click();
  await page.getByRole('button', { name: message('shell.undo') }).click();
  given.memory[2][3] = 1;
  given.target = masks().target;
  await expectMaps(lesson, 'follows', given);
});

test('a row that sees nothing of the source gets nothing from it', async ({ lesson, page }) => {
  const flips = Array.from({ length: 7 }, (_, col) => `memoryMask.1.${col}`).join('!');
  await lesson.open({ flips, pin: 'memoryWeights.1.2' });
  const given = masks();
  given.memory[1] = Array<number>(7).fill(0);
  await expectMaps(lesson, 'place', given);
  await expect(page.locator('#maps .why')).toContainText(message('towers.why.blind'));
});

test('step by step as in one go: teacher and own words', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open({ mode: 'follows', step: '6' });
  const rows = (name: string) =>
    page
      .locator(`[data-row="${name}"][data-word]`)
      .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.word)));
  const taught = towers(core, 'follows', masks());
  // Two words that tie up to rounding may come out either way: then both have about the same probability.
  const expectWritten = (written: number[], chances: Rows) => {
    expect(written).toHaveLength(inputs.length);
    for (const [step, word] of written.entries()) {
      expect(Math.max(...chances[step]) - chances[step][word]).toBeLessThan(1e-3);
    }
  };
  expect(await rows('reads')).toEqual(inputs);
  expectWritten(await rows('writes'), taught.chances);
  const feed = page.getByRole('radiogroup', { name: message('towers.steps.feed') });
  await feed.getByRole('radio', { name: message('towers.steps.feeds.own') }).click();
  await expect(async () => {
    const now = await rows('reads');
    expect(now).toHaveLength(inputs.length);
    expect(now).not.toEqual(inputs);
  }).toPass({ timeout: 10_000 });
  const read = await rows('reads');
  const written = await rows('writes');
  expect(read).toEqual([0, ...written.slice(0, -1)]);
  expectWritten(written, towers(core, 'follows', masks(), read).chances);
  const furthest = Number(await page.locator('[data-furthest]').getAttribute('data-furthest'));
  expect(furthest).toBeLessThan(rounding);
  await lesson
    .stepper('steps')
    .getByRole('button', { name: message('figures.player.back') })
    .click();
  await expect(page.locator('[data-row="writes"][data-word]')).toHaveCount(5);
  // A step that may only look at later positions.
  await lesson.open({ causal: 'no', flips: 'targetMask.1.0!targetMask.1.1' });
  await expect(page.locator('[data-furthest]')).toContainText(
    messagePattern('towers.steps.differs'),
  );
  expect(likeliest(taught.chances).length).toBe(6);
});

test('additive attention beside the dot product', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open({ mode: 'follows', apin: 'additive.1.2' });
  const { crossAttention } = towers(core, 'follows', masks()).trace.decoder[0];
  const [q, k] = [rowsOf(crossAttention.queries), rowsOf(crossAttention.keys)];
  const scores = additiveScores(q, k, 'follows');
  await lesson.expectDrawn('dot', rowsOf(crossAttention.masked), rounding);
  await lesson.expectDrawn('additive', scores, rounding);
  await lesson.expectDrawn('additiveWeights', rowsOf(core.softmax(core.tensor(scores))), rounding);
  await expect(page.locator('#additive .why')).toContainText('3·tanh(');
});

test('questions, shapes, and why', async ({ lesson, page }) => {
  await lesson.open({ pin: 'scores.2.3' });
  await expect(page.locator('#cross .why')).toContainText('/ √6');
  const ask = page.locator('#maps .ask');
  await ask.getByRole('button', { name: message('towers.leak.choices.last') }).click();
  await expect(ask).toContainText(message('towers.leak.right.last', { changed: 1, all: 6 }));
  const steps = page.locator('#steps .ask');
  await steps.getByRole('button', { name: message('towers.steps.choices.teacher') }).click();
  await expectAnswer(steps, 'right');
  const { trace } = towers(await tril(), 'place', masks());
  const shape = (name: string) => page.locator(`[data-tensor="${name}"] td`);
  await expect(shape('memory')).toHaveText(`[${trace.memory.shape.join(', ')}]`);
  await expect(shape('decoder[0].crossAttention.weights')).toHaveText('[1, 6, 7]');
  await expect(page.locator('[data-tensor]')).toHaveCount(
    Object.keys(trace.encoder[0]).length + Object.keys(trace.decoder[0]).length - 1 + 7 + 2,
  );
});

test('what calls cost: counted by the core, and timed', weekly(), async ({ lesson, page }) => {
  const { cost } = await tril();
  await lesson.open();
  const attention = (queries: number, keys: number) =>
    cost.attention({ queries, keys, width: 6 }).flops;
  const meter = (id: string) => page.locator(`#${id} [data-cost]`);
  const all = attention(7, 7) + attention(6, 6) + attention(6, 7);
  await expect(meter('maps')).toHaveAttribute('data-flops', String(all));
  await expect(meter('both')).toHaveAttribute('data-flops', String(attention(6, 7)));
  await expect(meter('cross')).toHaveAttribute('data-flops', String(attention(6, 7)));
  await expect(meter('steps')).toHaveAttribute('data-flops', String(attention(1, 6)));
  for (const id of ['both', 'maps', 'cross', 'steps', 'additive', 'shapes']) {
    const times = page.locator(`#${id} [data-measured]`);
    await metered(meter(id).first());
    await expect(times).toHaveCount(id === 'additive' ? 2 : 1);
    for (const time of await times.all()) {
      await expectTimed(time);
    }
  }
  // The bias is one more column of the queries; each number has two units.
  const sizes = { queries: 6, keys: 7, width: 7, keyWidth: 6, valueWidth: 6, units: 12 };
  const network = cost.additiveAttention(sizes).flops;
  await expect(meter('additive').last()).toHaveAttribute('data-flops', String(network));
  await expect(page.locator('#additive')).toContainText(
    message('towers.additive.tangents', { units: 12 }),
  );
});

test('the link holds the state; a broken one says so', async ({ lesson, page }) => {
  await lesson.open({ mode: 'reverse', source: 'one two', target: 'two one', step: '1' });
  await expect(page.getByRole('textbox').first()).toHaveValue('one two');
  await page.locator('[data-matrix="memoryWeights"]').getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/pin=memoryWeights\.0\.1/);
  await page.locator('[data-matrix="sourceMask"]').getByRole('grid').focus();
  await page.keyboard.press(' ');
  await expect(page).toHaveURL(/flips=sourceMask\.0\.0/);
  await page.keyboard.press('Enter');
  await expect(page.locator('#maps .why')).toContainText(message('towers.why.unseen'));
  await lesson.open({ mode: 'sideways', flips: 'q.0.0' });
  await expect(page.getByText('mode=sideways')).toBeVisible();
  await expect(page.getByText('flips=q.0.0')).toBeVisible();
});

test('on a phone one part of a figure stands there, that of the pinned cell first', async ({
  lesson,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await lesson.open({ pin: 'targetMask.1.0' });
  const matrices = page.locator('#maps [data-matrix]');
  const named = () => matrices.evaluateAll((all) => all.map((one) => one.dataset.matrix));
  await expect.poll(named).toEqual(['targetWeights', 'targetMask']);
  await page
    .locator('#maps')
    .getByRole('radio', { name: message('towers.diagram.cross') })
    .click();
  await expect.poll(named).toEqual(['memoryWeights', 'memoryMask']);
  await expect(page).not.toHaveURL(/pin=/u);
  const { crossAttention } = towers(await tril(), 'place', masks()).trace.decoder[0];
  for (const [name, id, tensor] of [
    ['Q', 'q', crossAttention.queries],
    [message('towers.additive.scores'), 'scores', crossAttention.masked],
    ['A V', 'heads', crossAttention.heads],
  ] as const) {
    await page.locator('#cross').getByRole('radio', { name, exact: true }).click();
    await expect(page.locator('#cross [data-matrix]')).toHaveCount(1);
    await lesson.expectDrawn(id, rowsOf(tensor), rounding);
  }
  await expect(page.locator('#additive [data-matrix]')).toHaveCount(2);
  const tensor = page.locator('#shapes [data-tensor]').first();
  await page.locator('#shapes summary').first().click();
  await expect(tensor).toBeVisible();
});

test('fits any width, and has no accessibility faults', weekly(), async ({ lesson, page }) => {
  const long = 'incomprehensibilities are never out of place in here';
  await lesson.open({ source: long, target: long });
  await expectFits(page);
  await lesson.open({ pin: 'memoryWeights.1.2', apin: 'additive.1.2' });
  await page.locator('[data-furthest]').waitFor();
  await expectFits(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectAccessible(page);
});
