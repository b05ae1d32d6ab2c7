// The opening of chapter "Check": somebody's numbers, a guess, and the verdict. The numbers are compared with loops in
// Node.
import { expectAnswer } from './asks.ts';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { bugCase, bugs } from './oracles/check.ts';
import { tril } from './oracle.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'check')),
});

/** The page as on a first visit: it says nothing before a guess. */
test.use({ veils: true });

/** Sums of 6 products of numbers up to 4, after a softmax: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 8;

/** The label of a guess. */
const offered = (bug: string) => message(`check.bug.guesses.${bug}`);

/** The rows that agree, for each case. */
const agreeing: Readonly<Record<string, readonly number[]>> = {
  noScale: [0],
  hidesItself: [],
  softmaxOverQueries: [],
  noMask: [5],
  keysForValues: [],
  maskAfterSoftmax: [5],
};

/** The sentences that say what the output equals. */
const equals = ['check.bug.equals', 'check.bug.equalsExactly'].map((key) => messagePattern(key));
const verdict = new RegExp(equals.map(({ source }) => source).join('|'), 'u');

for (const [i, bug] of bugs.entries()) {
  test(
    `a guess, then the verdict: ${bug}`,
    weekly(bug, ['noScale', 'maskAfterSoftmax']),
    async ({ lesson, page }) => {
      const expected = bugCase(await tril(), i + 1);
      const alike = expected.gap.flatMap((row, t) =>
        row.every((one) => Math.abs(one) < 1e-9) ? [t] : [],
      );
      expect(alike, 'the pattern that is said of it').toEqual(agreeing[bug]);
      await lesson.open({ bug: String(i + 1) });
      for (const id of ['ours', 'theirs', 'gap'] as const) {
        await lesson.expectDrawn(id, expected[id], rounding);
      }
      const section = page.locator('#bug');
      const found = section.locator('[data-found]');
      await expect(section.getByText(verdict)).toHaveCount(0);
      await expect(found).toHaveCount(0);
      await section.getByRole('button', { name: offered(bug), exact: true }).click();
      await expect(found).toHaveAttribute('data-found', bug);
      await expectAnswer(section, 'right', verdict);
      // The verdict's comparison used another way of computing, so its numbers are nearly the same.
      const answer = (await section.locator('[data-answer]').textContent())!;
      const [, digits, power] = /([\d.]+)·10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/u.exec(answer) ?? [];
      if (digits) {
        const exponent = Number([...power].map((one) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(one)).join(''));
        expect(Number(digits) * 10 ** -exponent).toBeLessThanOrEqual(rounding);
      } else expect(answer).toMatch(messagePattern('check.bug.equalsExactly'));
    },
  );
}

test('by keys: one stop for all answers, a wrong guess, the next case, and back', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const section = page.locator('#bug');
  const chips = section.locator('.ask').getByRole('toolbar').getByRole('button');
  await expect(chips).toHaveCount(6);
  expect(await chips.evaluateAll((all) => all.filter((one) => one.tabIndex === 0).length)).toBe(1);
  await chips.first().focus();
  await page.keyboard.press('ArrowRight');
  await expect(chips.nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expectAnswer(section, 'wrong', verdict);
  // The answer first says why the guess is impossible, then names the mistake.
  const cannot = message('check.bug.cannot.noMask', { agrees: 'first', last: '#' });
  await expect(section.locator('[data-answer]')).toContainText(cannot.split('#')[0]);
  await expect(section.locator('.chip.right')).toHaveText(offered('noScale'));
  const next = section.getByRole('button', { name: message('check.bug.another') });
  await next.press('Enter');
  await expect(page).toHaveURL(/[?&]bug=2$/u);
  await expect(section.locator('.answer, [data-found]')).toHaveCount(0);
  await lesson.expectDrawn('theirs', bugCase(await tril(), 2).theirs, rounding);
  await expect(next).toHaveCount(0);
  await page.goBack();
  await lesson.expectDrawn('theirs', bugCase(await tril(), 1).theirs, rounding);
});

test('a link holds the case and the pinned number, which says what it is the difference of', async ({
  lesson,
  page,
}) => {
  const { ours, theirs } = bugCase(await tril(), 4);
  await lesson.open({ bug: '4', pin: 'gap.0.2' });
  const why = page.locator('#bug .why');
  await expect(why).toHaveAttribute('data-why', 'gap');
  const said = (await why.textContent())!.replaceAll('−', '-');
  for (const value of [ours[0][2], theirs[0][2]]) {
    expect(said).toContain(String(Number(value.toFixed(Math.abs(value) < 1 ? 3 : 2))));
  }
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/[?&]bug=4$/u);
});

test('who wants no guess is told, and shown where files go', async ({ lesson, page }) => {
  await lesson.open();
  const section = page.locator('#bug');
  await section.getByRole('button', { name: message('figures.ask.skip') }).click();
  await expect(section.locator('[data-found="noScale"]')).toContainText(verdict);
  await expect(section.locator('.ask')).toHaveCount(0);
  await section.getByRole('button', { name: message('check.bug.another') }).click();
  await expect(section.locator('.ask')).toBeVisible();
  await section.getByRole('button', { name: message('check.bug.own') }).click();
  await expect(page.locator('#own .drop button')).toBeFocused();
  await expect(page.locator('#own .drop')).toBeInViewport();
});

test('all of it is on the first screen, fits any width, and has no accessibility faults', async ({
  lesson,
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await lesson.open();
  for (const part of ['[data-matrix="ours"]', '[data-matrix="gap"]', '.ask']) {
    await expect(page.locator(`#bug ${part}`)).toBeInViewport({ ratio: 1 });
  }
  await page.locator('#bug .ask .chip').first().click();
  await expect(page.locator('#bug [data-answer]')).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await expectFits(page);
});
