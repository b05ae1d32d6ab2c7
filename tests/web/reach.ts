// Helpers for the tests of the page's reach: opening every registered chapter, computed, and finding text that is cut
// off.
import type { Page } from '@playwright/test';
import { chapters } from './chapters.ts';
import { expect } from './fixtures.ts';
import { placeOf } from './places.ts';
import { inSight, settled, still } from './settled.ts';

export { chapters };
export const themes = ['light', 'dark'] as const;

/** Opens a chapter anew and waits until it is computed and its fonts and formulas have loaded. */
export async function open(page: Page, chapter: string, place = './'): Promise<void> {
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  await page.goto(place + placeOf(chapter));
  await computed(page);
}

/** Waits until the service worker has stored all files, and serves them. */
export async function kept(page: Page): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

export async function computed(page: Page): Promise<void> {
  await page.locator('[data-variant]').first().waitFor();
  const drawn = 'main [role="gridcell"], main canvas, main [data-map], main [data-word]';
  await page.locator(drawn).first().waitFor({ state: 'attached' });
  await expect(page.locator('.formula:empty')).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
  await still(page);
}

/** Opens everything that is folded, and what is folded in it. */
export async function unfold(page: Page): Promise<void> {
  const open = () =>
    page.evaluate(() => {
      const closed = document.querySelectorAll<HTMLDetailsElement>('details:not([open])');
      for (const details of closed) {
        details.dataset.unfolded = 'true';
        details.open = true;
      }
      return closed.length;
    });
  for (let depth = 0; depth < 4 && (await open()) > 0; ++depth) await still(page);
}

/** Folds again what unfold() has opened. */
export async function fold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      if (details.dataset.unfolded === 'true') details.open = false;
      delete details.dataset.unfolded;
    }
  });
  await still(page);
}

/**
 * Texts that are partly or wholly cut off: by an ancestor that neither scrolls nor shows "…", or by the edge of the
 * page. On paper nothing scrolls: a scroller cuts there, too.
 */
export async function cutTexts(page: Page, onPaper = false): Promise<string[]> {
  return page.evaluate((paper) => {
    const slack = 1.5; // pixels: letters reach a little beyond their boxes
    const isHidden = (element: Element) => {
      const { width, height } = element.getBoundingClientRect();
      const { clipPath } = getComputedStyle(element);
      return (width <= 1 && height <= 1) || clipPath.startsWith('inset(50%');
    };
    const pathOf = (element: Element) => {
      const names: string[] = [];
      for (let e: Element | null = element; e && names.length < 4; e = e.parentElement) {
        const named = e.id ? `#${e.id}` : [...e.classList].find((name) => !name.startsWith('s-'));
        names.unshift(e.localName + (named ? (e.id ? named : `.${named}`) : ''));
      }
      return names.join(' > ');
    };

    /** The reason why a rectangle with this text is not entirely visible, or ''. */
    function reasonFor(element: Element, box: DOMRect): string {
      let [freeX, freeY] = [false, false];
      for (let e: Element | null = element; e && e !== document.body; e = e.parentElement) {
        if (isHidden(e)) return '';
        const style = getComputedStyle(e);
        if (style.position === 'fixed') return '';
        const cuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
        const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll';
        const inner = e.getBoundingClientRect();
        if (e.localName === 'foreignObject' || style.display === 'inline') continue;
        if (cuts(style.overflowX) || (paper && scrolls(style.overflowX))) {
          const beyond = Math.max(inner.left - box.left, box.right - inner.right);
          const elided = style.textOverflow === 'ellipsis';
          if (!freeX && beyond > slack && !elided) return `${beyond.toFixed(1)} px across`;
        }
        if (cuts(style.overflowY) || (paper && scrolls(style.overflowY))) {
          const beyond = Math.max(inner.top - box.top, box.bottom - inner.bottom);
          // Lines are higher than their letters: a third of a line may be hidden before any letter is.
          if (!freeY && beyond > slack + 0.33 * parseFloat(style.fontSize)) {
            return `${beyond.toFixed(1)} px down`;
          }
        }
        freeX ||= !paper && scrolls(style.overflowX);
        freeY ||= !paper && scrolls(style.overflowY);
      }
      if (freeX) return '';
      const edge = document.documentElement.clientWidth;
      const beyond = Math.max(-box.left, box.right - edge);
      return beyond > slack ? `${beyond.toFixed(1)} px beyond the page` : '';
    }

    const found = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement!;
      if (!node.textContent!.trim() || element.closest('script, noscript, .katex-mathml')) continue;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const reason = box.width > 0 ? reasonFor(element, box) : '';
        if (!reason) continue;
        found.add(`“${node.textContent!.trim().slice(0, 40)}” in ${pathOf(element)}: ${reason}`);
        break;
      }
    }
    return [...found].slice(0, 12);
  }, onPaper);
}

/**
 * Shows all of the page as if it were in view: cards out of view get their styles late, and colours in a transition
 * belong to neither theme or state. Nothing moves from here on.
 */
export async function asSeen(page: Page): Promise<void> {
  await inSight(page.locator('main .card'));
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('*, ::before, ::after { transition: none !important; }');
    document.adoptedStyleSheets.push(sheet);
    void document.body.offsetHeight; // elements now in view begin to move
    return Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished),
    );
  });
  // Cells are added over several frames: until then a grid may name a missing one.
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[aria-activedescendant]')].every((grid) =>
      document.getElementById(grid.getAttribute('aria-activedescendant')!),
    ),
  );
  await settled(page); // digits appear before the squares under them
}
