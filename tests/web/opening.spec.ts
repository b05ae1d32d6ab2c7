// The opening of a chapter: a visible figure after its first lines, with further options folded away; and no text too
// small to read.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { usual, weekly } from './weekly.ts';

/** Texts smaller than 11 px; letters in formulas have mathematical sizes. */
const small = (page: Page) =>
  page.locator('main').evaluate((main) => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement!;
      if (!node.textContent!.trim() || element.closest('.katex, sub, sup, script, noscript'))
        continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const size = parseFloat(getComputedStyle(element).fontSize);
      if (size < 11) found.add(`${size} px: ${element.outerHTML.slice(0, 120)}`);
    }
    return [...found].slice(0, 8);
  });

for (const { id } of chapters) {
  test(`${id} opens on its point, and can be read`, weekly(id, usual), async ({ page }) => {
    await page.addInitScript(() => {
      if (location.protocol.startsWith('http')) localStorage.removeItem('tril.options');
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(page, id);
    // Numbers, a table of numbers, or a picture, without scrolling.
    const figure = page.locator('main section[id]').first().locator('.card');
    await expect(
      figure.locator('[role="gridcell"]:has(span), td, canvas').first(),
    ).toBeInViewport();
    for (const details of await figure.locator('details:has(.choice)').all()) {
      expect(await details.evaluate((one: HTMLDetailsElement) => one.open)).toBe(false);
    }
    expect(await small(page), '1440 pixels wide').toEqual([]);

    await page.setViewportSize({ width: 360, height: 740 });
    const [lede, card] = await Promise.all(
      [page.locator('.lede').first(), figure].map(async (one) => (await one.boundingBox())!),
    );
    expect(card.y - lede.y - lede.height, 'the figure follows the first lines').toBeLessThan(40);
    expect(await small(page), '360 pixels wide').toEqual([]);
  });
}
