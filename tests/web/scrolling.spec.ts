// Scrolling keys belong to the reader: nothing takes them unless they move the focused element.
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { pressToScroll } from './scroll-key.ts';
import { usual, weekly } from './weekly.ts';

const keys = [
  'Space',
  'ArrowDown',
  'ArrowUp',
  'ArrowLeft',
  'ArrowRight',
  'PageDown',
  'Home',
  'End',
];

for (const { id } of chapters) {
  test(`keys scroll where nothing has the focus: ${id}`, weekly(id, usual), async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      const seen: Record<string, boolean> = {};
      Object.assign(window, { seen });
      // Runs after the page's own listeners, which were there before.
      addEventListener('keydown', (event) => (seen[event.code] = event.defaultPrevented));
    });
    await expect(page.locator('body')).toBeFocused();
    const top = () => page.evaluate(() => scrollY);
    const address = page.url();
    let before = await top();
    for (const key of ['Space', 'ArrowDown'] as const) {
      await pressToScroll(page, key, before);
      before = await top();
    }
    for (const key of keys) await page.keyboard.press(key);
    const taken = await page.evaluate(() => (window as unknown as { seen: object }).seen);
    expect(taken).toEqual(Object.fromEntries(keys.map((key) => [key, false])));
    expect(page.url()).toBe(address);
  });
}
