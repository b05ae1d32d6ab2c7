// Every matrix of every chapter as it opens, read back: the digits that are seen are those that are read aloud, and each
// cell has the place, the size, the strength and the colour of its number. That the numbers are the core's, the chapters'
// own tests find, with the same reader.
import { expectMatrix, expectPlaces, readMatrices, spokenOf } from './drawn.ts';
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';

/** What a chapter opens with, at the least. */
const least: Readonly<Record<string, number>> = {
  ...{ multiply: 9, average: 8, attend: 7, mask: 5, heads: 9, block: 8, towers: 5, longer: 9 },
  check: 0, // its numbers are tables
};

for (const { id } of chapters) {
  test(`every matrix is drawn as its numbers are: ${id}`, async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page, id);
    const matrices = await readMatrices(page.locator('main [data-matrix]:visible'));
    expect(matrices.length).toBeGreaterThanOrEqual(least[id]);
    for (const matrix of matrices) {
      expect(matrix.cells.length, matrix.id).toBeGreaterThan(0);
      expectMatrix(matrix, spokenOf);
      expectPlaces(matrix);
    }
  });
}
