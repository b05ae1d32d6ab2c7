// The first figure of chapter "Two towers": the arcs, weights and words of the touched word against a call of the
// core's transformer in Node; by mouse, finger and keys, from the address, and before any script has run.
import type { Page } from '@playwright/test';
import { modeIds, type ModeId } from '../../web/src/compute/shared/handmade/towers-weights.ts';
import { arcsIn, expectWeights, least, middlesIn } from './arcs.ts';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { messagePattern } from './messages.ts';
import { Lesson, expectFits, rowsOf, type Rows } from './lessons.ts';
import { tril } from './oracle.ts';
import { inputs, masks, source, towers, vocabulary, type Masks } from './oracles/towers.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'towers')),
});

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const alive = '.alive [data-figure="asking"]';
/** Sums of up to 25 products of numbers up to 100, several in a row: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 100;
const thick = (key: string) => (key.startsWith('memory') ? 11 : 6);

interface Word {
  readonly tower: 'source' | 'target';
  readonly index: number;
}

async function weightsOf(mode: ModeId, given: Masks = masks()) {
  const { trace, chances } = towers(await tril(), mode, given);
  return {
    source: rowsOf(trace.encoder[0].weights),
    target: rowsOf(trace.decoder[0].weights),
    memory: rowsOf(trace.decoder[0].crossAttention.weights),
    chances,
  };
}

/** The weights of a word: its own row, and its row or its column of cross-attention. */
function arcsOf(all: Readonly<Record<'source' | 'target' | 'memory', Rows>>, word: Word) {
  const { tower, index } = word;
  const own = all[tower][index].map((weight, col) => [`${tower}.${index}.${col}`, weight] as const);
  const across = all.memory.flatMap((row, query) =>
    row.flatMap((weight, key) =>
      (tower === 'target' ? query : key) === index
        ? [[`memory.${query}.${key}`, weight] as const]
        : [],
    ),
  );
  return new Map([...own, ...across]);
}

/** Retries, since the core may not have answered yet. */
async function expectShown(
  page: Page,
  all: Awaited<ReturnType<typeof weightsOf>>,
  word: Word,
  place = alive,
): Promise<void> {
  await expect(page.locator(`${place} [data-arcs]`)).toHaveAttribute(
    'data-arcs',
    `${word.tower}.${word.index}`,
  );
  const expected = arcsOf(all, word);
  await expect(async () => {
    const arcs = await arcsIn(page, place);
    expectWeights(arcs, expected, thick, rounding);
    const middles = await middlesIn(page, place);
    for (const { key, ends } of arcs) {
      const [part, row, col] = key.split('.');
      if (part !== 'memory' && row === col) continue; // a loop from the word to itself
      const words =
        part === 'memory'
          ? [`target.${row}`, `source.${col}`]
          : [`${part}.${row}`, `${part}.${col}`];
      for (const [end, name] of words.entries()) {
        expect(Math.abs(ends[end][0] - middles.get(name)!), `${key} at ${name}`).toBeLessThan(1.5);
      }
    }
    // The row of weights to or from the other tower: all that are not hidden.
    const shares = await page.locator(`${place} [data-share]`).evaluateAll((texts) =>
      texts.map((one) => ({
        weight: Number((one as unknown as HTMLElement).dataset.share),
        text: one.textContent,
      })),
    );
    const across = [...expected].filter(([key, weight]) => key.startsWith('memory') && weight > 0);
    expect(shares).toHaveLength(across.length);
    for (const [i, [key, weight]] of across.entries()) {
      expect(Math.abs(shares[i].weight - weight), key).toBeLessThan(rounding);
      if (weight > 0.006 && weight < 0.994) {
        const near = Math.abs(Number(shares[i].text) - weight);
        expect(near, `the digits of ${key}`).toBeLessThan(0.006);
      }
    }
  }).toPass({ timeout: 10_000 });
}

for (const mode of modeIds) {
  test(
    `a word that is touched shows its weights, looking for "${mode}"`,
    weekly(mode, ['place', 'follows']),
    async ({ lesson, page }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await lesson.open({ mode });
      const all = await weightsOf(mode);
      await expectShown(page, all, { tower: 'target', index: 3 });
      for (const word of [
        { tower: 'target', index: 0 },
        { tower: 'target', index: 5 },
        { tower: 'source', index: 1 },
        { tower: 'source', index: 6 },
      ] as const) {
        await page.locator(`${alive} [data-word="${word.tower}.${word.index}"]`).click();
        await expectShown(page, all, word);
      }
      // The written word has the largest probability, and shows it.
      const written = await page
        .locator('[data-writes]')
        .evaluateAll((cells) => cells.map((cell) => Number((cell as HTMLElement).dataset.writes)));
      expect(written).toHaveLength(inputs.length);
      for (const [step, row] of all.chances.entries()) {
        expect(Math.max(...row) - row[written[step]], `step ${step}`).toBeLessThan(1e-3);
      }
    },
  );
}

test('what is said names the word with the most weight, and what is written', async ({
  lesson,
  page,
}) => {
  await lesson.open({ mode: 'reverse', asks: '2' });
  const { memory, chances } = await weightsOf('reverse');
  const most = memory[1].indexOf(Math.max(...memory[1]));
  const said = page.locator(`${alive} [data-said]`);
  const written = chances[1].indexOf(Math.max(...chances[1]));
  await expect(said).toContainText(
    messagePattern('towers.asking.asks', {
      ...{ target: vocabulary[source[most]], writes: vocabulary[written] },
    }),
  );
  const blind = Array.from({ length: 7 }, (_, col) => `memoryMask.1.${col}`).join('!');
  await lesson.open({ asks: '2', flips: blind });
  await expect(said).toContainText(messagePattern('towers.asking.blind'));
});

test('pinned by a click, compared with what is pointed at, freed by Escape; all of it in the address', async ({
  lesson,
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lesson.open();
  const all = await weightsOf('place');
  const word = (name: string) => page.locator(`${alive} [data-word="${name}"]`);
  await word('target.1').hover();
  await expectShown(page, all, { tower: 'target', index: 1 });
  await expect(page).not.toHaveURL(/asks/);
  await word('target.1').click();
  await expect(word('target.1')).toHaveAttribute('aria-pressed', 'true');
  await expect(page).toHaveURL(/asks=2/);
  await word('target.4').hover();
  await expectShown(page, all, { tower: 'target', index: 1 });
  const compared = page.locator(`${alive} path.compared`);
  const heavy = [...arcsOf(all, { tower: 'target', index: 4 })].filter(([, one]) => one >= 0.095);
  await expect(compared).toHaveCount(heavy.length);
  await word('source.2').click();
  await expect(page).toHaveURL(/asked=3/);
  await expect(page).not.toHaveURL(/asks=/);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/asked/);

  // Keyboard: a row is one tab stop, arrows move along it, Enter pins.
  await word('target.0').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(word('target.2')).toBeFocused();
  await expectShown(page, all, { tower: 'target', index: 2 });
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/asks=3/);
  await page.reload();
  await expectShown(page, all, { tower: 'target', index: 2 });
});

test('a box shows all that its attention looks at', async ({ lesson, page }) => {
  await lesson.open();
  const all = await weightsOf('place');
  for (const part of ['source', 'target', 'memory'] as const) {
    await page.locator(`${alive} [data-part="${part}"]`).click();
    await expect(page).toHaveURL(new RegExp(`whole=${part}`));
    const rest = page.locator(`${alive} path.whole`);
    // The arcs of the touched word are drawn separately.
    const expected = all[part].flatMap((row, r) =>
      row.flatMap((weight, c) =>
        weight > least && !(part !== 'source' && r === 3) ? [`${part}.${r}.${c}`] : [],
      ),
    );
    await expect(rest).toHaveCount(expected.length);
    const found = await rest.evaluateAll((paths) =>
      paths.map((path) => (path as unknown as HTMLElement).dataset.rest),
    );
    expect(found.sort()).toEqual(expected.sort());
  }
  await page.locator(`${alive} [data-part="memory"]`).click();
  await expect(page).not.toHaveURL(/whole/);
});

test('a finger pins a word; nothing flies with less motion', async ({ browser, baseURL }) => {
  const context = await browser.newContext({
    ...{ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } },
    ...{ reducedMotion: 'reduce', serviceWorkers: 'block', baseURL },
  });
  const page = await context.newPage();
  await page.goto('./towers/');
  await page.locator('[data-variant]').waitFor();
  const word = page.locator(`${alive} [data-word="source.4"]`);
  await word.tap();
  await expectShown(page, await weightsOf('place'), { tower: 'source', index: 4 });
  const names = await page.evaluate(() =>
    document.getAnimations().map((one) => (one as CSSAnimation).animationName),
  );
  expect(names.filter((name) => /fly/u.test(name ?? ''))).toEqual([]);
  await word.tap();
  await expect(page).not.toHaveURL(/asked/);
  await context.close();
});

test('all of it is on the first screen of a desk, and nothing is cut at any width', async ({
  lesson,
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await lesson.open();
  await page.evaluate(() => scrollTo(0, 0));
  for (const part of [`${alive} .flow`, `${alive} [data-arcs]`, '[data-reads]', '[data-said]']) {
    for (const one of await page.locator(part).all()) {
      const { y, height } = (await one.boundingBox())!;
      expect(y + height, part).toBeLessThanOrEqual(900);
    }
  }
  await expectFits(page);
  const long = 'incomprehensibilities are never out of place in here';
  await lesson.open({ source: long, target: long, asks: '8' });
  await expectFits(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page);
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  for (const width of [360, 768, 1440]) {
    test(`it stands there with its weights, ${width} pixels wide`, async ({ page, guard }) => {
      guard.expect(/^failed, csp: /);
      await page.setViewportSize({ width, height: 900 });
      await page.goto('./towers/');
      const still = '.stills > .still:visible [data-figure="asking"]';
      await expect(page.locator(still)).toHaveCount(1);
      await expectShown(page, await weightsOf('place'), { tower: 'target', index: 3 }, still);
    });
  }
});
