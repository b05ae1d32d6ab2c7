// Stepping, playing, scrubbing; the question before the answer; cost.
import { expectAnswer } from './asks.ts';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { metered, expectTimed } from './menus.ts';
import { message } from './messages.ts';
import { tril } from './oracle.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const symbol = (id: string) => message(`attend.symbols.${id}`);
const order = ['x', 'q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'output'];

test('steps by buttons and keys', async ({ attend, page }) => {
  await attend.open();
  const stage = page.locator('#steps .stage');
  await expect(page.getByRole('button', { name: message('figures.player.back') })).toBeDisabled();
  const on = page.getByRole('button', { name: message('figures.player.step') });
  await on.click();
  await expect(stage).toHaveAttribute('data-step', 'q');
  for (const step of order.slice(2)) {
    await expect(on).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(stage).toHaveAttribute('data-step', step);
  }
  await expect(on).toBeDisabled();
  // Controls no longer pass the focus on to the displayed step.
  await expect(page.getByRole('button', { name: /^9\. / })).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(stage).toHaveAttribute('data-step', 'weights');
  await page.keyboard.press('ArrowRight');
  await page.locator('h1').click();
  // The space bar scrolls the page by a screen, and plays nothing.
  const height = await page.evaluate(() => scrollY);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(height);
  await expect(
    page.getByRole('button', { name: message('attend.player.playAgain') }),
  ).toBeVisible();
  await page.getByRole('button', { name: /^9\. / }).focus();
  await page.keyboard.press('Home');
  await expect(stage).toHaveAttribute('data-step', 'x');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: '2. Q' })).toBeFocused();
});

test('plays: the first cell first, then all, then the next step; any step stops it', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'masked' });
  await page.getByRole('button', { name: message('attend.player.play') }).click();
  const waiting = attend.matrix('masked').locator('.waiting');
  await expect(waiting).toHaveCount(63);
  await expect(attend.why).toContainText(`${symbol('masked')}[the₁, the₁]`);
  await expect(waiting).toHaveCount(0);
  await expect(page.locator('#steps .stage')).toHaveAttribute('data-step', 'weights');
  await page.getByRole('button', { name: message('figures.player.pause') }).click();
  await expect(attend.matrix('weights').locator('.waiting')).toHaveCount(0);
  await expect(page.getByRole('button', { name: message('attend.player.play') })).toBeVisible();
});

/** The elements that move when the step is taken, with their first frame; each ends at its own position. */
const gliding = async (page: Page, take: () => Promise<unknown>) => {
  await page.evaluate(() => {
    const found: Record<string, string> = {};
    Object.assign(window, { found });
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, options) {
      const [from, to] = frames as Keyframe[];
      const { matrix } = this.closest<HTMLElement>('[data-matrix]')!.dataset;
      found[matrix!] = `${from.transform} > ${to.transform}`;
      return animate.call(this, frames, options);
    };
  });
  await take();
  return page.evaluate(() => (window as unknown as { found: Record<string, string> }).found);
};

test('Q glides to where it is used and K turns about its diagonal, and back', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'q' });
  for (const step of ['K', 'V']) await attend.step(step);
  const there = await gliding(page, () => attend.step('Scores'));
  expect(Object.keys(there).sort()).toEqual(['k', 'q']);
  expect(there.q).toMatch(/^translate\(.*\) +scale\(.*\) > none$/);
  expect(there.k).toContain('rotate3d(1, 1, 0, 180deg)');
  const back = await gliding(page, () => attend.step('K'));
  expect(back.k).toContain('rotate3d(1, 1, 0, 180deg)');
});

test('a product is made of what it is made of, and does not fly in before it', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'scores' });
  for (const step of ['Scaled', 'Weights', 'Output']) await attend.step(step);
  for (const step of ['Scores', 'Scaled', 'Scores']) {
    const gone = await gliding(page, () => attend.step(step));
    if (step === 'Scores') expect(Object.keys(gone)).not.toContain('scores');
  }
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });
  test('nothing is drawn piece by piece', async ({ attend, page }) => {
    await attend.open({ step: 'scores' });
    await page.getByRole('button', { name: message('attend.player.play') }).click();
    await expect(attend.why).toContainText(`${symbol('scores')}[the₁, the₁]`);
    await expect(attend.matrix('scores').locator('.waiting')).toHaveCount(0);
    await attend.step('K');
    expect(await gliding(page, () => attend.step('Scores'))).toEqual({});
  });
});

test("predict, then see: the question is about another head, the answer is its weights'", async ({
  attend,
  page,
}) => {
  await attend.open({ head: 'same', strict: '12', step: 'weights' });
  const ask = page.locator('#steps .ask');
  await expect(ask).toContainText(
    message('attend.predict.question', {
      head: message('attend.head.names.previous'),
      token: 'cat₈',
      place: 8,
    }),
  );
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
  await ask.getByRole('button', { name: 'chase' }).click();
  await expectAnswer(ask, 'wrong');
  await ask.getByRole('button', { name: 'the₇' }).click();
  await expectAnswer(ask, 'right');
  await ask.getByRole('button', { name: message('figures.ask.see') }).click();
  await expect(page).toHaveURL(/head=previous&.*pin=weights\.7\.6/);
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.previous') }),
  ).toHaveAttribute('aria-checked', 'true');
  const answer = await ask.locator('[data-answer]').textContent();
  await expect(attend.cell('weights', 7, 6)).toHaveText('.98');
  const [token, targets] = ['cat₈', message('attend.predict.at', { name: 'the₇' })];
  expect(answer).toBe(
    message('attend.predict.answer', { token, targets, count: 1, weight: '98\u00a0%' }),
  );
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
  // The question is never about the displayed head.
  for (const id of ['previous', 'same', 'first', 'average']) {
    const head = message(`attend.head.names.${id}`);
    await page.getByRole('radio', { name: head, exact: true }).click();
    await expect(ask).not.toContainText(`“${head}”`);
  }
});

test('keys that tie are named one by one, and the word that looks as itself', async ({
  attend,
  page,
}) => {
  await attend.open({ head: 'average', step: 'weights' });
  const ask = page.locator('#steps .ask');
  const [other, weight] = ['cat₂', '30\u00a0%'];
  await ask.getByRole('button', { name: other }).click();
  const itself = message('attend.predict.atItself');
  const and = new Intl.ListFormat('en').format([
    itself,
    message('attend.predict.at', { name: other }),
  ]);
  const said = { token: 'cat₈', targets: and, count: 2, weight };
  await expectAnswer(ask, 'right', message('attend.predict.answer', said));
});

test('says where it was computed, and what it cost', async ({ attend, page }) => {
  await attend.open();
  await expect(page.locator('#steps [data-more]')).toContainText(message('figures.computed'));
  const core = await tril();
  const { flops, inputBytes, outputBytes } = core.cost.attention({
    queries: 8,
    keys: 8,
    width: 6,
    valueWidth: 6,
    causal: true,
  });
  const cost = page.locator('#steps [data-cost]');
  await expect(cost).toHaveAttribute('data-flops', String(flops));
  await expect(cost).toHaveAttribute('data-bytes', String(inputBytes + outputBytes));
  await metered(cost);
  await expectTimed(cost.locator('[data-measured]'));
});
