// The printed page of a passive visit: every figure shows something. Paper cannot be clicked, so figures that wait for
// the visitor on screen may not leave an empty box on it.
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { still } from './settled.ts';
import { usual, weekly } from './weekly.ts';

/** The largest gap between things in a figure, in pixels. A larger gap is an empty box, or reserved room. */
const most = 120;

/** A4 portrait without its margins of 1 cm. */
async function print(page: Page): Promise<void> {
  await page.setViewportSize({ width: 718, height: 1047 });
  await still(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  await still(page);
}

/** The boxes of a card with nothing in them, and stretches of paper with nothing on them. */
const emptyIn = (card: Locator): Promise<string[]> =>
  card.evaluate((element, least) => {
    const bounds = element.getBoundingClientRect();
    const seen = (one: Element) =>
      one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    const pathOf = (one: Element) => `${one.localName}.${[...one.classList].join('.')}`;
    const found: string[] = [];
    /** Top and bottom of each thing, from the card's upper edge. */
    const parts: (readonly [top: number, bottom: number])[] = [];
    const add = ({ top, bottom, width, height }: DOMRect) => {
      if (width > 0 && height > 0) parts.push([top - bounds.top, bottom - bounds.top]);
    };
    for (const one of element.querySelectorAll('*')) {
      if (!seen(one) || one.closest('.visually-hidden')) continue;
      const box = one.getBoundingClientRect();
      const drawing = one.closest('svg');
      if (one instanceof HTMLCanvasElement) {
        const { data } = one.getContext('2d')!.getImageData(0, 0, one.width, one.height);
        if (!data.some((value) => value > 0))
          found.push(`${pathOf(one)}: nothing is painted on it`);
        add(box);
        continue;
      }
      for (const node of one.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.textContent!.trim()) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const line of range.getClientRects()) add(line);
      }
      if (drawing) {
        if (one !== drawing && one.childElementCount === 0) add(box);
        continue;
      }
      const { backgroundImage, borderTopWidth, borderTopStyle, backgroundColor } =
        getComputedStyle(one);
      const framed = parseFloat(borderTopWidth) > 0 && borderTopStyle !== 'none';
      const leaf = one.childElementCount === 0 && !one.textContent!.trim();
      if (!leaf || one.matches('input, textarea')) continue;
      if (framed && box.height > least / 2 && box.width > least / 2) {
        found.push(
          `${pathOf(one)}: ${box.width.toFixed()} by ${box.height.toFixed()} with nothing in it`,
        );
      } else if (backgroundImage !== 'none' || backgroundColor !== 'rgba(0, 0, 0, 0)') add(box);
    }
    let last = 0;
    for (const [top, bottom] of parts.sort((a, b) => a[0] - b[0])) {
      if (top - last > least) found.push(`nothing from ${last.toFixed()} to ${top.toFixed()} px`);
      last = Math.max(last, bottom);
    }
    if (bounds.height - last > least) {
      found.push(`nothing from ${last.toFixed()} to ${bounds.height.toFixed()} px, its end`);
    }
    return found;
  }, most);

for (const { id } of chapters) {
  test(`${id}: no figure is an empty box on paper`, weekly(id, usual), async ({ page }) => {
    await open(page, id);
    await print(page);
    const empty: Record<string, string[]> = {};
    for (const card of await page.locator('main .card').all()) {
      const name = (await card.locator('xpath=..').getAttribute('id')) ?? '';
      const found = await emptyIn(card);
      if (found.length > 0) empty[name] = found;
      if (process.env.SHOT)
        await card.screenshot({ path: `${process.env.SHOT}/${id}-${name}.png` });
    }
    expect(empty).toEqual({});
  });
}
