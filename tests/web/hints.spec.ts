// The text of a title attribute, which browsers show only to a mouse, is reachable by keys and by touch, and is read
// aloud.
import { expect, test } from './fixtures.ts';
import { asSeen, chapters, open, unfold } from './reach.ts';
import { usual, weekly } from './weekly.ts';

for (const { id } of chapters) {
  test(`titles are found without a mouse: ${id}`, weekly(id, usual), async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id === 'attend' ? 'attend?step=output' : id);
    await unfold(page);
    await asSeen(page);
    const unreached = () =>
      page.evaluate(() => {
        const plain = (text: string) => text.replaceAll(/\s+/gu, ' ').trim();
        const said = [...document.querySelectorAll('main [aria-label]')]
          .filter((element) => !element.closest('[aria-hidden=true]'))
          .map((element) => element.getAttribute('aria-label')!);
        const seen = plain(document.querySelector('main')!.innerText);
        const all = plain(said.join(' '));
        const words = (title: string) => title.split(' ').every((word) => all.includes(word));
        return [...document.querySelectorAll<HTMLElement>('main [title]')]
          .filter((element) => {
            const { title } = element;
            if (element.localName === 'iframe') return false;
            if (element.closest('[aria-hidden=true]'))
              return !words(title) && !seen.includes(title);
            if (element.tabIndex === 0) return false;
            const around = element.parentElement!;
            const group = around.closest('table, ol, ul, dl, p, [role=group]') ?? around;
            return ![...group.querySelectorAll<HTMLElement>('[title]')].some(
              ({ tabIndex }) => tabIndex === 0,
            );
          })
          .map((element) => `${element.localName}.${element.className}: ${element.title}`);
      });
    // The script that shows titles is loaded with the first key press.
    await expect(async () => {
      await page.keyboard.press('Tab');
      expect(await unreached()).toEqual([]);
    }).toPass({ timeout: 20_000 });
  });
}

test('keys come to a title, go along others of its group, and leave it', async ({ page }) => {
  await open(page, 'attend?step=output');
  await page.keyboard.press('Tab');
  const hint = page.locator('[data-hint]');
  const title = page.locator('.readout [title]').first();
  await expect(async () => {
    await page.keyboard.press('Tab');
    await expect(title).toHaveAttribute('tabindex', '0', { timeout: 100 });
  }).toPass();
  await title.focus();
  await expect(hint).toHaveText((await title.getAttribute('title'))!);
  await page.keyboard.press('ArrowDown');
  const second = page.locator('.readout [title]').nth(1);
  await expect(second).toBeFocused();
  await expect(hint).toHaveText((await second.getAttribute('title'))!);
  await page.keyboard.press('Home');
  await expect(title).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(hint).toHaveCount(0);
  await page.keyboard.press('ArrowDown');
  await expect(hint).toHaveCount(1);
  await page.keyboard.press('Tab');
  await expect(second).not.toBeFocused();
  await expect(page.locator('.readout [tabindex="0"]')).toHaveCount(1);
});

test.describe('by a finger', () => {
  test.use({ hasTouch: true });

  test('a tap shows a title, and one elsewhere hides it', async ({ page }) => {
    await open(page, 'attend?step=output');
    const title = page.locator('.readout [title]').nth(2);
    await title.scrollIntoViewIfNeeded();
    await title.tap();
    const hint = page.locator('[data-hint]');
    await expect(hint).toHaveText((await title.getAttribute('title'))!);
    const inWindow = await hint.evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight;
    });
    expect(inWindow).toBe(true);
    await page.locator('h1').tap();
    await expect(hint).toHaveCount(0);
  });
});
