// Figures that play by themselves, or slowly, at first sight. The tests drive the page's clock: nothing depends on real
// durations.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { finished, ready, train } from './learn-page.ts';
import { Lesson } from './lessons.ts';
import { message, messagePattern } from './messages.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

/** Makes the visitor new to the page. */
const forgotten = (page: Page) =>
  page.addInitScript(() => {
    if (location.protocol.startsWith('http')) localStorage.removeItem('tril.met');
  });
const known = (page: Page) => page.evaluate(() => localStorage.getItem('tril.met'));
/** Stops the page's clock: time passes only when the test says so. */
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
    const tick = 50; // shorter than any frame is shown
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
    const shown = Number(await took.getAttribute('data-took'));
    expect(shown).toBeGreaterThanOrEqual(Math.floor(due));
    expect(shown).toBeLessThanOrEqual(passed);
    const needed = Number(await took.getAttribute('data-needed'));
    expect(needed).toBeGreaterThan(0);
    const said = needed < shown ? 'watched' : 'quick'; // if this machine is that busy
    await expect(took).toHaveText(messagePattern(`learn-born.took.${said}`));
    expect(await known(page)).toBe('born');

    // No time passes in the page, which trains everything again.
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

test.describe('a figure that is met for the first time', () => {
  const tick = 100;
  /** Lets time pass until the condition holds, and no further. */
  async function until(page: Page, so: () => Promise<boolean>): Promise<void> {
    while (!(await so())) await page.clock.runFor(tick);
  }
  async function come(page: Page, chapter: string, hash = ''): Promise<void> {
    await forgotten(page);
    await page.clock.install();
    await page.goto(`./${chapter}/${hash}`);
    await page.locator('[data-variant]').first().waitFor();
    await hold(page);
  }
  /** Enough time for anything, and longer than a figure plays. */
  const wait = (page: Page) => page.clock.runFor(20_000);
  const chosen = (page: Page, key: string) =>
    page
      .getByRole('radio', { name: message(key), exact: true })
      .getAttribute('aria-checked')
      .then((is) => is === 'true');
  const isRule = (page: Page, rule: string) =>
    page
      .getByRole('button', { name: message(`mask.rules.names.${rule}`), exact: true })
      .getAttribute('aria-pressed')
      .then((is) => is === 'true');
  /** Expects the mask at its default. */
  async function expectCausal(page: Page): Promise<void> {
    await expect.poll(() => isRule(page, 'padding')).toBe(false);
    expect(await isRule(page, 'causal')).toBe(true);
  }

  test('shows another rule once, and nothing that answers the question', async ({ page }) => {
    await come(page, 'mask');
    const leaks = () =>
      page
        .locator('[data-leak]')
        .evaluateAll((all) => all.filter((one) => Number((one as HTMLElement).dataset.leak) > 0));
    await until(page, () => isRule(page, 'padding'));
    expect(await isRule(page, 'causal')).toBe(false);
    expect(await chosen(page, 'mask.hide.names.infinity')).toBe(true);
    expect(await leaks()).toEqual([]);
    await until(page, () => isRule(page, 'causal'));
    await expectCausal(page);
    expect(await known(page)).toBe('rules');
    await wait(page);
    await expectCausal(page);
  });

  test('lets a row and a column cross, and waits at their end', async ({ page }) => {
    await come(page, 'attend');
    const motion = page.locator('[data-motion="cross"]');
    await until(page, async () => (await motion.count()) > 0);
    const slider = motion.getByRole('slider');
    await expect(slider).toHaveCount(1);
    await until(page, () => slider.evaluate((one: HTMLInputElement) => one.value === one.max));
    await wait(page);
    await expect(motion).toHaveCount(1);
    expect(await known(page)).toBe('crossing');
  });

  test('parts the senses of a word layer by layer', async ({ page }) => {
    await come(page, 'meaning');
    await page.locator('#bank .card').scrollIntoViewIfNeeded();
    const depth = page.locator('[data-figure="senses"] .depth input');
    await until(page, async () => (await depth.count()) > 0);
    await page.locator('[data-figure="senses"]').evaluate((one) => one.scrollIntoView());
    await until(page, () => depth.evaluate((one: HTMLInputElement) => one.value === one.max));
    expect(await known(page)).toBe('bank');
    await wait(page);
    expect(await depth.evaluate((one: HTMLInputElement) => one.value === one.max)).toBe(true);
  });

  test('is at its end for who touches anything', async ({ page }) => {
    await come(page, 'mask');
    await until(page, () => isRule(page, 'padding'));
    await page.keyboard.press('Shift');
    await expectCausal(page);
    await wait(page);
    await expectCausal(page);
  });

  const waits = async (page: Page) => {
    await wait(page);
    await expectCausal(page);
    expect(await known(page)).toBeNull();
  };

  test('waits for who asks for less motion', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await come(page, 'mask');
    await waits(page);
  });

  test('waits for who comes by a link', async ({ page }) => {
    await come(page, 'mask', '#?seed=2');
    await waits(page);
  });
});
