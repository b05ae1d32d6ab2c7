// Chapter "Write", around the code: a line as a picture, the keys of a phone, the links from other chapters, and a
// solution's translation to other languages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exerciseIds, packed } from '../../web/src/state/write.ts';
import { chapters } from './chapters.ts';
import { expect } from './fixtures.ts';
import { takeOf } from './menus.ts';
import { message } from './messages.ts';
import { saved } from './saved.ts';
import { right, test } from './write-page.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('any line is saved as a picture, with its code, and nothing of other lines', async ({
  lesson,
  page,
}) => {
  await lesson.open({ code: packed(right) });
  for (const [row, name, code] of [
    [lesson.row(0), 'given', message('write.given')],
    [lesson.row(5), 'line5', 'weights = softmax(scores)'],
  ] as const) {
    await row.hover();
    const { name: file, content } = await saved(page, row, 'SVG');
    expect(file).toBe(`tril-write-attention-${name}.svg`);
    const { texts, matrices } = await page.evaluate((svg) => {
      const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
      return {
        texts: parsed.documentElement.textContent.replace(/\s+/gu, ' '),
        matrices: [...parsed.querySelectorAll('[data-matrix]')].map((one) =>
          one.getAttribute('data-matrix'),
        ),
      };
    }, content.toString('utf8'));
    expect(texts).toContain(code);
    const ids = await row
      .locator('[data-matrix]')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.matrix));
    expect(matrices).toEqual(ids);
  }
  // Each row has one keyboard stop for it.
  const buttons = lesson.row(5).getByRole('toolbar').getByRole('button');
  await expect(buttons).toHaveCount(2);
  await buttons.first().focus();
  await expect(buttons.first()).toBeVisible();
  const png = await saved(page, lesson.row(5), 'PNG');
  expect(png.content.subarray(1, 4).toString()).toBe('PNG');
});

test('the code goes along as NumPy, PyTorch and C++, too', async ({ lesson, page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await lesson.open({ code: packed(right) });
  const take = await takeOf(page, 'write-attention');
  for (const [language, has] of [
    ['numpy', 'import numpy as np'],
    ['pytorch', 'import torch'],
    ['cpp', '#include'],
  ] as const) {
    await take.getByRole('button', { name: message(`figures.take.code.${language}`) }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(has);
  }
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('code above, matrices below, and a bar of keys that are far away', async ({
    lesson,
    page,
  }) => {
    await lesson.open();
    const editor = await lesson.editor();
    await lesson.write('');
    await editor.tap();
    const bar = lesson.bench.getByRole('toolbar', { name: message('write.keys.label') });
    for (const key of ['@', '[', ']', ':', '(', ')', '='])
      await bar.getByRole('button', { name: message('write.keys.type', { key }) }).tap();
    await expect(editor).toHaveText('@[]:()=');
    await expect(editor).toBeFocused();
    await lesson.write(right);
    const [above, below] = await Promise.all(
      [editor, lesson.row(4)].map(async (part) => (await part.boundingBox())!),
    );
    expect(above.y + above.height).toBeLessThanOrEqual(below.y);
    // No wider than the page.
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

test('every other chapter has a door into it, and each leads to an exercise that there is', () => {
  for (const { id } of chapters) {
    if (['home', 'write'].includes(id)) continue;
    const file = join(import.meta.dirname, `../../web/src/texts/en/${id}.md`);
    const doors = [...readFileSync(file, 'utf8').matchAll(/\]\(write#\?exercise=([\w-]+)\)/gu)];
    expect(doors.length, id).toBeGreaterThan(0);
    for (const [, exercise] of doors) expect(exerciseIds).toContain(exercise);
  }
});
