// A screen reader hears the text of a cell once. After a key the cell itself says its text, so the reason below is
// silent; the reason speaks after a pointer or a player has led to a cell, and on request.
import { boxOf } from './box.ts';
import { expect, test } from './fixtures.ts';
import { asSeen, chapters, open, unfold } from './reach.ts';
import { usual, weekly } from './weekly.ts';

for (const { id } of chapters) {
  test(`a cell is said once: ${id}`, weekly(id, [...usual, 'mask']), async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id);
    await unfold(page);
    await asSeen(page);
    // Counts the reasons with a matrix in their figure, and marks the first matrix of each.
    const count = await page.evaluate(() => {
      let pairs = 0;
      for (const why of document.querySelectorAll<HTMLElement>('.card .why[aria-live]')) {
        const card = why.closest('.card')!;
        const grid = card.querySelector<HTMLElement>('[data-matrix] [role="grid"]');
        if (!grid || card.querySelectorAll('.why[aria-live]').length > 1) continue;
        why.dataset.pair = grid.dataset.pair = String(pairs++);
      }
      return pairs;
    });
    for (let pair = 0; pair < count; ++pair) {
      const why = page.locator(`.why[data-pair="${pair}"]`);
      const grid = page.locator(`[role="grid"][data-pair="${pair}"]`);
      const spoken = () =>
        grid.evaluate((element) => {
          const cell = document.getElementById(element.getAttribute('aria-activedescendant')!);
          return cell?.getAttribute('aria-label') ?? cell?.textContent ?? '';
        });
      await grid.scrollIntoViewIfNeeded();
      await page.mouse.move(0, 0);
      await page.keyboard.press('Tab'); // from now on the visitor uses keys
      await grid.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      expect((await spoken()).trim(), `${id} ${pair}`).not.toBe('');
      await expect(why).toHaveAttribute('data-why', /./u);
      await expect(why).toHaveAttribute('aria-live', 'off');
      // On request the reason says all of its text.
      const isMask = await grid.evaluate((element) =>
        Boolean(element.querySelector('[role="gridcell"]:not([class*="cell"])')),
      );
      await page.keyboard.press(isMask ? 'Enter' : 'Space');
      await expect(why).toHaveAttribute('aria-live', 'polite');
      await expect(why).toHaveAttribute('aria-atomic', 'true');
      await page.keyboard.press('ArrowLeft');
      await expect(why).toHaveAttribute('aria-live', 'off');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowUp');
      await expect(why).toHaveAttribute('aria-live', 'off');
      const box = await boxOf(grid);
      const edge = 4; // in the last cell: a key that leads to it again changes nothing
      await page.mouse.move(box.x + box.width - edge, box.y + box.height - edge);
      await expect(why).toHaveAttribute('aria-live', 'polite');
    }
    const withReasons = ['attend', 'average', 'mask', 'heads', 'block', 'towers', 'learn'];
    if (withReasons.includes(id)) expect(count).toBeGreaterThan(0);
  });
}

test('what a player comes to is said', async ({ attend, page }) => {
  await attend.open({ step: 'scores' });
  const grid = attend.grid('scores');
  await page.keyboard.press('Tab');
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await expect(attend.why).toHaveAttribute('aria-live', 'off');
  await page.keyboard.press('Tab');
  await expect(attend.why).toHaveAttribute('aria-live', 'polite');
});
