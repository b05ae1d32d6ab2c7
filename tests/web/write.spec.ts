// Chapter "Write": code that is written in the page, the result of each of its lines, and the mistake by its name.
import { checkExercise, exercises } from 'tril/notebook';
import { exerciseIds, packed } from '../../web/src/state/write.ts';
import { expectAccessible } from './axe.ts';
import { expect } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { takeOf } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';
import { settled } from './settled.ts';
import { head, right, test } from './write-page.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('names the mistake, and the line; mended, it is right, and stays solved', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  await expect(lesson.verdict).toHaveAttribute('data-mistake', 'no-scale');
  await expect(lesson.verdict).toContainText('Line 4');
  await lesson.write(right);
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
  await expect(lesson.chosen).toHaveText(/✓ \d+\s+One head/u);
  await settled(page);
  // The link holds the code, and this browser stores it, too.
  await expect(page).toHaveURL(/#\?code=[\w-]+$/u);
  const link = page.url();
  await page.goto('about:blank');
  await lesson.open();
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
  await expect(lesson.chosen).toHaveText(/✓/u);
  await page.evaluate(() => localStorage.removeItem('tril.write'));
  await page.goto('about:blank');
  await page.goto(link);
  await page.locator('[data-variant]').waitFor();
  await settled(page);
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
  await page.getByRole('button', { name: message('write.again') }).click();
  await expect(lesson.verdict).toHaveAttribute('data-mistake', 'no-scale');
});

test('says of each exercise what the package says', async ({ lesson }) => {
  const core = await tril();
  expect(exercises.map(({ id }) => id)).toEqual([...exerciseIds]);
  for (const { id, skeleton, hints, title } of exercises) {
    const code = `${skeleton}\n# as it was given\n`;
    await lesson.open({ exercise: id, code: packed(code) });
    const { kind, message: says } = checkExercise(core, id, code);
    await expect(lesson.verdict).toHaveAttribute('data-verdict', kind);
    await expect(lesson.verdict).toContainText(says);
    await expect(lesson.chosen).toContainText(title);
    for (const [i, hint] of hints.entries()) {
      const button = lesson.bench.getByRole('button', { name: messagePattern('write.hint') });
      await button.click();
      await expect(lesson.bench.locator('.hints li')).toHaveCount(i + 1);
      await expect(lesson.bench.locator('.hints li').last()).toHaveText(hint.replaceAll('`', ''));
    }
  }
});

test('a line that is not written yet is a frame of the shape that is wanted', async ({
  lesson,
}) => {
  await lesson.open({ exercise: 'heads' });
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'missing');
  await expect(lesson.bench.locator('.wanted')).toHaveCount(1);
  await expect(lesson.bench.locator('.wanted .frame')).toHaveText(/^\[[\d, ]+\]$/u);
});

test('why a number is what it is, down to what it is made of', async ({ lesson, page }) => {
  await lesson.open();
  await lesson.point('line4-scores', 1, 2);
  const [scores, Q, K] = await Promise.all(
    ['line4-scores', 'given-Q', 'given-K'].map((id) => lesson.drawn(id)),
  );
  const sum = Q[1].reduce((all, q, i) => all + q * K[2][i], 0);
  expect(Math.abs(sum - scores[1][2])).toBeLessThan(1e-5);
  const why = lesson.bench.locator('.why');
  await expect(why).toHaveAttribute('data-why', 'line4-scores');
  await expect(why).toContainText('scores = Q @ K.swapaxes(-1, -2)');
  // A row of Q and a row of K light up.
  for (const id of ['given-Q', 'given-K']) {
    await expect(lesson.bench.locator(`[data-matrix="${id}"] [data-mark="lit"]`)).toHaveCount(1);
  }
  await expect(lesson.bench.locator('[data-pinned]')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(lesson.bench.locator('[data-pinned]')).toHaveCount(0);
});

test('an error stands at its line, and what is above it stays', async ({ lesson }) => {
  await lesson.open();
  await lesson.write(head('Q @ K'));
  const row = lesson.row(4);
  await expect(row).toContainText('ValueError');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'error');
  await expect(lesson.bench.locator('[data-matrix="given-Q"]')).toBeVisible();
  await expect(lesson.row(5)).toHaveCount(0);
  // For code that cannot be parsed the earlier results stay, up to the line.
  await lesson.write(right);
  await expect(lesson.row(5)).toBeVisible();
  await lesson.write(right.replace('return weights @ V', 'return weights @'));
  await expect(lesson.verdict).toContainText('SyntaxError');
  await expect(lesson.row(4).locator('[data-matrix]')).toBeVisible();
  await expect(lesson.row(5).locator('[data-matrix]')).toBeVisible();
  await expect(lesson.row(9)).toHaveCount(0);
});

test('an empty editor stays empty, and what is too long stays and is said', async ({ lesson }) => {
  await lesson.open();
  const editor = await lesson.editor();
  await lesson.write('');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'missing');
  await settled(lesson.page);
  await expect(editor).toHaveText('');
  const long = `# ${'a'.repeat(20_000)}`;
  await lesson.write(long);
  await expect(lesson.bench.getByRole('alert')).toHaveText(messagePattern('write.long'));
  await settled(lesson.page);
  await expect(editor).toContainText('aaaa');
  await lesson.write(right);
  await expect(lesson.bench.getByRole('alert')).toHaveCount(0);
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
});

test('where there are too many numbers, each still has its value', async ({ lesson, page }) => {
  await lesson.open();
  await page.locator('#own').scrollIntoViewIfNeeded();
  await lesson.write(
    'import numpy as np\nx = np.arange(640000.0).reshape(800, 800)\ny = x[1:3, :2]\n',
    '#own',
  );
  await expect(lesson.row(2, '#own')).toContainText(messagePattern('write.cut'));
  await page.locator('[data-matrix="own-line3-y"]').waitFor();
  expect(await lesson.drawn('own-line3-y')).toEqual([
    [800, 801],
    [1600, 1601],
  ]);
  await lesson.point('own-line3-y', 1, 1);
  await expect(page.locator('#own .why')).toContainText(message('write.why.many'));
});

test('what never ends is stopped with a sentence, and the page goes on', async ({ lesson }) => {
  test.slow();
  await lesson.open();
  for (const code of [
    'while True:\n    pass',
    'def f(n):\n    return f(n + 1)\nf(0)',
    'import numpy as np\nx = np.zeros(10 ** 9)',
    'x = [0]\nfor i in x:\n    x.append(i)',
  ]) {
    await lesson.write(code);
    await expect(lesson.verdict).toHaveAttribute('data-verdict', 'error');
    await expect(lesson.verdict).toContainText(/Line [123]: /u);
  }
  await lesson.write(right);
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
});

test('a program of one’s own, with what it prints', async ({ lesson, page }) => {
  await lesson.open({ program: 'triangle' });
  await page.locator('#own').scrollIntoViewIfNeeded();
  await expect(lesson.row(12, '#own').locator('.printed')).toHaveText('True');
  await lesson.write(
    'import numpy as np\nx = np.arange(6.0).reshape(2, 3)\nprint(x.sum())\n',
    '#own',
  );
  await expect(lesson.row(3, '#own').locator('.printed')).toHaveText('15.0');
  expect(await lesson.drawn('own-line2-x')).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
  // A loop shows its last iteration, and how many there were.
  await lesson.write('s = 0\nfor i in range(7):\n    s += i\n    print(s)\n', '#own');
  await expect(lesson.row(4, '#own')).toContainText(messagePattern('write.times'));
  for (const id of ['average', 'self', 'heads', 'block'] as const) {
    await page
      .locator('#own')
      .getByRole('radio', { name: message(`write.programs.${id}`) })
      .click();
    await expect(page.locator('#own [data-bench] li[data-line]').first()).toBeVisible();
    await settled(page);
    await expect(page.locator('#own .error')).toHaveCount(0);
  }
});

test('a file of one’s own: a notebook’s cells one after another', async ({ lesson, page }) => {
  await lesson.open();
  await page.locator('#own').scrollIntoViewIfNeeded();
  const input = page.locator('#own input[type="file"]');
  const cells = [
    '%matplotlib inline\nimport numpy as np',
    'x = (1',
    'print(np.eye(2).sum())\n40 + 2',
    'y = 1\nnothing',
  ].map((source) => ({ cell_type: 'code', source }));
  const give = (name: string, text: string) =>
    input.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await give('homework.ipynb', JSON.stringify({ nbformat: 4, cells }));
  const output = (cell: number) => page.locator(`#own [data-cell="${cell}"]`);
  await expect(output(3).locator('.printed')).toHaveText('2.0\n42');
  await expect(output(2)).toContainText('SyntaxError');
  await expect(output(2)).toContainText('Cell 2, line 1');
  await expect(output(4)).toContainText('Cell 4, line 2: name ');
  await expect(output(1)).toHaveCount(0);
  await give('broken.ipynb', '{');
  await expect(page.locator('#own .problem')).toContainText('is not JSON');
  await give('long.py', `print(1)\n${'#'.repeat(20_000)}`);
  await expect(page.locator('#own .problem')).toHaveText(messagePattern('write.long'));
  await expect(output(3)).toBeVisible();
  await give('mine.py', 'print(40 + 2)\n');
  await expect(lesson.row(1, '#own').locator('.printed')).toHaveText('42');
  await expect(output(3)).toHaveCount(0);
  await expect(page.locator('#own .problem')).toHaveCount(0);
});

test('several matrices of a batch stand beside each other, and each number is made of its own', async ({
  lesson,
  page,
}) => {
  await lesson.open({ program: 'heads' });
  await page.locator('#own').scrollIntoViewIfNeeded();
  await page.locator('[data-matrix="own-line12-attn-0-1"]').waitFor();
  // A number of the second head: nothing of the first head lights up.
  await lesson.point('own-line12-attn-0-1', 2, 1);
  await expect(page.locator('#own .why')).toHaveAttribute('data-why', 'own-line12-attn-0-1');
  const lit = (id: string) => page.locator(`[data-matrix="${id}"] [data-mark="lit"]`);
  await expect(lit('own-line5-made-0-1')).toHaveCount(1);
  await expect(lit('own-line5-made-0-0')).toHaveCount(0);
  await lesson.point('own-line5-made-0-1', 2, 1);
  await expect(lit('own-line4-e-0-1').first()).toBeAttached();
  await expect(lit('own-line4-e-0-0')).toHaveCount(0);
});

test('by keyboard alone: in, out, and a line', async ({ lesson, page }) => {
  await lesson.open();
  const editor = await lesson.editor();
  await editor.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nx = 1');
  await expect(editor).toContainText('x = 1');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(editor).not.toBeFocused();
});

test('the code can be taken along as a file', async ({ lesson, page }) => {
  await lesson.open({ code: packed(right) });
  const take = await takeOf(page, 'write-attention');
  const saving = page.waitForEvent('download');
  await take.getByRole('button', { name: message('write.file') }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe('write-attention.py');
  const chunks = await (await file.createReadStream()).toArray();
  expect(Buffer.concat(chunks as Buffer[]).toString()).toBe(right);
});

test('fits, and has names for everybody', async ({ lesson, page }) => {
  await lesson.open();
  await lesson.editor();
  await expectFits(page);
  await expectAccessible(page);
});
