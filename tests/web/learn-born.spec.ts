// Chapter "Learn": a training against the same one in Node.
import { expectAnswer } from './asks.ts';
import type { Page } from '@playwright/test';
import { pointsOf } from './bars.ts';
import { scaleOf } from './drawn.ts';
import { message, messagePattern } from './messages.ts';
import { expect, test as base } from './programs.ts';
import { finished, ready, train } from './learn-page.ts';
import { Lesson, number } from './lessons.ts';
import { trained, type Frame } from './oracles/born.ts';
import { coverOf, readCanvas } from './pixels.ts';
import { sameModule, variantOf } from './same-module.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'learn')),
});

/** The largest score of a kind among all heads, in percent. */
async function mostOf(page: Page, kind: 'previous' | 'copy'): Promise<number> {
  const shares = await page
    .locator('[data-head]')
    .evaluateAll((all, name) => all.map((one) => Number(one.getAttribute(`data-${name}`))), kind);
  return Math.round(100 * Math.max(...shares));
}

/** The opacities of a head's thumbnail, as bytes: the roots of its weights. */
const painted = async (page: Page, head: string) =>
  coverOf(await readCanvas(page.locator(`[data-head="${head}"] canvas`)));

/**
 * Checks the curves of losses and of the best scores, the dots at the displayed step, and the losses of all batches.
 */
async function expectCurves(
  page: Page,
  { frames, losses: batches }: Pick<ReturnType<typeof trained>, 'frames' | 'losses'>,
  shown: number,
): Promise<void> {
  const svg = page.locator('#born svg:has([data-curve])');
  const ticks = await svg
    .locator('.tick')
    .evaluateAll((all) =>
      all.map((tick) => ({ text: tick.textContent!, at: Number(tick.getAttribute('y')) })),
    );
  const along = await svg
    .locator('.along')
    .evaluateAll((all) =>
      all.map((tick) => ({ text: tick.textContent!, at: Number(tick.getAttribute('x')) })),
    );
  // Losses are at the top, scores from 0 to 1 at the bottom.
  const [step, loss, score] = [along, ticks.slice(0, -3), ticks.slice(-3)].map((one) =>
    scaleOf(one),
  );
  const best = (kind: 'previous' | 'copy') => (frame: Frame) =>
    Math.max(...frame.heads.map((one) => one[kind]));
  const close = (found: number, expected: number, within: number, what: string) =>
    expect(Math.abs(found - expected), `${what}: ${found}, not ${expected}`).toBeLessThan(within);
  for (const [name, scale, value] of [
    ['loss', loss, (frame: Frame) => frame.loss],
    ['others', loss, (frame: Frame) => frame.others],
    ['previous', score, best('previous')],
    ['copy', score, best('copy')],
  ] as const) {
    const expected = frames.filter((frame) => value(frame) !== null);
    const points = await pointsOf(svg.locator(`path.${name}`));
    expect(points, name).toHaveLength(expected.length);
    // Coordinates are written to a tenth of a pixel.
    const within = 0.06 * Math.abs(scale(1) - scale(0)) + 1e-3;
    for (const [i, [x, y]] of points.entries()) {
      close(step(x), expected[i].step, 0.06 * (step(1) - step(0)) + 1e-3, `${name}, step ${i}`);
      close(scale(y), value(expected[i])!, within, `${name} at ${expected[i].step}`);
    }
    const at = expected.find((frame) => frame.step === shown);
    if (!at) continue;
    const dot = svg.locator(`circle.${name}`);
    close(step(Number(await dot.getAttribute('cx'))), shown, 1e-3, `${name}, dot`);
    close(scale(Number(await dot.getAttribute('cy'))), value(at)!, within, `${name}, dot`);
  }
  const top = Number(ticks.slice(0, -3).at(-1)!.text);
  const drawn = await pointsOf(svg.locator('path.batch'));
  expect(drawn).toHaveLength(batches.length);
  for (const [i, [x, y]] of drawn.entries()) {
    close(step(x), i, 0.06 * (step(1) - step(0)) + 1e-3, `batch ${i}`);
    const within = 0.06 * (loss(0) - loss(1)) + 1e-3;
    if (batches[i] < top) close(loss(y), batches[i], within, `loss of batch ${i}`);
  }
}

test('heads are born, as they are in Node with the same seed', async ({ lesson, page }) => {
  test.setTimeout(180_000);
  const seed = 3;
  await lesson.open({ seed: String(seed) });
  await ready(page);
  const tril = await sameModule(await variantOf(page));
  const expected = trained(tril, 'induction', seed);
  await train(page);
  await finished(page);

  const slider = page.getByRole('slider', { name: message('learn-born.film.scrub') });
  for (const step of [0, 8, 96]) {
    await slider.fill(String(step));
    await expect(page.locator('#born [data-step]')).toHaveAttribute('data-step', String(step));
    const frame = expected.frames.find((one) => one.step === step)!;
    await expectCurves(page, expected, step);
    const loss = await number(page.locator('#born li.loss'), 'loss');
    expect(loss).toBe(frame.loss);
    for (const [i, name] of ['1.1', '1.2', '2.1', '2.2'].entries()) {
      const card = page.locator(`[data-head="${name}"]`);
      const { copy, previous, weights } = frame.heads[i];
      // Means of up to 32 sums of up to 32 weights, which the page adds up in float32.
      const rounding = 64 * 2 ** -24;
      expect(Math.abs((await number(card, 'copy')) - copy)).toBeLessThan(rounding);
      expect(Math.abs((await number(card, 'previous')) - previous)).toBeLessThan(rounding);
      const strengths = await painted(page, name);
      const cells = weights.flatMap((row, t) => row.map((weight, s) => ({ weight, later: s > t })));
      const wrong = strengths.filter((strength, at) => {
        const { weight, later } = cells[at];
        if (later) return strength !== 0;
        return Math.abs(strength - 255 * Math.sqrt(weight)) > 1;
      });
      expect(wrong).toEqual([]);
    }
  }
  await expect(page).toHaveURL(/at=96/u);

  // At the end the loss is at its floor, a head looks at the token after the copy, and with a lower head switched off
  // the loss is high again.
  await slider.fill('200');
  await expect(page.locator('#born [data-step]')).toHaveAttribute('data-step', '200');
  await expect(page).not.toHaveURL(/at=/u);
  expect(await number(page.locator('#born li.loss'), 'loss')).toBeLessThan(0.2);
  expect(await number(page.locator('#born li.others'), 'others')).toBeLessThan(0.5);
  const without = await page
    .locator('[data-without]')
    .evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset.without)));
  expect(without).toHaveLength(4);
  expect(Math.max(...without)).toBeGreaterThan(1);
  const doing = page.locator('#born .doing');
  await expect(doing).toContainText(messagePattern('learn-born.verdicts.letters'));
  // The text about the heads agrees with their drawing.
  const [previous, copy] = [await mostOf(page, 'previous'), await mostOf(page, 'copy')];
  await expect(doing).toContainText(
    messagePattern('learn-born.verdicts.induction', { previous, copy }),
  );
});

test('the trap: no loss, no mechanism, and another distance shows it', async ({ lesson, page }) => {
  test.setTimeout(180_000);
  await lesson.open({ task: 'fixed' });
  await ready(page);
  const ask = page.locator('#born .ask');
  await ask
    .getByRole('button', { name: message('learn-born.ask.fixed.options.no'), exact: true })
    .click(); // begins the training
  await expect(ask).toContainText(message('learn-born.ask.waiting'));
  await finished(page);
  expect(await number(page.locator('#born li.loss'), 'loss')).toBeLessThan(0.2);
  expect(await number(page.locator('#born li.others'), 'others')).toBeGreaterThan(Math.log(24));
  await expectAnswer(ask, 'right');
  const doing = page.locator('#born .doing');
  const most = await mostOf(page, 'copy');
  expect(most).toBeLessThan(50); // no visible stripe
  await expect(doing).toContainText(messagePattern('learn-born.verdicts.fixed', { percent: most }));
});

test('it can be held, waits while nobody looks, and begins anew', async ({ lesson, page }) => {
  await lesson.open({ task: 'previous' });
  await ready(page);
  const figure = page.locator('#born [data-training]');
  const button = page.locator('#born .train');
  const look = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  /** Clicks twice in quick succession, however fast the training is. */
  const pressTwice = () =>
    button.evaluate(async (one: HTMLElement) => {
      one.click();
      await new Promise((done) => setTimeout(done));
      one.click();
    });
  await pressTwice();
  await expect(figure).toHaveAttribute('data-training', 'waiting');
  await expect(button).toHaveText(message('learn-born.buttons.on'));
  await button.evaluate((one: HTMLElement) => {
    one.click();
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect(figure).toHaveAttribute('data-training', 'waiting');
  await look(false);
  await expect(figure).toHaveAttribute('data-training', /running|finished/u);
  await finished(page);
  await expect(button).toHaveText(message('learn-born.buttons.again'));
  await pressTwice();
  await expect(figure).toHaveAttribute('data-training', 'waiting');
  await button.click();
  await finished(page);
  await page
    .locator('#born')
    .getByRole('button', { name: message('learn-born.seed', { seed: 1 }) })
    .click();
  await expect(figure).toHaveAttribute('data-training', 'ready');
  await expect(page).toHaveURL(/seed=2/u);
});
