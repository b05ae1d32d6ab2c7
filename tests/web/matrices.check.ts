// Matrices in a right-to-left language: columns still run from the left, labels are at their columns and rows, and
// pointer and keys hit the visible cell.
import { expect, test } from './fixtures.ts';
import { asSeen, chapters, open, unfold } from './reach.ts';

test.beforeEach(({ page: _ }, { project }) => {
  test.skip(project.name !== 'ar-XB', 'this language is not read from right to left');
});

const withMatrices = ['attend', 'average', 'mask', 'heads', 'multiply', 'block', 'towers', 'learn'];
/** The number of matrices to check in a chapter, from the top. */
const most = 5;

for (const { id } of chapters.filter((chapter) => withMatrices.includes(chapter.id))) {
  test(`matrices of ${id} run from left to right`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id === 'attend' ? 'attend?step=scores' : id);
    await unfold(page);
    await asSeen(page);

    const misplaced = await page.evaluate(() => {
      const off: string[] = [];
      for (const figure of document.querySelectorAll<HTMLElement>('[data-matrix]')) {
        const grid = figure.querySelector('[role="grid"]')!.getBoundingClientRect();
        if (grid.width === 0) continue;
        const cell = parseFloat(
          getComputedStyle(figure.querySelector('.body')!).getPropertyValue('--cell'),
        );
        for (const one of figure.querySelectorAll<HTMLElement>('[role="gridcell"][data-col]')) {
          const turned = figure.dataset.transposed !== undefined;
          const { row, col } = one.dataset;
          const from = grid.left + Number(turned ? row : col) * cell;
          const { left } = one.getBoundingClientRect();
          if (Math.abs(left - from) > 2) off.push(`${one.id} at ${left}, not at ${from}`);
        }
        for (const label of figure.querySelectorAll<HTMLElement>('.labels > span')) {
          const at = parseFloat(label.style.getPropertyValue('--at'));
          const box = label.getBoundingClientRect();
          const name = label.textContent;
          const classes = label.parentElement!.classList;
          if (classes.contains('left')) {
            const beside = box.right <= grid.left + 1 && box.right > grid.left - 24;
            const level = Math.abs(box.top + box.height / 2 - grid.top - at) < 3;
            if (!beside || !level) off.push(`${figure.dataset.matrix}: ${name} beside`);
          } else {
            const begins = classes.contains('level') ? box.left + box.width / 2 : box.left;
            const far = Math.abs(begins - grid.left - at);
            if (far > Math.max(8, cell / 2)) off.push(`${figure.dataset.matrix}: ${name} above`);
          }
        }
      }
      return off;
    });
    expect(misplaced).toEqual([]);

    const matrices = page.locator('.card:has(.why[aria-live]) [data-matrix]:not(.small)');
    const count = Math.min(most, await matrices.count());
    expect(count).toBeGreaterThan(0);
    for (let i = 0; i < count; ++i) {
      const matrix = matrices.nth(i);
      const grid = matrix.getByRole('grid');
      await grid.scrollIntoViewIfNeeded();
      const named = (await matrix.getAttribute('data-matrix'))!;
      const cells = matrix.locator('[role="gridcell"][data-col]');
      const why = page.locator(`.card:has([data-matrix="${named}"]) .why[aria-live]`).first();
      const looked = matrix.locator('[data-mark="looked"]');
      const boxOf = (target: typeof looked) =>
        target.evaluate((element) => {
          const { left, top, width } = element.getBoundingClientRect();
          return [left, top, width].map(Math.round);
        });
      // The first and the last cell of the first row, by position.
      const columns = Number(await grid.getAttribute('aria-colcount'));
      for (const index of new Set([0, columns - 1])) {
        const cell = cells.nth(index);
        await cell.hover({ force: true });
        await expect(why).toHaveAttribute('data-why', named);
        const [mark, box] = [await boxOf(looked), await boxOf(cell)];
        for (const [j, value] of box.entries()) {
          expect(Math.abs(mark[j] - value), `${named} ${index}`).toBeLessThan(3);
        }
        const value = (await cell.getAttribute('aria-label'))!.split(' ').at(-1)!;
        if (!(await cell.getAttribute('class'))!.includes('hidden'))
          await expect(why).toContainText(value.slice(0, 3).replace(/[^\d.−]/gu, ''));
      }
      await page.mouse.move(0, 0);
      await page.keyboard.press('Tab');
      await grid.focus();
      await page.keyboard.press('Home');
      const [first] = await boxOf(looked);
      await page.keyboard.press('ArrowRight');
      const [next, , width] = await boxOf(looked);
      expect(next - first, named).toBe(columns > 1 ? width : 0);
    }
  });
}
