// No question shows its answer beside it: a cover with the question lies over the answer until the visitor makes a
// guess or skips it.
import type { Locator } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { open } from './reach.ts';
import { still } from './settled.ts';
import { usual, weekly } from './weekly.ts';

test.use({ veils: true });

/** The covers of each chapter. */
const veils: Readonly<Record<string, readonly string[]>> = {
  multiply: ['memory'],
  average: ['averages', 'series'],
  attend: ['blend', 'scale'],
  mask: ['blocks'],
  heads: ['circuit'],
  block: ['shuffle', 'depth'],
  towers: ['cross'],
  longer: ['online', 'rank'],
};

const isCovered = (veil: Locator) => expect(veil).toHaveAttribute('data-covered', 'true');
const isLifted = (veil: Locator) => expect(veil).not.toHaveAttribute('data-covered', 'true');
const box = async (place: Locator) => (await place.boundingBox())!;

/** The positions of everything around and under a cover: they may not move. */
const places = (veil: Locator) =>
  veil.evaluate((cover) => {
    const part = cover.closest('.part')!;
    // Positions in the window: it does not scroll either.
    const all = [part, ...part.querySelectorAll('.text, .card, .card > *, .veil, .beneath *')];
    return all.map((one) => {
      const { top, left, width, height } = one.getBoundingClientRect();
      return [top, left, width, height].map(Math.round).join(' ');
    });
  });

for (const [chapter, names] of Object.entries(veils)) {
  for (const width of [1440, 390]) {
    test(
      `the question stands on its cover, and nothing moves when it lifts: ${chapter}, ${width} pixels wide`,
      weekly(chapter, usual),
      async ({ page }) => {
        test.slow();
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await open(page, chapter);
        for (const name of names) {
          const veil = page.locator(`[data-veil="${name}"]`);
          await veil.evaluate((one) => one.scrollIntoView());
          await isCovered(veil);
          const [panel, under] = [veil.locator('.panel'), veil.locator('> .beneath')];
          await expect(panel).toBeVisible();
          // The question lies on the cover, over the real content, blurred.
          const [over, asked, below] = [await box(veil), await box(panel), await box(under)];
          expect(asked.y).toBeGreaterThanOrEqual(over.y);
          expect(asked.y + asked.height).toBeLessThanOrEqual(over.y + over.height + 1);
          expect(await under.evaluate((one: HTMLElement) => one.inert)).toBe(true);
          await expect(under).toHaveCSS('filter', /^blur/u);
          expect(over.y + over.height).toBeCloseTo(below.y + below.height, 0);
          expect(below.height).toBeGreaterThan(40);

          await still(page);
          const before = await places(veil);
          await panel.getByRole('toolbar').getByRole('button').first().click();
          await isLifted(veil);
          expect(await places(veil), name).toEqual(before);
          await expect(panel).toBeHidden();
          await expect(under).toHaveCSS('filter', 'none');
          expect(await under.evaluate((one: HTMLElement) => one.inert)).toBe(false);
          // The keyboard focus moves on to the answer.
          await expect(veil.locator('.room > :focus')).toContainText(
            (await veil.locator('[data-answer]').textContent())!,
          );
          await expect(veil.locator('[data-answer]')).toBeInViewport();

          const another = veil.getByRole('button', { name: message('figures.ask.another') });
          if ((await another.count()) === 0) continue;
          await another.click();
          await isCovered(veil);
          await expect(panel.locator('.question')).toBeFocused();
          await panel.getByRole('button', { name: message('figures.ask.skip') }).click();
          await isLifted(veil);
          await expect(veil.locator('[data-answer="skipped"]')).not.toBeEmpty();
        }
      },
    );
  }
}

test('no cover is seen without its question, however far one scrolls', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const chapter of ['average', 'heads', 'longer']) {
    await open(page, chapter);
    const alone = await page.evaluate(async () => {
      const found: string[] = [];
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const part = (one: Element) => {
        const { top, bottom } = one.getBoundingClientRect();
        return Math.min(innerHeight, bottom) - Math.max(0, top);
      };
      let seen = 0;
      for (let y = 0; y < document.documentElement.scrollHeight - innerHeight; y += 200) {
        scrollTo(0, y);
        await frame();
        await frame();
        for (const veil of document.querySelectorAll('[data-covered]')) {
          const panel = veil.querySelector('.panel');
          // Half a window of cover is enough for its question.
          if (part(veil) < innerHeight / 2) continue;
          seen += 1;
          const question = panel?.querySelector('.question');
          const { top = -1, bottom = Infinity } = question?.getBoundingClientRect() ?? {};
          if (top < 0 || bottom > innerHeight) {
            found.push(`${(veil as HTMLElement).dataset.veil} at ${y}: ${top} to ${bottom}`);
          }
        }
      }
      return { found, seen };
    });
    expect(alone.found, chapter).toEqual([]);
    expect(alone.seen, chapter).toBeGreaterThan(0);
  }
});

test('what is covered is not reached by keys; on paper nothing is covered', async ({ page }) => {
  await open(page, 'average');
  const veil = page.locator('[data-veil="averages"]');
  await veil.locator('.panel button').first().focus();
  for (let i = 0; i < 12; i += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('.beneath') === null)).toBe(
      true,
    );
  }
  await page.emulateMedia({ media: 'print' });
  await expect(veil.locator('.panel')).toBeHidden();
  await expect(veil.locator('.beneath')).toHaveCSS('filter', 'none');
});

test('a link to a state shows what it is a link to, and asks beside it', async ({ page }) => {
  await open(page, 'average?blend=free');
  const veil = page.locator('[data-veil="series"]');
  await expect(veil).toBeVisible();
  await expect(page.locator('[data-covered], .cover')).toHaveCount(0);
  await expect(veil.locator('[data-asked]')).toBeVisible();
});

test('who wants no covers has none, on this page, after a reload, and on others', async ({
  page,
}) => {
  await open(page, 'average');
  await isCovered(page.locator('[data-veil="averages"]'));
  await page.getByRole('button', { name: message('shell.menu.open') }).click();
  const cover = page.getByRole('checkbox', { name: message('shell.menu.cover') });
  await expect(cover).toBeChecked();
  await cover.uncheck();
  await expect(page.locator('[data-covered], .cover')).toHaveCount(0);
  await expect(page.locator('[data-veil="averages"] [data-asked]')).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('tril.veils'))).toBe('none');
  await cover.check();
  await isCovered(page.locator('[data-veil="averages"]'));
  expect(await page.evaluate(() => localStorage.getItem('tril.veils'))).toBeNull();
});

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  test('nothing is covered', async ({ page, guard }) => {
    guard.expect(/^failed, csp: /);
    await page.goto('./average/');
    const still = page.locator('.stills > .still:visible');
    await expect(still.locator('[data-matrix="loops"]')).toBeVisible();
    await expect(still.locator('.panel, .room')).toHaveCount(2);
    for (const one of await still.locator('.panel, .room').all()) await expect(one).toBeHidden();
    await expect(still.locator('.beneath').first()).toHaveCSS('filter', 'none');
  });
});
