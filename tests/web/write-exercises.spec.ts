// Chapter "Write", further: deviations that no known mistake explains, the parts of a solution, progress as a file, and
// other people's exercises.
import { exerciseLink, type WrittenExercise } from 'tril/notebook';
import { packed } from '../../web/src/state/write.ts';
import { expect } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { right, test } from './write-page.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('where no mistake fits, the right value stands beside the one that departs', async ({
  lesson,
}) => {
  await lesson.open();
  await lesson.write(right.replace('/ np.sqrt(Q.shape[-1])', '/ np.sqrt(Q.shape[-1]) * 1.5'));
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'different');
  await expect(lesson.verdict).toContainText(/Line 4 .* Element \[0, 0\] is \S+, must be \S+\./u);
  const [yours, wanted] = await lesson.verdict
    .locator('[data-departed] td.first')
    .allTextContents();
  expect(Number(yours) / Number(wanted)).toBeCloseTo(1.5, 1);
});

test('a solved one says what it consists of, and is measured when it is asked', async ({
  lesson,
}) => {
  test.slow();
  await lesson.open({ code: packed(right) });
  const mine = lesson.bench.locator('[data-mine]');
  await expect(mine).toContainText('2 products, 1 softmax');
  await mine.getByRole('button').click();
  await expect(mine).toHaveAttribute('data-mine', 'measured', { timeout: 60_000 });
  await expect(mine).toContainText('4.2 MB of scores');
  const times = await mine
    .locator('[data-milliseconds]')
    .evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset.milliseconds)));
  expect(times).toHaveLength(2);
  expect(Math.min(...times)).toBeGreaterThan(0);
  // The mark belonged to other code.
  await lesson.write(`${right}\n`);
  await expect(mine).toHaveAttribute('data-mine', 'counted');
});

test('progress is taken along, and what is no such file is refused', async ({ lesson, page }) => {
  await lesson.open({ code: packed(right) });
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
  await lesson.write(`${right}# kept\n`);
  // The code is stored a while after the last key.
  const kept = () => page.evaluate(() => localStorage.getItem('tril.write'));
  await expect.poll(kept).toContain('# kept');
  const saving = page.waitForEvent('download');
  await lesson.bench.getByRole('button', { name: message('write.save') }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe('tril-write.json');
  const chunks = await (await file.createReadStream()).toArray();
  const text = Buffer.concat(chunks as Buffer[]);
  await page.evaluate(() => localStorage.removeItem('tril.write'));
  await page.goto('about:blank');
  await lesson.open();
  await expect(lesson.chosen).not.toHaveText(/✓/u);
  const input = lesson.bench.locator('input[type="file"]');
  const give = (buffer: Buffer) =>
    input.setInputFiles({ name: 'p.json', mimeType: 'application/json', buffer });
  for (const wrong of ['{', '3', '{"of":"other","version":1,"exercises":{}}', 'x'.repeat(2e6)]) {
    await give(Buffer.from(wrong));
    await expect(lesson.bench.getByRole('alert')).toHaveText(message('write.notProgress'));
  }
  await give(text);
  await expect(lesson.bench.getByRole('alert')).toHaveCount(0);
  await expect(lesson.chosen).toHaveText(/✓/u);
  await expect(await lesson.editor()).toContainText('# kept');
});

const teachers: WrittenExercise = {
  ...{ id: 'double', title: 'Twice as much', task: 'Return `x + x`.', name: 'double' },
  ...{ parameters: ['x'], hints: ['Add it.'], skeleton: 'def double(x):\n    pass\n' },
  program: 'def double(x):\n    return x + x\n',
  cases: [{ name: '2 rows', inputs: { x: { shape: [2, 3] } } }],
};

test('a teacher’s exercise is a link', async ({ lesson, page }) => {
  const made = (await exerciseLink(teachers)).replace('#?made=', '');
  await lesson.open({ made });
  await expect(lesson.chosen).toHaveText('Twice as much');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'missing');
  await lesson.write('def double(x):\n    return x * 3\n');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'different');
  await expect(lesson.verdict).toContainText('Line 2 ');
  await lesson.bench.getByRole('button', { name: messagePattern('write.hint') }).click();
  await expect(lesson.bench.locator('.hints li')).toHaveText('Add it.');
  await lesson.write('def double(x):\n    return 2 * x\n');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'right');
  await lesson.ladder.selectOption('softmax');
  await expect(lesson.chosen).toContainText('Softmax that holds');
  await expect(page).not.toHaveURL(/made=/u);
});

test('hostile links are said, and the page goes on', async ({ lesson }) => {
  test.slow();
  for (const made of ['AAAA', packed('{}'), packed(' '.repeat(1e6))]) {
    await lesson.open({ made });
    await expect(lesson.bench.getByRole('alert')).toContainText(/must be|cannot be read/u);
  }
  const endless = { ...teachers, program: 'def double(x):\n    while True: pass\n' };
  await lesson.open({ made: (await exerciseLink(endless)).replace('#?made=', '') });
  await expect(lesson.page.getByText(/its right program stops/u).first()).toBeVisible();
  await lesson.ladder.selectOption('softmax');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'missing');
});

test('an exercise is made of a right program, and what is wrong with it is said', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  await page.locator('#make').scrollIntoViewIfNeeded();
  const make = page.locator('#make');
  const start = make.getByRole('button', { name: message('write.make.start') });
  await start.click();
  const status = make.locator('[data-made]');
  await expect(status).toHaveAttribute('data-made', 'link');
  const link = make.getByRole('link', { name: message('write.make.link') });
  const href = await link.getAttribute('href');
  for (const [field, text, says] of [
    ['cases', 'x: many', /cases: .* is not like/u],
    ['cases', 'x: 1000', /integers from 1 to 64/u],
    ['skeleton', 'x = 1', /defines no function/u],
    ['program', 'def window(x):\n    return y', /its right program stops/u],
  ] as const) {
    const box = make.locator(`[name="${field}"]`);
    const before = await box.inputValue();
    await box.fill(text);
    await start.click();
    await expect(status).toHaveAttribute('data-made', 'problem');
    await expect(status).toContainText(says);
    await box.fill(before);
  }
  await page.goto('about:blank');
  await page.goto(href!);
  await expect(lesson.chosen).toHaveText('A window of two');
  await expect(lesson.verdict).toHaveAttribute('data-verdict', 'missing');
});
