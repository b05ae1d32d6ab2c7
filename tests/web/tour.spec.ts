// The tour: every number, length and position that is drawn, at twenty positions of its scroll in both directions,
// against a head implemented again; and the same story without motion and without a script.
import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { expectFaultless } from './axe.ts';
import { boxOf } from './box.ts';
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { message } from './messages.ts';
import { byWord, sentence, softmax, storyOf, vocabulary } from './oracles/tour.ts';
import { settled } from './settled.ts';
import { open, scrollTo } from './tour-page.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const near = 1e-5;

/** Everything that is drawn at a moment. */
const drawn = (page: Page) =>
  page.locator('.window [data-screen]').evaluate((stage) => {
    const isSeen = (each: Element) => getComputedStyle(each).visibility === 'visible';
    const all = (selector: string) =>
      [...stage.querySelectorAll<SVGElement & HTMLElement>(selector)].filter(isSeen);
    /** The visible part of it. */
    const copy = stage.cloneNode(true) as Element;
    const copies = [...copy.querySelectorAll('*')];
    [...stage.querySelectorAll('*')].forEach((each, i) => isSeen(each) || copies[i].remove());
    const numbers = (selector: string, name: string) =>
      all(selector).map((each) => Number(each.dataset[name]));
    const boxes = (selector: string) =>
      all(selector).map((each) => {
        const { left, width, top, height } = each.getBoundingClientRect();
        return { left, width, top, height };
      });
    const ends = (selector: string) =>
      all(selector).map((path) => {
        const line = path as unknown as SVGPathElement;
        const from = stage.getBoundingClientRect().left;
        return [0, line.getTotalLength()].map((at) => from + line.getPointAtLength(at).x);
      });
    return {
      screen: stage.getAttribute('data-screen'),
      // Classes have no order, and comments remain of elements that were there before.
      html: copy.outerHTML
        .replace(/<!--.*?-->/gsu, '')
        .replace(/class="([^"]*)"/gu, (_, names: string) => names.split(' ').sort().join(' ')),
      words: boxes('[data-word]'),
      gap: boxes('.gap')[0],
      threads: numbers('[data-thread]', 'share'),
      to: numbers('[data-thread]', 'thread'),
      thick: all('[data-thread]').map((each) => parseFloat(getComputedStyle(each).strokeWidth)),
      ends: ends('[data-thread]'),
      back: ends('[data-back]').at(0),
      on: ends('[data-on]').at(0),
      chances: numbers('[data-chance]', 'share'),
      lengths: all('[data-chance] i').map((bar) => bar.getBoundingClientRect().width),
      laid: all('[data-laid]').map((word) => Number(getComputedStyle(word).opacity)),
      entries: all('[data-card]').length,
      scores: numbers('[data-score]', 'score'),
      said: all('[data-score]').map((each) => each.textContent),
      products: numbers('[data-product]', 'product'),
      bars: boxes('[data-bar]'),
      sum: numbers('[data-sum]', 'sum'),
      symbols: Number(stage.querySelector<HTMLElement>('[data-seen]')?.dataset.seen ?? 0),
    };
  });
type Drawn = Awaited<ReturnType<typeof drawn>>;

const expectClose = (
  found: readonly number[],
  expected: readonly number[],
  within: number,
  what: string,
) => {
  expect(found, what).toHaveLength(expected.length);
  found.forEach((value, i) =>
    expect(
      Math.abs(value - expected[i]),
      `${what} ${i}: ${value}, not ${expected[i]}`,
    ).toBeLessThan(within),
  );
};
const middle = ({ left, width }: { left: number; width: number }) => left + width / 2;

/** Expects lengths in proportion to numbers. */
function expectInProportion(
  lengths: readonly number[],
  numbers: readonly number[],
  what: string,
): void {
  const most = Math.max(...numbers);
  const unit = Math.max(...lengths) / most;
  expectClose(
    lengths,
    numbers.map((number) => number * unit),
    1.5,
    what,
  );
}

function expectMoment(now: Drawn, place: number, strict: number, pulls: readonly number[]): void {
  const story = storyOf(strict);
  const where = `at ${place}`;
  const isAlike = now.screen === 'alike';
  if (now.screen === 'blank') {
    // The arrows lead from the gap to the earlier copy of the last word, and one step on.
    const [gap, like, answer] = [now.gap, now.words[1], now.words[2]].map(middle);
    if (now.back) expectClose(now.back, [gap, like], 2, where);
    if (now.on) expectClose(now.on, [like, answer], 2, where);
    expect([Boolean(now.back), Boolean(now.on)], where).toEqual([place > 0.12, place > 0.4]);
  }
  const shares = isAlike ? softmax(pulls) : story.shares;
  if (now.threads.length > 0) {
    // Shares too small to see are not drawn.
    const seen = shares.flatMap((share, place) => (share > 0.002 ? [place] : []));
    const expected = seen.map((place) => shares[place]);
    expect(now.to, where).toEqual(seen);
    expectClose(now.threads, expected, near, `${where}: threads`);
    now.ends.forEach(([from, to], i) => {
      expect(Math.abs(from - middle(now.gap)), where).toBeLessThan(2);
      expect(Math.abs(to - middle(now.words[seen[i]])), where).toBeLessThan(2);
    });
    expectInProportion(now.thick, expected, `${where}: thickness`);
  }
  if (now.chances.length > 0) {
    const chances = isAlike ? byWord(shares) : story.chances;
    expectClose(now.chances, chances, near, `${where}: chances`);
    expectInProportion(now.lengths, chances, `${where}: bars`);
  }
  if (now.screen === 'cards') {
    expectClose(now.scores, story.scores.slice(0, now.scores.length), near, `${where}: scores`);
    if (now.products.length > 0) {
      const row = story.products[now.scores.length].slice(0, now.products.length);
      expectClose(now.products, row, near, `${where}: products`);
    }
    const heights = now.bars.map(({ height }) => height);
    const expected = story.scores.slice(0, heights.length).map((score) => Math.max(score, 0));
    if (Math.max(0, ...expected) > 0) {
      const unit = Math.max(...heights) / Math.max(...expected);
      expectClose(
        heights,
        expected.map((score) => Math.max(3, score * unit)),
        1,
        `${where}: heights`,
      );
    }
    now.bars.forEach((bar, i) => {
      expect(Math.abs(middle(bar) - middle(now.words[i])), where).toBeLessThan(2);
    });
  }
  if (now.sum.length > 0) {
    expectClose(now.sum, [story.all], 1e-4 * story.all, `${where}: sum`);
    expectInProportion(
      now.bars.map(({ width }) => width),
      story.shares,
      `${where}: the line`,
    );
    // The bars are end to end.
    now.bars.slice(1).forEach((bar, i) => {
      expect(Math.abs(bar.left - now.bars[i].left - now.bars[i].width), where).toBeLessThan(1);
    });
  }
}

const places = [
  ...[0, 0.2, 0.4, 0.6, 0.95, 1.1, 1.3, 1.6, 1.95, 2.05, 2.2],
  ...[2.31, 2.45, 2.72, 2.97, 3.03, 3.2, 3.45, 3.7, 3.95],
];

test('what is drawn is what the head computes, at twenty places, down and up', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await open(page);
  const flat = sentence.map(() => 0);
  const down: string[] = [];
  for (const place of places) {
    await scrollTo(page, place);
    const now = await drawn(page);
    expectMoment(now, place, 0.5, flat);
    down.push(now.html);
  }
  for (const [i, place] of [...places.entries()].reverse()) {
    await scrollTo(page, place);
    const now = await drawn(page);
    expect(now.html, `at ${place}, on the way up`).toBe(down[i]);
  }
  // A link leads there, too.
  await open(page, 'at=2.72&strict=1.5');
  expectMoment(await drawn(page), 2.72, 1.5, flat);
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(3000);
  await open(page, 'at=3.95&strict=3');
  const strict = await drawn(page);
  expectMoment(strict, 3.95, 3, flat);
  expect(strict.symbols).toBe(4);
});

test('a word is chosen, a thread pulled, a question made stricter, a score explained', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await open(page);
  await page.locator('[data-option="dog"]').click();
  const said = page.locator('.window [data-said]');
  await expect(said).toContainText('dog');
  await expect(page.locator('.window [data-laid]:visible')).toHaveText('saw');
  await page.locator('[data-option="saw"]').click();
  await expect(said).not.toContainText('dog');

  await scrollTo(page, 1.8);
  const thread = page.getByRole('slider').nth(4);
  for (let n = 0; n < 4; ++n) await thread.press('ArrowUp');
  await expect(thread).toHaveAttribute('aria-valuenow', '2');
  await settled(page);
  const pulls = [0, 0, 0, 0, 2, 0, 0, 0];
  expectMoment(await drawn(page), 1.8, 0.5, pulls);
  const box = await boxOf(thread);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 400);
  await page.mouse.up();
  await expect(thread).toHaveAttribute('aria-valuenow', '0');
  // Dragging along the thread works, too; the handle follows the finger.
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const gap = await boxOf(page.locator('.window .gap'));
  const far = 80 / Math.hypot(gap.x + gap.width / 2 - x, gap.y + gap.height / 2 - y);
  const [toX, toY] = [far * (gap.x + gap.width / 2 - x), far * (gap.y + gap.height / 2 - y)];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + toX, y + toY);
  await expect(thread).toHaveAttribute('aria-valuenow', '2');
  const held = await boxOf(thread);
  expect(Math.hypot(held.x - box.x - toX, held.y - box.y - toY)).toBeLessThan(2);
  await page.mouse.move(x - toX, y - toY);
  await page.mouse.up();
  await expect(thread).toHaveAttribute('aria-valuenow', '0');

  await scrollTo(page, 3.9);
  await page.getByRole('slider').fill('2');
  await settled(page);
  expectMoment(await drawn(page), 3.9, 2, [0, 0, 0, 0, 0, 0, 0, 0]);
  await expect(page).toHaveURL(/strict=2/u);

  await scrollTo(page, 2.97);
  await page
    .getByRole('button', { name: message('tour.column', { place: 3, word: 'saw' }) })
    .click();
  const why = page.locator('.why[data-why="scores"]');
  const numbers = (await why.locator('.equation, [data-equation]').first().textContent())!;
  const terms = [...numbers.matchAll(/\(?(−?[\d.]+)\)?·\(?(−?[\d.]+)/gu)].map(([, a, b]) =>
    [a, b].map((one) => Number(one.replace('−', '-'))).reduce((x, y) => x * y),
  );
  expect(terms.reduce((a, b) => a + b)).toBeCloseTo(storyOf(2).scores[2], 4);
  await page.keyboard.press('Escape');
  await expect(why).toHaveCount(0);
});

/** The words of the story, from the page's source file. */
async function told(): Promise<string[]> {
  const file = fileURLToPath(new URL('../../web/src/texts/en/tour.yaml', import.meta.url));
  const { said, did, train } = parse(await readFile(file, 'utf8')) as {
    said: Record<string, string[]>;
    did: Record<string, string>;
    train: Record<string, string>;
  };
  const after = ['ask', 'off', 'without', 'spare', 'made', 'link', 'on'].map((id) => train[id]);
  return [...Object.values(said).flat(), ...Object.values(did), ...after];
}

test('at most 350 words are told, and no sentence has more than 16', async () => {
  const all = await told();
  const words = (text: string) => text.split(/\s+/u).filter((one) => /\w/u.test(one));
  expect(all.flatMap(words).length).toBeLessThan(350);
  for (const sentence of all.flatMap((text) => text.split(/[.?!:]/u))) {
    expect(words(sentence).length, sentence).toBeLessThanOrEqual(16);
  }
});

const stills = async (page: Page) => {
  const shown = page.locator('[data-still] .sized:visible [data-screen]');
  await expect(shown).toHaveCount(4);
  return shown.evaluateAll((all) =>
    all.map((stage) => ({
      screen: stage.getAttribute('data-screen'),
      label: stage.getAttribute('aria-label'),
    })),
  );
};

test('without motion and without a script five stills tell the same', async ({
  page,
  browser,
  baseURL,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('./tour/');
  await page.locator('[data-variant]').waitFor();
  await settled(page);
  const living = await stills(page);
  expect(living.map(({ screen }) => screen)).toEqual(['blank', 'alike', 'cards', 'shares']);
  await page.locator('[data-still="train"]').scrollIntoViewIfNeeded();
  await expect(page.locator('[data-still="train"] .go')).toBeVisible();
  // Percentages have one decimal, rounded up or down so that their sum is 100.
  const said = [...living[3].label!.matchAll(/([\d.]+)\u00a0%/gu)].map(([, percent]) => +percent);
  const { shares } = storyOf(0.5);
  expect(said).toHaveLength(shares.length);
  expect(Math.abs(said.reduce((sum, one) => sum + one, 0) - 100)).toBeLessThan(1e-6);
  for (const [i, share] of shares.entries())
    expect(Math.abs(said[i] - 100 * share)).toBeLessThan(0.1);

  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const dead = await context.newPage();
  for (const width of [1440, 800, 360]) {
    await dead.setViewportSize({ width, height: 800 });
    await dead.goto('./tour/');
    expect(await stills(dead), `${width} px`).toEqual(living);
    await expectNoSidewaysScroll(dead, `${width} px`);
  }
  const [first] = await told();
  await expect(dead.getByText(first)).toBeVisible();
  await expect(dead.locator('[data-still="train"] .picture')).toHaveCount(4);
  await context.close();
});

test('reached by everybody, on a phone and a desk', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  for (const [width, height] of [
    [1440, 900],
    [1366, 640],
    [768, 1024],
    [390, 640],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    await open(page);
    for (const at of [0.95, 1.8, 2.97, 3.95]) {
      await scrollTo(page, at);
      await expectNoSidewaysScroll(page, `${at} at ${width} px`);
      // All of the picture is in the window.
      const cut = await page.locator('.window [data-screen]').evaluate(
        (stage) =>
          [...stage.querySelectorAll('[data-word], [data-bar], [data-chance], [data-card], button')]
            .filter((each) => getComputedStyle(each).visibility === 'visible')
            .map((each) => each.getBoundingClientRect())
            .filter(
              ({ left, right, bottom }) =>
                left < -1 || right > innerWidth + 1 || bottom > innerHeight + 1,
            ).length,
      );
      expect(cut, `${at} at ${width} px`).toBe(0);
    }
  }
  // A phone in landscape has no room for the animation.
  await page.setViewportSize({ width: 844, height: 390 });
  await page.goto('about:blank');
  await page.goto('./tour/');
  await stills(page);
  await expect(page.locator('.track')).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  await page.goto('about:blank');
  await page.goto('./tour/');
  await page.locator('[data-variant]').waitFor();
  await settled(page);
  await expectFaultless(page, { where: 'stills' });
});

test('the even head is even: a share is a count over all', () => {
  expect(byWord(softmax(sentence.map(() => 0)))).toEqual(
    vocabulary.map((word) => sentence.filter((one) => one === word).length / sentence.length),
  );
});
