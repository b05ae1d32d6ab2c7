// The page before any script has run: words, formulas and the first figure, whose numbers the core computed when the
// page was built; and that nothing moves when the scripts start.
import type { Page } from '@playwright/test';
import { defaults } from '../../web/src/state/average.ts';
import { expect, numberOf, test } from './fixtures.ts';
import { tril } from './oracle.ts';
import { chapters, computed } from './reach.ts';
import { inThisRun, usual, weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const still = 'main .stills > .still:visible';

/** The accessible texts of every visible cell of the first figure, matrix by matrix. */
const spoken = (page: Page, figure: string) =>
  page
    .locator(`${figure} [data-matrix]`)
    .evaluateAll((matrices) =>
      matrices.map((matrix) => [
        matrix.getAttribute('data-matrix') ?? '',
        ...Array.from(matrix.querySelectorAll('[role="gridcell"]'), (cell) =>
          (cell.getAttribute('aria-label') ?? cell.textContent ?? '').trim(),
        ),
      ]),
    );

const number = /−?\d+(?:\.\d+)?(?:e[-−+]?\d+)?/g;
const numbersOf = (text: string) =>
  Array.from(text.matchAll(number), ([digits]) => Number(digits.replaceAll('−', '-')));

/**
 * Expects the same words, and numbers that differ by rounding alone: relaxed SIMD rounds once where plain SIMD rounds
 * twice.
 */
function expectNear(made: string[][], living: string[][]): void {
  const words = (cells: string[][]) =>
    cells.map((each) => each.map((cell) => cell.replace(number, '#')));
  expect(words(made)).toEqual(words(living));
  const all = numbersOf(living.flat().join(' '));
  for (const [i, value] of numbersOf(made.flat().join(' ')).entries()) {
    expect(Math.abs(value - all[i])).toBeLessThanOrEqual(1e-6 + 1e-3 * Math.abs(all[i]));
  }
}

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  for (const { id, title, description } of chapters) {
    test(
      `${id} can be read, and its first figure is that of the living page`,
      weekly(id, usual),
      async ({ page, browser, baseURL, guard }) => {
        guard.expect(/^failed, csp: /); // scripts to be preloaded
        await page.goto(`./${id}/`);
        await expect(page).toHaveTitle(`${title} · Tril`);
        await expect(page.locator('meta[name="description"]')).toHaveAttribute(
          'content',
          description,
        );
        await expect(page.locator('h1')).toBeVisible();
        expect((await page.locator('main .text').allInnerTexts()).join(' ').length).toBeGreaterThan(
          1500,
        );
        await expect(page.locator('.formula:empty')).toHaveCount(0);
        await expect(page.locator(still)).toHaveCount(1);
        await expect(page.locator('main noscript').first()).toBeVisible();
        const numbers = (await page.locator(still).innerText()).match(/\d+/g) ?? [];
        expect(numbers.length).toBeGreaterThan(20);
        const before = await spoken(page, still);

        const alive = await browser.newPage({
          javaScriptEnabled: true,
          viewport: page.viewportSize(),
          serviceWorkers: 'block',
          baseURL,
        });
        await alive.goto(`./${id}/`);
        await computed(alive);
        await expect(alive.locator('.stills')).toHaveCount(0);
        const after = await spoken(alive, 'main section[id]:first-of-type .card');
        await alive.close();
        const drawn = before.filter((cells) => cells.length > 2); // a script draws canvases
        expectNear(
          drawn,
          after.filter(([name]) => drawn.some(([other]) => other === name)),
        );
      },
    );
  }

  test('its numbers are the core’s', async ({ page, guard }) => {
    guard.expect(/^failed, csp: /);
    const core = await tril();
    const { rows, cols, data } = defaults.x;
    const { output } = core.runningAverage(core.tensor([1, rows, cols], data), {
      method: 'matrix',
    });
    const expected = Array.from(output.read());
    await page.goto('./average/');
    const [, ...cells] = (await spoken(page, still)).find(([name]) => name === 'matrix')!;
    const said = cells.map((text) => numberOf(/[-−\d.e]+(?=\D*$)/u.exec(text!)![0]));
    expect(said).toHaveLength(expected.length);
    expected.forEach((value, i) => expect(said[i]).toBeCloseTo(value, 5));
  });
});

/** The sum of the page's layout shifts, and the element that moved most. */
async function movement(page: Page, place: string): Promise<{ sum: number; what: string }> {
  await page.goto(place);
  await computed(page);
  return page.evaluate(() => {
    const { moved } = window as unknown as { moved: { value: number; what: string }[] };
    const sum = moved.reduce((all, { value }) => all + value, 0);
    return { sum, what: moved.map(({ value, what }) => `${value.toFixed(3)} ${what}`).join('; ') };
  });
}

/** Half of Google's limit for "good", 0.1. */
const most = 0.05;

/** One width is tested on a simulated machine that is several times slower; TRIL_SLOWER slows all of them. */
for (const [width, times] of [
  [360, 1],
  [768, 4],
  [1440, 1],
]) {
  const slower = Number(process.env.TRIL_SLOWER ?? times);
  const details = weekly(String(width), ['360']);
  test(
    `nothing moves when a page comes to life, ${width} pixels wide, ${slower} times slower`,
    details,
    async ({ page, context }) => {
      test.slow();
      await page.setViewportSize({ width, height: 900 });
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
      await page.addInitScript(() => {
        const moved: { value: number; what: string }[] = [];
        Object.assign(window, { moved });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, sources } = entry as unknown as {
              value: number;
              sources: { node: Node | null }[];
            };
            const what = sources.map(({ node }) => node?.textContent?.trim().slice(0, 30));
            moved.push({ value, what: what.join(', ') });
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      for (const { id } of inThisRun(chapters)) {
        const { sum, what } = await movement(page, `./${id}/`);
        expect(sum, `${id}: ${what}`).toBeLessThan(most);
      }
      await session.detach();
    },
  );
}
