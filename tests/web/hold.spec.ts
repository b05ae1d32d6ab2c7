// Buttons that repeat while held down: by pointer or key, and only as long as there is a next or previous state.
import type { Locator, Page } from '@playwright/test';
import { boxOf } from './box.ts';
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { open } from './reach.ts';

/** A player of each of the two kinds, and the element that holds its position. */
const players = [
  { chapter: 'attend?step=x', place: '#steps', at: '[data-step]', name: 'data-step' },
  { chapter: 'heads', place: '[data-stepper="heads"]', at: '[data-count]', name: '' },
] as const;

/** Longer than the delay before the first repeat. */
const long = 800;

for (const { chapter, place, at, name } of players) {
  const here = async (page: Page) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, chapter);
    const player = page.locator(place).first();
    const button = (key: string): Locator =>
      player.getByRole('button', { name: message(`figures.player.${key}`), exact: true });
    const shown = player.locator(at).first();
    const where = () => (name ? shown.getAttribute(name) : shown.textContent());
    return { back: button('back'), on: button('step'), where };
  };
  const press = async (page: Page, target: Locator) => {
    await target.scrollIntoViewIfNeeded();
    const box = await boxOf(target);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  };

  test(`only what presses holds: ${chapter}`, async ({ page }) => {
    const { on, where } = await here(page);
    const first = await where();
    await press(page, on);
    for (const button of ['right', 'middle'] as const) {
      await page.mouse.down({ button });
      await page.waitForTimeout(long);
      await page.mouse.up({ button });
      expect(await where(), button).toBe(first);
    }
    await on.dispatchEvent('pointerdown', { button: 0, isPrimary: false, pointerType: 'touch' });
    await page.waitForTimeout(long);
    expect(await where(), 'a second finger').toBe(first);
    await page.keyboard.press('Escape'); // a menu may be open
    await on.click();
    expect(await where()).not.toBe(first);
  });

  test(`held to its end, the next press counts: ${chapter}`, async ({ page }) => {
    const { back, on, where } = await here(page);
    const first = await where();
    await press(page, on);
    await page.mouse.down();
    await expect(on).toBeDisabled();
    const last = await where();
    await page.mouse.up();
    await back.focus();
    await page.keyboard.press('Enter');
    await expect.poll(where, 'by a key').not.toBe(last);
    const before = await where();
    await page.waitForTimeout(long);
    expect(await where(), 'nothing goes on by itself').toBe(before);
    await press(page, back);
    await page.mouse.down();
    await expect(back).toBeDisabled();
    await page.mouse.up();
    expect(await where()).toBe(first);
    await on.click();
    await expect.poll(where, 'by a click').not.toBe(first);
    // A button released after its repeats has made its steps: the click that follows adds none.
    await press(page, on);
    await page.mouse.down();
    const begun = await where();
    await expect.poll(where).not.toBe(begun);
    await page.mouse.up();
    const after = await where();
    await page.waitForTimeout(long);
    expect(await where()).toBe(after);
  });
}
