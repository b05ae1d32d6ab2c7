// Every input can be changed, everything downstream follows, and going back undoes the change.
import { boxOf } from './box.ts';
import { expect, numberOf, test } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { chapter, contentOf, idsOf } from './oracle.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
const content = idsOf(tokens).map(contentOf);

/** Computes the default text with head "previous token" and W_Q[0, 7] set to `value`. */
async function changed(value: number) {
  return chapter({
    content,
    head: 'previous',
    causal: true,
    tokens: true,
    change: ({ wq }) => (wq[0][7] = value),
  });
}

test('an edited weight changes Q, scores, weights and output, and is marked', async ({
  attend,
  page,
}) => {
  await attend.open({ head: 'previous', step: 'q' });
  await attend.point('wq', 0, 7);
  await page.getByLabel(message('figures.why.edit')).first().fill('-7.5x');
  await page.getByRole('button', { name: message('figures.why.set'), exact: true }).click();
  await expect(page.getByText(message('figures.why.notANumber'), { exact: true })).toBeVisible();
  await page.getByLabel(message('figures.why.edit')).first().fill('−7.5');
  await page.keyboard.press('Enter');
  await expect(attend.cell('wq', 0, 7)).toHaveText(/^−7\.50?$/);
  await expect(attend.cell('wq', 0, 7)).toHaveClass(/edited/);
  await expect(page.getByRole('button', { name: message('attend.head.own') })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(page).toHaveURL(/edits=wq/);

  const expected = await changed(-7.5);
  for (const [step, id] of [
    ['Q', 'q'],
    ['Scores', 'scores'],
    ['Weights', 'weights'],
    ['Output', 'output'],
  ]) {
    await attend.step(step);
    await expect(attend.matrix(id).locator('.changed').first()).toBeVisible();
    const table = await attend.table();
    table.forEach((row, r) =>
      row.forEach((value, c) =>
        expect(value, `${id}[${r}, ${c}]`).toBeCloseTo(expected[id][r][c], 4),
      ),
    );
  }
  // V does not depend on W_Q: none of its cells is marked.
  await attend.step('V');
  await expect(attend.matrix('v').locator('.changed')).toHaveCount(0);
});

test('typing at a cell edits it; back in the browser, the button and the reset undo', async ({
  attend,
  page,
}) => {
  await attend.open({ head: 'previous', step: 'q' });
  await attend.grid('wq').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('3');
  await expect(page.getByLabel(message('figures.why.edit')).first()).toBeFocused();
  await page.keyboard.type('.25');
  await page.keyboard.press('Enter');
  await expect(attend.cell('wq', 1, 0)).toHaveText('3.25');
  await page.goBack();
  await expect(attend.cell('wq', 1, 0)).toHaveText('0');
  await page.goForward();
  await expect(attend.cell('wq', 1, 0)).toHaveText('3.25');
  await page.getByRole('button', { name: message('shell.undo') }).click();
  await expect(attend.cell('wq', 1, 0)).toHaveText('0');
  await expect(page.getByRole('button', { name: message('attend.head.own') })).toHaveAttribute(
    'aria-pressed',
    'false',
  );
});

test('a slider moves a weight; one movement is one step of undo', async ({ attend, page }) => {
  await attend.open({ head: 'previous', step: 'q', pin: 'wq.2.9' });
  const slider = attend.why.locator('input[type="range"]');
  const before = await attend.cell('wq', 2, 9).textContent();
  const box = await boxOf(slider);
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2, { steps: 8 });
  await page.mouse.up();
  await expect(attend.cell('wq', 2, 9)).toHaveClass(/edited/);
  await expect
    .poll(async () => numberOf((await attend.cell('wq', 2, 9).textContent())!))
    .toBeLessThan(0);
  await page.goBack();
  await expect(attend.cell('wq', 2, 9)).toHaveText(before!.trim());
});

test('every press of an arrow key at the slider counts, however late the answers', async ({
  attend,
  page,
}) => {
  await attend.open({ head: 'previous', step: 'q', pin: 'wq.2.9' });
  const slider = attend.why.locator('input[type="range"]');
  const before = Number(await slider.inputValue());
  await slider.focus();
  await page.evaluate(async () => {
    // All presses in one task: the page is drawn again after each, and no answer arrives in between.
    const range = document.activeElement as HTMLInputElement;
    for (let press = 0; press < 5; ++press) {
      range.stepDown();
      for (const type of ['input', 'change']) {
        range.dispatchEvent(new Event(type, { bubbles: true }));
        for (let turn = 0; turn < 20; ++turn) await null;
      }
    }
  });
  await expect
    .poll(async () => numberOf((await attend.cell('wq', 2, 9).textContent())!))
    .toBe(before - 5 * 0.25);
  await expect(slider).toHaveValue(String(before - 5 * 0.25));
});

test('"back to the head as it was" takes all edits back', async ({ attend, page }) => {
  await attend.open({ head: 'previous', step: 'q', edits: 'wq~0~0~5!wv~1~1~-2' });
  await expect(attend.cell('wq', 0, 0)).toHaveText('5');
  await page.getByRole('button', { name: message('attend.resetWeights') }).click();
  await expect(attend.cell('wq', 0, 0)).toHaveText('0');
  await expect(page).not.toHaveURL(/edits/);
});

test("a number of X can be edited where the numbers are the visitor's", async ({
  attend,
  page,
}) => {
  await attend.open({ by: 'numbers', text: '[[1, 2], [3, 4]]', head: 'same', step: 'x' });
  await attend.point('x', 1, 2);
  await page.getByLabel(message('figures.why.edit')).fill('-9');
  await page.keyboard.press('Enter');
  await expect(attend.cell('x', 1, 2)).toHaveText('−9');
  await expect(page.getByLabel(message('attend.input.numbersLabel'))).toHaveValue(
    '[[1, 2], [3, -9]]',
  );
  const rows = [
    [1, 2],
    [3, -9],
  ];
  const expected = await chapter({ content: rows, head: 'same', causal: true, tokens: false });
  await attend.step('Output');
  expect(await attend.table()).toEqual(expected.output);

  await attend.step('X');
  await attend.point('x', 0, 1);
  await page.getByLabel(message('figures.why.edit')).fill('0.1');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel(message('attend.input.numbersLabel'))).toHaveValue(
    '[[0.1, 2], [3, -9]]',
  );
  await expect(page.getByLabel(message('figures.why.edit'))).toHaveValue('0.1');
  await expect(page.getByLabel(message('figures.why.edit'))).toBeFocused();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel(message('attend.input.numbersLabel'))).toHaveValue(
    '[[7, 2], [3, -9]]',
  );
});

test('what belongs to the text, or to the first column, cannot be edited', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'x' });
  await attend.point('x', 1, 5);
  await expect(attend.why).toContainText(messagePattern('attend.why.who.sideways', { id: 1 }));
  await expect(page.getByLabel(message('figures.why.edit'))).toHaveCount(0);
});

test('the mask can be taken away and put back', async ({ attend, page }) => {
  await attend.open({ step: 'masked' });
  await expect(attend.matrix('masked').locator('.hidden')).toHaveCount(28);
  await page.getByRole('radio', { name: message('attend.mask.none') }).click();
  await expect(attend.matrix('masked').locator('.hidden')).toHaveCount(0);
  await expect(attend.matrix('masked').locator('.changed')).toHaveCount(28);
  await page.goBack();
  await expect(attend.matrix('masked').locator('.hidden')).toHaveCount(28);
});
