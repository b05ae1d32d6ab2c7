// The hand-made heads do what their names say, because of their weights alone.
import { expect, test } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { message } from './messages.ts';
import { chapter, contentOf, idsOf, strictest } from './oracle.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

/** Distinct tokens, the hardest case for "same token": each has 63 others to be told apart from. */
function distinct(length: number): number[][] {
  return Array.from({ length }, (_, id) => contentOf(id));
}

const enough = 0.9;

for (const causal of [true, false]) {
  const mask = causal ? 'causal' : 'no mask';

  test(`previous token: more than 0.9 on the one before, for every length, ${mask}`, async () => {
    for (let length = 2; length <= 64; ++length) {
      const content = distinct(length);
      const { weights } = await chapter({
        content,
        head: 'previous',
        causal,
        tokens: true,
        strict: strictest,
      });
      for (let query = 1; query < length; ++query) {
        expect(weights[query][query - 1], `length ${length}, query ${query}`).toBeGreaterThan(
          enough,
        );
      }
    }
  });

  test(`first token: more than 0.9 on the first, for every length, ${mask}`, async () => {
    for (let length = 1; length <= 64; ++length) {
      const content = distinct(length);
      const { weights } = await chapter({
        content,
        head: 'first',
        causal,
        tokens: true,
        strict: strictest,
      });
      for (const [query, row] of weights.entries()) {
        expect(row[0], `length ${length}, query ${query}`).toBeGreaterThan(enough);
      }
    }
  });

  test(`same token: more than 0.9 on equal tokens, shared alike, ${mask}`, async () => {
    for (const kinds of [1, 2, 3, 7, 16, 33, 64]) {
      const ids = Array.from({ length: 64 }, (_, place) => (place * 5) % kinds);
      const content = ids.map(contentOf);
      const { weights } = await chapter({
        content,
        head: 'same',
        causal,
        tokens: true,
        strict: strictest,
      });
      for (const [query, row] of weights.entries()) {
        const equal = row.filter((_, key) => ids[key] === ids[query] && (!causal || key <= query));
        const sum = equal.reduce((a, b) => a + b);
        expect(sum, `${kinds} kinds, query ${query}`).toBeGreaterThan(enough);
        expect(Math.max(...equal) - Math.min(...equal)).toBeLessThan(1e-6);
      }
    }
  });

  test(`average: everything seen gets the same, ${mask}`, async () => {
    const { weights } = await chapter({
      content: distinct(64),
      head: 'average',
      causal,
      tokens: true,
    });
    for (const [query, row] of weights.entries()) {
      const seen = causal ? query + 1 : 64;
      row.forEach((weight, key) => expect(weight).toBeCloseTo(key < seen ? 1 / seen : 0, 6));
    }
  });
}

const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
const readings: Record<string, (place: number) => string> = {
  previous: (place) => tokens[Math.max(0, place - 1)],
  same: (place) => tokens[place],
  first: () => tokens[0],
};
for (const [head, expected] of Object.entries(readings)) {
  test(`the output of "${head}" reads as the token that its name says`, async ({
    attend,
    page,
  }) => {
    await attend.open({ text: tokens.join(' '), head, strict: '12', step: 'output' });
    await expect(page.locator('[data-reading]')).toHaveText(
      tokens.map((_, place) => expected(place)),
    );
  });
}

test('a head is chosen by its chip, and the text follows any change', async ({ attend, page }) => {
  await attend.open({ step: 'weights' });
  await page.getByRole('radio', { name: message('heads.headNames.previous') }).click();
  await page.getByLabel(message('heads.input')).fill('so it is so');
  const { weights } = await chapter({
    content: idsOf(['so', 'it', 'is', 'so']).map(contentOf),
    head: 'previous',
    causal: true,
    tokens: true,
  });
  await expect(attend.cell('weights', 3, 0)).toHaveText(weights[3][0].toFixed(2).slice(1));
  await expect(attend.cell('weights', 3, 3)).toHaveText(weights[3][3].toFixed(2).slice(1));
  await expect(page).toHaveURL(/head=previous/);
});

test('a head goes from the average to one word, as strict as it is said to be', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'weights' });
  const lesson = new Lesson(page, 'attend');
  const sentence = 'the cat saw the dog chase the cat'.split(' ');
  const content = idsOf(sentence).map(contentOf);
  const rounding = 64 * 2 ** -24 * 8;
  const last = async (strict?: number) => {
    const asked = { content, head: 'same', causal: true, tokens: true } as const;
    const { weights } = await chapter({ ...asked, ...(strict !== undefined && { strict }) });
    await lesson.expectDrawn('weights', weights, rounding);
    return weights[7];
  };
  // At the default the row spreads its weights: most to the two cats, some to every word.
  const soft = await last();
  expect(Math.max(...soft)).toBeLessThan(0.4);
  expect(Math.min(...soft)).toBeGreaterThan(0.02);
  expect(soft.map((share) => share > 0.2)).toEqual(sentence.map((word) => word === 'cat'));
  const slider = page.getByRole('slider', { name: message('attend.strict.label') });
  await slider.fill('0');
  const average = await last(0);
  expect(Math.max(...average) - Math.min(...average)).toBeLessThan(1e-6);
  await slider.fill('12');
  const strict = await last(12);
  expect(strict[1] + strict[7]).toBeGreaterThan(enough);
  await expect(page).toHaveURL(/strict=12/u);
  // A head that always averages has no strictness.
  await page.getByRole('radio', { name: message('heads.headNames.average') }).click();
  await expect(slider).toHaveCount(0);
});
