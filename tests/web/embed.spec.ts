// Embedded figures, in other people's pages.
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import {
  expectTwoFigures,
  expectWords,
  figureOf,
  foreign,
  scriptOf,
  twoFigures,
  type Framed,
} from './foreign.ts';
import { takeOf } from './menus.ts';
import { message } from './messages.ts';
import { computed, open } from './reach.ts';
import { chapters } from './chapters.ts';
import { settled, still } from './settled.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test.beforeEach(async ({ page, guard }) => {
  guard.expect(/^request: http:\/\/127\.0\.0\.1/u); // the surrounding page
  guard.expect(/ERR_ABORTED: \S+\/worker-/u); // the script of a running Worker: it is not loaded again
  // An embedded figure has no covers and plays nothing by itself, whatever else a visitor has seen.
  await page.addInitScript(() => {
    if (location.pathname.includes('/embed/')) localStorage.clear();
  });
});

const framed = (page: Page): Framed => ({
  goto: (address) => page.goto(address),
  evaluate: (work) => page.evaluate(work),
  press: (key) => page.keyboard.press(key),
  async inFigure(n, work) {
    const frame = page.locator('tril-figure').nth(n).locator('iframe');
    return (await (await frame.elementHandle())!.contentFrame())!.evaluate(work);
  },
});

test('two figures of a chapter in a foreign page, each in its own state', async ({
  page,
  baseURL,
}) => {
  const host = await foreign(baseURL!, twoFigures(baseURL!));
  await expectTwoFigures(framed(page), host.address);

  // One Worker computes for both figures.
  const session = await page.context().browser()!.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  const shared = targetInfos.filter(
    ({ type, url }) => type === 'shared_worker' && url.startsWith(baseURL!),
  );
  expect(shared).toHaveLength(1);
  expect(page.workers()).toEqual([]);

  // It still computes for the remaining figure.
  await page.evaluate(() => document.querySelector('tril-figure')!.remove());
  const figure = page.frameLocator('tril-figure iframe');
  await figure
    .getByRole('button', { name: message('average.series.average'), exact: true })
    .click();
  await expect(figure.locator('[data-blend-value]')).toHaveText('5');
  await host.close();
});

test('without Workers that can be shared each figure has its own', async ({ page, baseURL }) => {
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      SharedWorker: class {
        constructor() {
          throw new DOMException('not here', 'SecurityError');
        }
      },
    });
  });
  const host = await foreign(baseURL!, twoFigures(baseURL!));
  await page.goto(host.address);
  for (const [n, value] of ['5', '10'].entries()) {
    const figure = page.locator('tril-figure').nth(n);
    await figure.scrollIntoViewIfNeeded();
    await expect(figure.locator('iframe').contentFrame().locator('[data-blend-value]')).toHaveText(
      value,
    );
  }
  expect(page.workers()).toHaveLength(2);
  await host.close();
});

test('where there is no such figure, words say so', async ({ page, baseURL, guard }) => {
  guard.expect(/404/u);
  for (const place of ['average/nothing/', 'nothing/series/']) {
    const host = await foreign(baseURL!, scriptOf(baseURL!) + figureOf(baseURL!, place));
    await expectWords(framed(page), host.address);
    await host.close();
  }
});

test('an address that is no page’s is not opened', async ({ page, baseURL }) => {
  const figure = '<tril-figure src="javascript:alert(1)">A figure</tril-figure>';
  const host = await foreign(baseURL!, scriptOf(baseURL!) + figure);
  await page.goto(host.address);
  await expect(page.locator('tril-figure iframe')).not.toHaveAttribute('src');
  await host.close();
});

test('the menu of a figure gives the lines for one’s own page', async ({ page, baseURL }) => {
  await page.goto('average/#?blend=free&weights=1,1,0,0');
  await computed(page);
  const take = await takeOf(page, 'series');
  await take.getByRole('button', { name: message('figures.take.embed'), exact: true }).click();
  const panel = page.getByRole('group', { name: message('figures.take.embed'), exact: true });
  const copied: string[] = [];
  await expect(panel.getByRole('button')).toHaveCount(2); // all() does not wait
  for (const button of await panel.getByRole('button').all()) {
    await button.click();
    await expect(take.getByRole('status')).toHaveText(message('figures.take.copied'));
    copied.push(await page.evaluate(() => navigator.clipboard.readText()));
  }
  expect(copied).toEqual(
    await panel
      .locator('textarea')
      .evaluateAll((all) => all.map((one) => (one as HTMLTextAreaElement).value)),
  );
  const [element, frame] = copied;
  const title = await page.locator('#series .card').getAttribute('aria-label');

  await test.step('the element', async () => {
    const host = await foreign(baseURL!, element);
    await page.goto(host.address);
    const inner = page.locator('tril-figure iframe');
    await expect(inner.contentFrame().locator('[data-blend-value]')).toHaveText('6');
    await expect(inner).toHaveAttribute('title', title!);
    await host.close();
  });
  await test.step('the frame, which is about as high as its figure', async () => {
    const host = await foreign(baseURL!, `<p>${frame}</p>`);
    await page.setViewportSize({ width: 800, height: 1000 });
    await page.goto(host.address);
    const inner = page.locator('iframe');
    await expect(inner.contentFrame().locator('[data-blend-value]')).toHaveText('6');
    await expect(inner).toHaveAttribute('title', title!);
    const own = await inner
      .contentFrame()
      .locator('main')
      .evaluate((main) => (main as HTMLElement).offsetHeight);
    const given = Number(await inner.getAttribute('height'));
    expect(Math.abs(given - own)).toBeLessThan(0.3 * own);
    await host.close();
  });
});

test('its links lead to its chapter, beside the page around', async ({ page, baseURL }) => {
  const host = await foreign(
    baseURL!,
    scriptOf(baseURL!) + figureOf(baseURL!, 'average/series/#?blend=free'),
  );
  await page.goto(host.address);
  const figure = page.frameLocator('tril-figure iframe');
  await figure.getByRole('slider').first().fill('1');
  const way = figure.getByRole('link', {
    name: message('shell.alone.chapter', { title: message('shell.about.average.title') }),
  });
  const [chapter] = await Promise.all([page.waitForEvent('popup'), way.click()]);
  await expect(chapter).toHaveURL(/\/average\/#series\?weights=1%2C0%2C-1%2C2&blend=free$/u);
  await expect(chapter.locator('[data-blend-value]')).toHaveText('12');
  await chapter.close();
  expect(page.frames()[1].url()).toContain('/embed/average/series/');
  await host.close();
});

test('a theme that is asked for holds; and so does the system’s where none is', async ({
  page,
}) => {
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await page.goto('embed/average/series/?theme=dark');
  expect(await scheme()).toBe('dark');
  await page.goto('embed/average/series/');
  expect(await scheme()).toBe('light dark');
});

test('alone a figure has no covers and plays nothing, and all can use it: axe', async ({
  page,
}) => {
  await page.goto('embed/attend/steps/');
  await page.locator('[data-variant]').waitFor();
  await still(page);
  await expect(page.locator('[data-covered], header, footer, main nav')).toHaveCount(0);
  await page.waitForTimeout(3000); // longer than the delay before a figure plays by itself
  expect(await page.evaluate(() => location.hash)).toBe('');
  await expectAccessible(page);
});

for (const { id } of chapters) {
  test(`${id}: every figure fits alone, at any width`, weekly(id, ['attend']), async ({ page }) => {
    await open(page, id);
    const figures = await page
      .locator('main section.part')
      .evaluateAll((sections) => sections.map((section) => section.id));
    expect(figures.length).toBeGreaterThan(1);
    for (const figure of figures) {
      await page.setViewportSize({ width: 320, height: 1200 });
      await page.goto(`embed/${id}/${figure}/`);
      await page.locator('[data-variant]').waitFor();
      for (const width of [320, 480, 800]) {
        await page.setViewportSize({ width, height: 1200 });
        await settled(page);
        await expect(page.locator('section.part')).toHaveCount(1);
        await expect(page.getByRole('alert')).toHaveCount(0);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(over, `${figure}, ${width}`).toBe(0);
      }
    }
  });
}
