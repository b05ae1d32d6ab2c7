// The home page: the sentence, its arcs and their description, against the core in Node; accessible by eyes, hands and
// machines of all kinds; and made only of what was built with it.
import type { Page } from '@playwright/test';
import { parse } from 'yaml';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectAccessible } from './axe.ts';
import { boxOf } from './box.ts';
import { expectSaid } from './drawn.ts';
import { expect, test } from './fixtures.ts';
import { dist } from './host.ts';
import { open, sentence, weightsOf } from './home-page.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { message, titleOf, valuesIn } from './messages.ts';
import type { HeadId } from './oracle.ts';
import { coverOf, readCanvas } from './pixels.ts';
import { chapters, computed, cutTexts } from './reach.ts';
import { still } from './settled.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const heads: readonly HeadId[] = ['same', 'previous', 'first', 'average'];
const headName = (head: HeadId) => message(`attend.head.names.${head}`);

interface DrawnArc {
  readonly key: number;
  readonly weight: number;
  readonly width: number;
  /** The distance of its ends from the centres of the words that it joins, in pixels. */
  readonly off: number;
}

/** The drawn arcs of the touched word. */
const arcsOn = (page: Page, sentenceAt = '.alive [data-sentence]') =>
  page.locator(sentenceAt).evaluate((element) => {
    const words = [...element.querySelectorAll<HTMLElement>('[data-word]')].map((word) => {
      const { left, width } = word.getBoundingClientRect();
      return left + width / 2;
    });
    const row = Number(element.querySelector<SVGElement>('[data-arcs]')!.dataset.arcs);
    const left = element.querySelector('svg')!.getBoundingClientRect().left;
    const arcs = [...element.querySelectorAll<SVGPathElement>('path[data-key]')].map((path) => {
      const key = Number(path.dataset.key);
      const [begin, end] = [0, path.getTotalLength()].map(
        (at) => left + path.getPointAtLength(at).x,
      );
      const off = Math.max(Math.abs(begin - words[row]), Math.abs(end - words[key]));
      return {
        key,
        weight: Number(path.dataset.weight),
        width: parseFloat(getComputedStyle(path).strokeWidth),
        off: key === row ? 0 : off,
      } satisfies DrawnArc;
    });
    return { row, arcs };
  });

function expectArcs({ row, arcs }: { row: number; arcs: DrawnArc[] }, weights: number[][]): void {
  const expected = weights[row].flatMap((weight, key) => (weight > 0.004 ? [key] : []));
  expect(arcs.map(({ key }) => key)).toEqual(expected);
  for (const { key, weight, off } of arcs) {
    expect(Math.abs(weight - weights[row][key]), `to ${key}`).toBeLessThan(1e-5);
    expect(off, `ends at ${key}`).toBeLessThan(1.5);
  }
  // A larger weight has a thicker arc.
  const byWeight = [...arcs].sort((a, b) => a.weight - b.weight);
  byWeight.slice(1).forEach((arc, i) => {
    expect(arc.width).toBeGreaterThanOrEqual(byWeight[i].width - 1e-3);
  });
}

test('a word that is touched shows what it takes from, by each head, as the core has it', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open(page);
  for (const head of heads) {
    await page.getByRole('radio', { name: headName(head), exact: true }).click();
    const weights = await weightsOf(sentence, head);
    for (const row of [7, 4, 0]) {
      await page.locator(`[data-word="${row}"]`).click();
      await expect(page.locator('[data-arcs]')).toHaveAttribute('data-arcs', String(row));
      expectArcs(await arcsOn(page), weights);
      const most = Math.max(...weights[row]);
      const token = sentence[row];
      const given = { token, share: Math.round(100 * most) };
      const sentences = {
        previous: () => message('home.looks', { ...given, target: sentence[row - 1] }),
        first: () => message('home.looks', { ...given, target: sentence[0] }),
        average: () => message('home.looksAlike', given),
        // The last word has one earlier copy, the fifth has none.
        same: () =>
          row === 7
            ? message('home.looksSame', { ...given, copies: 1 })
            : message('home.looksOwn', given),
      };
      await expect(page.locator('[data-said]')).toHaveText(
        row === 0 ? message('home.itself', { token }) : sentences[head](),
      );
      const why = await page.locator('.tag').innerText();
      expectSaid(valuesIn('home.why', why)!.weight, most);
    }
  }
});

for (const width of [1440, 390]) {
  test(`another head moves neither the heads nor the choice of a word, ${width} pixels wide`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open(page);
    const chips = page.locator('.alive .heads [role="radio"]');
    const word = page.locator('.alive [data-word="4"]');
    await word.click();
    const tops = async () =>
      Promise.all((await chips.all()).map(async (chip) => (await boxOf(chip)).y));
    const before = await tops();
    for (const chip of await chips.all()) {
      await chip.click();
      await still(page);
      expect(await tops()).toEqual(before);
      await expect(word).toHaveAttribute('aria-checked', 'true');
    }
  });
}

test('a word that comes to lie under a resting mouse is not chosen by that', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await open(page);
  const [first, last] = ['0', '7'].map((at) => page.locator(`.alive [data-word="${at}"]`));
  const { x, y, width, height } = await boxOf(first);
  const [across, down] = [x + width / 2, y + height / 2 - 150];
  await page.mouse.move(across, down);
  await page.evaluate(() => scrollBy({ top: 150, behavior: 'instant' }));
  await still(page);
  await expect(last).toHaveAttribute('aria-checked', 'true');
  await page.mouse.move(across + 2, down);
  await expect(first).toHaveAttribute('aria-checked', 'true');
});

test('the sentence reads as the head hands it on', async ({ page }) => {
  await open(page);
  const readings = page.locator('[data-readings] bdi');
  await expect(readings).toHaveText(sentence);
  await page.getByRole('radio', { name: headName('previous') }).click();
  await expect(readings).toHaveText('the the cat saw the dog chase the'.split(' '));
  await page.getByRole('radio', { name: headName('first') }).click();
  await expect(readings).toHaveText(sentence.map(() => 'the'));
  const reads = page.locator('.alive .reads');
  await expect(reads).toContainText(message('home.reads'));
  await page.getByRole('radio', { name: headName('average') }).click();
  await expect(reads).toContainText(message('home.readsMixed'));
});

test('own words, in any script, and as many as have room; arrow keys go along them', async ({
  page,
}) => {
  await open(page);
  const field = page.getByLabel(message('home.say'));
  await field.fill('القطة رأت الكلب والكلب رأى القطة');
  await expect(page.locator('[data-word]')).toHaveCount(6);
  await field.fill(Array.from({ length: 40 }, (_, i) => `w${i}`).join(' '));
  await expect(page.locator('[data-word]')).toHaveCount(24);
  await expect(page.getByText(message('home.cut', { shown: 24, found: 40 }))).toBeVisible();
  await expectNoSidewaysScroll(page);
  await field.fill('one two one');
  await expect(page.locator('[data-word]')).toHaveCount(3);
  await page.locator('[data-word="2"]').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page.locator('[data-word="1"]')).toBeFocused();
  await expect(page.locator('[data-word="1"]')).toHaveAttribute('aria-checked', 'true');
  expectArcs(await arcsOn(page), await weightsOf(['one', 'two', 'one'], 'same'));
  await expect(page).toHaveURL(/say=one\+two\+one/);
});

test('a touch is answered in the very task that it comes in: the core is not asked', async ({
  page,
}) => {
  await open(page);
  const answered = await page.locator('[data-word="4"]').evaluate(async (word: HTMLElement) => {
    word.click();
    await Promise.resolve(); // Svelte updates the page before the task ends
    return document.querySelector<SVGElement>('.alive [data-arcs]')!.dataset.arcs;
  });
  expect(answered).toBe('4');
});

test('the chapters’ little pictures are the core’s numbers of this sentence', async ({ page }) => {
  await open(page);
  const links = page.locator('main [data-chapter]');
  expect(
    await links.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.chapter)),
  ).toEqual(chapters.map(({ id }) => id));
  for (const { id, under } of chapters) {
    const pictures = page.locator(`[data-chapter="${id}"] canvas`);
    if (under) await expect(pictures).toHaveCount(0);
    else await expect(pictures.first()).toBeVisible();
  }
  // Weights of the average of the past are equal within a row: the darkest is the single one at the top.
  const weights = await weightsOf(sentence, 'average');
  const picture = await readCanvas(page.locator('[data-chapter="average"] canvas'));
  const cover = coverOf(picture);
  const step = picture.width / sentence.length;
  const alphas = sentence.map((_, row) =>
    sentence.map((_, col) => {
      const [x, y] = [col, row].map((at) => Math.floor((at + 0.45) * step));
      return cover[y * picture.width + x] / 255;
    }),
  );
  alphas.forEach((row, query) =>
    row.forEach((alpha, key) => {
      const weight = weights[query][key];
      const expected = key > query ? 0 : 1 - (1 - 0.1) * (1 - (0.2 + 0.8 * weight));
      expect(Math.abs(alpha - expected), `${query}, ${key}`).toBeLessThan(0.02);
    }),
  );
});

test('ways in lead to their chapters', async ({ page }) => {
  await open(page);
  for (const [way, chapter] of [
    ['formula', 'attend'],
    ['bug', 'check'],
  ]) {
    await page.locator(`[data-way="${way}"]`).click();
    await expect(page).toHaveTitle(titleOf(chapter));
    await page.goBack();
    await computed(page);
  }
});

test('what stood here before is found by its old addresses', async ({ page }) => {
  for (const [old, now] of [
    ['#?text=a+b&step=q', /\/attend\/#\?text=a\+b&step=q$/],
    ['#blend', /\/attend\/#blend$/],
    ['#mask?rules=causal', /\/mask\/#\?rules=causal$/],
  ] as const) {
    await page.goto('about:blank');
    await page.goto(`./${old}`);
    await expect(page).toHaveURL(now);
  }
  await open(page, '#?say=one+two&like=first');
  await expect(page.locator('[data-word]')).toHaveText(['one', 'two']);
  await page.evaluate(() => (location.hash = '#?head=same'));
  await expect(page).toHaveURL(/\/attend\/#\?head=same$/);
});

for (const width of [1440, 768, 360]) {
  test(`whole, for axe, light and dark, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await open(page, '#?why=7&word=8');
    await page.locator('[data-reason]').waitFor();
    await expectNoSidewaysScroll(page);
    expect(await cutTexts(page)).toEqual([]);
    await expectAccessible(page);
    const small = await page.locator('main').evaluate((main) =>
      [...main.querySelectorAll('*')]
        .filter((one) =>
          [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim()),
        )
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 11)
        .map((one) => one.outerHTML.slice(0, 100)),
    );
    expect(small).toEqual([]);
    // The sentence and the text about the touched word are in view.
    await page.evaluate(() => scrollTo(0, 0));
    await expect(page.locator('[data-said]')).toBeInViewport();
  });
}

test('with less motion nothing glides', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.addInitScript(() => {
    const moved: string[] = [];
    Object.assign(window, { moved });
    const look = () => {
      for (const animation of document.getAnimations()) {
        const { duration } = animation.effect!.getComputedTiming();
        if (Number(duration) > 1) moved.push(String((animation as CSSAnimation).animationName));
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await open(page);
  await page.locator('[data-word="3"]').click();
  await page.locator('.tag').click();
  await still(page);
  expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([]);
});

test('little is loaded before the sentence', async ({ page, baseURL }) => {
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  await open(page);
  const base = new URL(baseURL!).pathname;
  const files = [...asked]
    .map((path) => path.slice(base.length).replace(/^$/, 'index.html'))
    .filter((path) => /\.(html|css)$|^arrive\.js$/.test(path));
  const sizes = await Promise.all(
    files.map(async (path) => gzipSync(await readFile(join(dist, path))).length / 1000),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30);
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  test('the sentence stands with its arcs, in the core’s numbers', async ({ page, guard }) => {
    guard.expect(/^failed, csp: /);
    await page.goto('./');
    const file = fileURLToPath(new URL('../../web/src/texts/en/shell.yaml', import.meta.url));
    const { home } = parse(await readFile(file, 'utf8'));
    await expect(page).toHaveTitle(home.title);
    await expect(page.locator('meta[name="description"]')).toHaveAttribute(
      'content',
      home.description,
    );
    await expect(page.locator('h1')).toBeVisible();
    const seen = '.stills > .still:visible [data-sentence]';
    await expect(page.locator(seen)).toHaveCount(1);
    expectArcs(await arcsOn(page, seen), await weightsOf(sentence, 'same'));
    await expect(page.locator('[data-way], [data-chapter]')).toHaveCount(4 + chapters.length);
  });
});

test('a long word and a long sentence stay on a phone, and what is touched is in sight', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`./#?say=${'a'.repeat(80)}`);
  await page.locator('.alive [data-sentence]').waitFor();
  const beyond = () => document.documentElement.scrollWidth - innerWidth;
  expect(await page.evaluate(beyond)).toBe(0);
  for (const choice of await page.locator('.alive .heads [role="radio"]').all()) {
    const { x, width } = await boxOf(choice);
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(390);
  }
  const words = Array.from({ length: 24 }, (_, i) => `word${i}`).join('+');
  await page.goto('about:blank');
  await page.goto(`./#?say=${words}&word=20`);
  const touched = page.locator('.alive [data-word][aria-checked="true"]');
  await expect(touched).toBeInViewport({ ratio: 0.99 });
  await page.goto('about:blank');
  await page.goto(`./#?say=${words}&word=1`);
  await expect(touched).toBeInViewport({ ratio: 0.99 });
});
