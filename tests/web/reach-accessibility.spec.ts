// Every chapter for eyes, hands and machines of all kinds: axe, keyboard, touch, less motion, forced colours. What can be
// tried on one visit is.
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { chapters, fold, open, still, themes, unfold } from './reach.ts';

/** axe finds nothing, light and dark; whatever is folded away is opened. */
async function expectFaultless(page: Page): Promise<void> {
  await unfold(page);
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    await still(page);
    await expectAccessible(page, colorScheme);
  }
}

/** What has the focus, and whether one sees that it has. */
function focused(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement!;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return {
      index: Number((element as HTMLElement).dataset.stop ?? -1),
      seen: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none',
      html: element.outerHTML.slice(0, 140),
    };
  });
}

/** The Tab key reaches everything once, and one sees where it is. */
async function expectTabStops(page: Page): Promise<void> {
  // Of radio buttons with one name the chosen one is the stop.
  const stops = await page.evaluate(() => {
    const all = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, input, select, textarea, summary, [tabindex]',
      ),
    ].filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(':disabled') &&
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.matches('input[type="radio"]:not(:checked)'),
    );
    all.forEach((element, index) => (element.dataset.stop = String(index)));
    return all.map((element) => element.outerHTML.slice(0, 140));
  });
  const reached = new Map<number, string>();
  const unseen: string[] = [];
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let presses = 0; presses < stops.length + 10; ++presses) {
    await page.keyboard.press('Tab');
    const { index, seen, html } = await focused(page);
    if (index < 0) continue; // The browser's own, or what came by pointing.
    if (reached.has(index)) break;
    reached.set(index, html);
    if (!seen) unseen.push(html);
  }
  expect(unseen, 'focus that cannot be seen').toEqual([]);
  const missed = stops.filter((_, index) => !reached.has(index));
  expect(missed, 'not reached by Tab').toEqual([]);
}

/** Arrow keys reach every cell of every matrix. */
async function expectCells(page: Page): Promise<void> {
  const most = 8; // steps each way: in a large matrix the rest is alike
  const grids = page.locator('main [role="grid"]:visible');
  /** What is said of the cell that the focused matrix is at. */
  const said = () =>
    page.evaluate(() => {
      const at = document.activeElement?.getAttribute('aria-activedescendant');
      const cell = document.getElementById(at ?? '');
      return cell?.ariaLabel || cell?.textContent || null;
    });
  for (let index = 0; index < (await grids.count()); ++index) {
    const grid = grids.nth(index);
    // The counts may be left away where every cell is an element.
    const [name, rows, cols] = await grid.evaluate((element) => {
      const drawn = element.querySelectorAll('[role="row"]').length;
      const cells = element.querySelectorAll('[role="gridcell"]').length;
      const { ariaLabel, ariaRowCount, ariaColCount } = element;
      return [
        ariaLabel ?? '',
        Number(ariaRowCount ?? drawn),
        Number(ariaColCount ?? cells / drawn),
      ] as const;
    });
    expect(name, 'a matrix has a name').toBeTruthy();
    expect(rows * cols, `${name} says how large it is`).toBeGreaterThan(0);
    await grid.focus();
    for (let before: string | null = ''; before !== (await said());) {
      before = await said();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowLeft');
    }
    // Down the first column, then along the last row: a step a press, each with its own words.
    const spoken = [await said()];
    const presses = [
      ...Array<string>(Math.min(rows, most) - 1).fill('ArrowDown'),
      ...Array<string>(Math.min(cols, most) - 1).fill('ArrowRight'),
    ];
    for (const key of presses) {
      await page.keyboard.press(key);
      spoken.push(await said());
    }
    expect(spoken, `${name}: every cell is said`).not.toContain(null);
    const { length } = spoken;
    expect(new Set(spoken).size, `${name}: ${spoken.slice(0, 3).join(' | ')}`).toBe(length);
    await page.keyboard.press('Escape');
  }
}

/** What a canvas shows is there in words, and as a table or list. */
async function expectCanvasesTold(page: Page): Promise<void> {
  const mute = await page.locator('main canvas:visible').evaluateAll((canvases) =>
    canvases.flatMap((canvas) => {
      if (canvas.closest('[aria-hidden="true"]')) return [];
      const named = canvas.closest('[role="grid"], [role="img"], [role="group"]');
      const around = canvas.closest('figure, [data-figure], section');
      const whole = canvas.closest('[data-figure], section') ?? around;
      const problems = [
        ...(named?.ariaLabel ? [] : ['no name']),
        ...(whole?.querySelector('table, ol, dl') ? [] : ['no table or list']),
      ];
      return problems.map(
        (problem) => `${canvas.parentElement!.outerHTML.slice(0, 120)}: ${problem}`,
      );
    }),
  );
  expect(mute).toEqual([]);
}

/** Notes down, from the next visit on, what glides; read by expectNothingGlides(). */
async function watchMotion(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const moved = new Set<string>();
    Object.assign(window, { moved });
    const look = () => {
      for (const animation of document.getAnimations()) {
        const { duration } = animation.effect!.getComputedTiming();
        const target = (animation.effect as KeyframeEffect).target?.className ?? '';
        if (Number(duration) > 1) moved.add(`${String(target)} ${String(duration)} ms`);
      }
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

async function expectNothingGlides(page: Page): Promise<void> {
  for (const step of await page.locator('[data-stepper] button[aria-label]:enabled').all()) {
    if (await step.isEnabled()) await step.click();
  }
  await page.getByRole('button', { name: /theme/ }).click();
  await still(page);
  const moved = await page.evaluate(() => [...(window as unknown as { moved: Set<string> }).moved]);
  expect(moved).toEqual([]);
}

/** Where colours are forced, figures keep theirs, and buttons show what is chosen. */
async function expectForcedColours(page: Page): Promise<void> {
  const problems = await page.evaluate(() => {
    const found: string[] = [];
    for (const cell of document.querySelectorAll('main .cell')) {
      if (getComputedStyle(cell).forcedColorAdjust !== 'none') found.push('cells lose colours');
    }
    const borders = (pressed: boolean) =>
      [...document.querySelectorAll(`main .chip[aria-pressed="${pressed}"]`)]
        .filter((chip) => chip.checkVisibility())
        .map((chip) => {
          const { borderColor, backgroundColor, color } = getComputedStyle(chip);
          return [borderColor, backgroundColor, color].join();
        });
    const off = new Set(borders(false));
    if (borders(true).some((look) => off.has(look))) found.push('pressed looks like not pressed');
    return [...new Set(found)];
  });
  expect(problems).toEqual([]);
}

test.describe('desk', () => {
  test.use({ viewport: { width: 1440, height: 900 } });
  for (const { id } of chapters) {
    test(`${id}: for axe, in words, by Tab and arrow keys`, async ({ page }) => {
      await open(page, id);
      await test.step('axe', () => expectFaultless(page));
      await test.step('canvases in words', () => expectCanvasesTold(page));
      await page.emulateMedia({ colorScheme: 'light' });
      await fold(page);
      await test.step('Tab', () => expectTabStops(page));
      await test.step('arrow keys', () => expectCells(page));
    });
  }
});

test.describe('phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  for (const { id } of chapters) {
    test(`${id}: for axe`, async ({ page }) => {
      await open(page, id);
      await expectFaultless(page);
    });
  }
});

test.describe('less motion, forced colours', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } });
  for (const { id } of chapters) {
    test(`${id}: buttons show what is chosen, nothing glides`, async ({ page }) => {
      await watchMotion(page);
      await open(page, id);
      await test.step('forced colours', () => expectForcedColours(page));
      await page.emulateMedia({ forcedColors: 'none' });
      await test.step('less motion', () => expectNothingGlides(page));
    });
  }
});
