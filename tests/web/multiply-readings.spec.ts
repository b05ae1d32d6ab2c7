// Chapter "Multiply": the first figure's text for a step, and the step at which another reading continues.
import { expect } from './fixtures.ts';
import { rowsOf } from './lessons.ts';
import { message } from './messages.ts';
import { a, b, test } from './multiply-page.ts';
import { tril } from './oracle.ts';

test('a dot product is written out with its numbers, as the core adds them up', async ({
  lesson,
  page,
}) => {
  const core = await tril();
  const product = rowsOf(core.matmul(core.tensor(a), core.tensor(b)));
  const written = (value: number) => String(value).replace('-', '−');
  const factor = (value: number) => (value < 0 ? `(${written(value)})` : written(value));
  for (const [width, height] of [
    [1440, 1000],
    [360, 740],
  ]) {
    await page.setViewportSize({ width, height });
    for (const step of [0, 2, 5]) {
      await lesson.open({ step: String(step + 1) });
      const [row, col] = [Math.floor(step / 2), step % 2];
      const terms = a[row].map((value, k) => `${factor(value)}·${factor(b[k][col])}`);
      await expect(page.locator('[data-sum]')).toHaveText(
        `${terms.join(' + ')} = ${written(product[row][col])}`,
      );
    }
  }
});

test('another reading goes on where the one before stood, and a full C stays full', async ({
  lesson,
  page,
}) => {
  const figure = lesson.figure('readings');
  const read = (name: string) =>
    page.getByRole('radio', { name: message(`multiply.readings.names.${name}`) }).click();
  await lesson.open({ step: '3' });
  await read('rows');
  await expect(figure).toHaveAttribute('data-done', '3');
  await read('outer');
  await expect(figure).toHaveAttribute('data-done', '3');
  await lesson.open({ step: '6' });
  for (const [name, done] of [
    ['rows', 12],
    ['columns', 8],
    ['outer', 4],
    ['dots', 6],
  ] as const) {
    await read(name);
    await expect(figure).toHaveAttribute('data-done', String(done));
  }
});
