// What plays by itself, or slowly, where it is met for the first time. The tests drive the page's clock: nothing depends on
// how long anything takes here.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { finished, ready, train } from './learn-page.ts';
import { Lesson } from './lessons.ts';
import { message, messagePattern } from './messages.ts';

/** As for who has never been here. */
const forgotten = (page: Page) =>
  page.addInitScript(() => {
    if (location.protocol.startsWith('http')) localStorage.removeItem('tril.met');
  });
const known = (page: Page) => page.evaluate(() => localStorage.getItem('tril.met'));
/** From now on time passes only where the test says so. */
const hold = async (page: Page) =>
  page.clock.pauseAt(await page.evaluate(() => performance.timeOrigin + performance.now() + 1000));

test.describe('the first training', () => {
  test.beforeEach(async ({ page }) => {
    await forgotten(page);
    await page.clock.install();
  });

  test('goes so slowly that it can be watched, and the next as fast as it can', async ({
    page,
  }) => {
    await new Lesson(page, 'learn').open({ task: 'previous' });
    await ready(page);
    await hold(page);
    const figure = page.locator('[data-figure="born"]');
    const look = () =>
      figure.evaluate((one) => ({
        step: Number(one.querySelector<HTMLElement>('[data-step]')!.dataset.step),
        loss: Number(one.querySelector<HTMLElement>('[data-loss]')!.dataset.loss),
        over: one.querySelector('[data-done]') !== null,
      }));
    await train(page);
    const tick = 50; // shorter than any frame stays
    let [passed, due] = [0, 0];
    let before = await look();
    expect(before.step).toBe(0);
    while (!before.over) {
      await page.clock.runFor(tick);
      passed += tick;
      const now = await look();
      if (now.step > before.step) {
        expect(now.step - before.step, 'frame by frame').toBe(4);
        due += 4000 / (before.loss < Math.log(24) / 10 ? 60 : 15);
        expect(passed, `step ${now.step}`).toBeGreaterThanOrEqual(Math.floor(due));
      }
      before = now;
    }
    expect(before.step).toBe(100);
    const took = figure.locator('[data-took]');
    await expect(took).toHaveText(messagePattern('learn-born.took.watched'));
    const shown = Number(await took.getAttribute('data-took'));
    expect(shown).toBeGreaterThanOrEqual(Math.floor(due));
    expect(shown).toBeLessThanOrEqual(passed);
    expect(Number(await took.getAttribute('data-needed'))).toBeGreaterThan(0);
    expect(await known(page)).toBe('born');

    // No time passes in the page, and all of it is trained again.
    await page
      .getByRole('button', { name: message('learn-born.buttons.again'), exact: true })
      .click();
    await finished(page);
    await expect(took).toHaveText(messagePattern('learn-born.took.quick'));
    expect((await look()).step).toBe(100);
  });

  test('is held, and hurried, where the visitor says so', async ({ page }) => {
    await new Lesson(page, 'learn').open({ task: 'previous' });
    await ready(page);
    await hold(page);
    const figure = page.locator('[data-figure="born"]');
    const step = figure.locator('[data-step]');
    await train(page);
    await expect(async () => {
      await page.clock.runFor(300);
      await expect(step).not.toHaveAttribute('data-step', '0', { timeout: 1 });
    }).toPass();
    await figure.locator('.train').click();
    await expect(figure).toHaveAttribute('data-training', 'waiting');
    const at = await step.getAttribute('data-step');
    await page.clock.runFor(5000);
    await expect(step).toHaveAttribute('data-step', at!);
    await figure.locator('.train').click();
    await figure.getByRole('button', { name: message('learn-born.buttons.fast') }).click();
    await page.clock.runFor(300);
    await expect(async () => {
      await page.clock.runFor(300);
      await expect(figure.locator('[data-done]')).toHaveCount(1, { timeout: 1 });
    }).toPass();
  });

  test('is not slowed down for who asks for less motion', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await new Lesson(page, 'learn').open({ task: 'previous' });
    await ready(page);
    await hold(page);
    await train(page);
    await finished(page);
    await expect(page.locator('[data-took]')).toHaveText(messagePattern('learn-born.took.quick'));
    expect(await known(page)).toBeNull();
  });
});
