// Every drawn number, against the core's own.
import { expectMatrix, expectPlaces, readMatrices, spokenOf, type DrawnMatrix } from './drawn.ts';
import { expect, test, type AttendPage } from './fixtures.ts';
import { messagePattern } from './messages.ts';
import { chapter, contentOf, idsOf, type Chapter, type Matrices } from './oracle.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const stage: Record<string, readonly string[]> = {
  X: ['x'],
  Q: ['q', 'x', 'wq'],
  K: ['k', 'x', 'wk'],
  V: ['v', 'x', 'wv'],
  Scores: ['scores', 'q', 'k'],
  Scaled: ['scaled', 'scores'],
  Masked: ['masked', 'scaled'],
  Weights: ['weights', 'masked'],
  Output: ['output', 'weights', 'v'],
};

/**
 * The possible difference between variants of the core (relaxed multiply-adds round once instead of twice): a few units
 * in the last place of the largest number in the sums, 3 * 12 * 1.
 */
const rounding = 36 * 8 * 2 ** -24;

function largest(matrix: readonly (readonly number[])[]): number {
  return Math.max(...matrix.flat().filter(Number.isFinite).map(Math.abs), 1);
}

const saidHidden = messagePattern('figures.cellHidden');

/** Expects the accessible text of a matrix to have all digits; masked cells say that they are hidden. */
function expectSpoken({ id, cells }: DrawnMatrix, matrix: number[][], allowed: number): void {
  for (const cell of cells) {
    const value = matrix[cell.row][cell.col];
    const spoken = spokenOf(cell);
    const place = `${id}[${cell.row}, ${cell.col}]: ${spoken}, core ${value}`;
    if (cell.hidden) {
      expect(cell.label, place).toMatch(saidHidden);
      expect([0, -Infinity], place).toContain(value);
    } else expect(cell.label, place).not.toMatch(saidHidden);
    if (cell.hidden || !Number.isFinite(value)) expect(spoken, place).toEqual(value);
    else expect(Math.abs(spoken - value), place).toBeLessThanOrEqual(allowed);
    // A zero without decimals means that the number is exactly zero.
    if (cell.text === '0') expect(spoken, place).toBe(0);
  }
}

async function compareAll(attend: AttendPage, expected: Matrices): Promise<number> {
  let compared = 0;
  for (const [step, ids] of Object.entries(stage)) {
    await attend.step(step);
    for (const id of ids) {
      const matrix = expected[id];
      const allowed = rounding * (id === 'weights' ? 1 : largest(matrix));
      await expect(async () => {
        const [drawn] = await readMatrices(attend.matrix(id));
        expect(drawn?.cells, id).toHaveLength(matrix.flat().length);
        expectSpoken(drawn, matrix, allowed);
        expectMatrix(drawn, ({ row, col }) => matrix[row][col], allowed);
        expectPlaces(drawn);
      }, step).toPass({ timeout: 10_000 }); // squares grow into their places
      compared += matrix.flat().length;
    }
  }
  return compared;
}

function tokensOf(tokens: readonly string[], rest: Pick<Chapter, 'head' | 'causal'>): Chapter {
  return { content: idsOf(tokens).map(contentOf), tokens: true, ...rest };
}

const texts = [
  {
    name: 'Latin, by words, previous token',
    query: { text: 'the cat saw the dog, and it sat', head: 'previous' },
    chapter: tokensOf(['the', 'cat', 'saw', 'the', 'dog', ',', 'and', 'it', 'sat'], {
      head: 'previous',
      causal: true,
    }),
  },
  {
    name: 'Arabic, by words, same token',
    query: { text: 'القطة رأت الكلب والكلب رأى القطة', head: 'same' },
    chapter: tokensOf(['القطة', 'رأت', 'الكلب', 'والكلب', 'رأى', 'القطة'], {
      head: 'same',
      causal: true,
    }),
  },
  {
    name: 'Japanese and emoji, by characters, first token, no mask',
    query: { text: '猫が👩‍👩‍👧を🙂見た👍🏽', by: 'characters', head: 'first', mask: 'none' },
    chapter: tokensOf(['猫', 'が', '👩‍👩‍👧', 'を', '🙂', '見', 'た', '👍🏽'], {
      head: 'first',
      causal: false,
    }),
  },
  {
    name: 'numbers, similar rows, with NaN and infinity',
    query: {
      by: 'numbers',
      text: '1.5, -2, 0\n0.25, 1e-3, 7\nnan, 1, 2\n3, inf, -1',
      head: 'same',
    },
    chapter: {
      content: [
        [1.5, -2, 0],
        [0.25, 1e-3, 7],
        [NaN, 1, 2],
        [3, Infinity, -1],
      ],
      tokens: false,
      head: 'same',
      causal: true,
    } satisfies Chapter,
  },
] as const;

for (const { name, query, chapter: what } of texts) {
  test(
    `all drawn numbers are the core's: ${name}`,
    weekly(name, [
      'Latin, by words, previous token',
      'numbers, similar rows, with NaN and infinity',
    ]),
    async ({ attend }) => {
      await attend.open(query);
      const compared = await compareAll(attend, await chapter(what));
      expect(compared).toBeGreaterThan(300);
    },
  );
}

test("the average of the past is drawn as the core's", async ({ attend }) => {
  const tokens = ['a', 'b', 'a', 'c', 'd'];
  await attend.open({ text: tokens.join(' '), head: 'average' });
  await compareAll(attend, await chapter(tokensOf(tokens, { head: 'average', causal: true })));
});

test('a table holds all digits of 64 tokens', async ({ attend }) => {
  const tokens = Array.from({ length: 64 }, (_, i) => `w${i % 40}`);
  await attend.open({ text: tokens.join(' '), head: 'previous', step: 'weights' });
  const expected = await chapter(tokensOf(tokens, { head: 'previous', causal: true }));
  for (const [step, id] of [
    ['Scores', 'scores'],
    ['Weights', 'weights'],
    ['Output', 'output'],
  ]) {
    await attend.step(step);
    const table = await attend.table();
    expect(table.length).toBe(64);
    const scale = id === 'weights' ? 1 : largest(expected[id]);
    table.forEach((row, r) =>
      row.forEach((value, c) =>
        expect(Math.abs(value - expected[id][r][c]), `${id}[${r}, ${c}]`).toBeLessThanOrEqual(
          rounding * scale,
        ),
      ),
    );
  }
});
