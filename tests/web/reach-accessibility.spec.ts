// Every chapter for eyes, hands and machines of all kinds, from a small phone to a wall: axe, widths, paper, keyboard,
// reduced motion, forced colours. One visit tests all that it can.
import type { Page } from '@playwright/test';
import { expectAccessible, expectFaultless } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { motions } from './places.ts';
import { chapters, cutTexts, fold, open, unfold } from './reach.ts';
import { still } from './settled.ts';
import { usual, weekly } from './weekly.ts';

/** Nothing scrolls sideways, and no text is cut off: in light at every width, in dark (other colours) at one. */
async function expectWhole(page: Page): Promise<void> {
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [360, 'light'],
    [320, 'light'],
    [768, 'light'],
    [1440, 'light'],
    [2560, 'light'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await still(page, 100);
    await expectNoSidewaysScroll(page, `${width} px, ${colorScheme}`);
    expect(await cutTexts(page), `${width} px, ${colorScheme}`).toEqual([]);
  }
}

/** A4 portrait without its margins of 1 cm. */
async function expectPaper(page: Page): Promise<void> {
  await page.setViewportSize({ width: 718, height: 1047 });
  await still(page);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await still(page);
  expect(await cutTexts(page, true), 'on paper').toEqual([]);
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(paper, 'no ink for the background').toBe('rgb(255, 255, 255)');
  for (const button of await page.getByRole('button', { name: /theme|Copy link/ }).all()) {
    await expect(button).toBeHidden();
  }
}

const codes = {
  Tab: 9,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};
type Key = keyof typeof codes;

/** Presses keys one after another, each without waiting for the answer to the one before. */
async function pressAll(page: Page, keys: readonly Key[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const send = (type: 'rawKeyDown' | 'keyUp', key: Key) =>
    session.send('Input.dispatchKeyEvent', {
      ...{ type, key, code: key },
      windowsVirtualKeyCode: codes[key],
    });
  await Promise.all(keys.flatMap((key) => [send('rawKeyDown', key), send('keyUp', key)]));
  await session.detach();
}

/** Records in the page the focused elements, and whether the focus is visible: one answer for all keys. */
async function watchFocus(page: Page): Promise<void> {
  await page.evaluate(() => {
    const focused: Focused[] = [];
    Object.assign(window, { focused });
    document.addEventListener('focusin', ({ target }) => {
      const element = target as HTMLElement;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      focused.push({
        index: Number(element.dataset.stop ?? -1),
        seen: (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none',
        html: element.outerHTML.slice(0, 140),
      });
    });
  });
}

interface Focused {
  readonly index: number;
  readonly seen: boolean;
  readonly html: string;
}

/** The Tab key reaches everything once, with a visible focus. */
async function expectTabStops(page: Page): Promise<void> {
  // Only the chosen one of radio buttons with one name is a stop.
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
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await watchFocus(page);
  // Elements that come near on the way may bring stops of their own: go on until the order begins again.
  let focused: Focused[] = [];
  const begunAgain = () => focused.slice(1).some(({ index }) => index === focused[0].index);
  for (let presses = 0; presses < 2 * stops.length + 20 && !begunAgain(); presses += 20) {
    await pressAll(page, Array<Key>(20).fill('Tab'));
    focused = await page.evaluate(() => (window as unknown as { focused: Focused[] }).focused);
  }
  const unseen = focused.filter(({ index, seen }) => index >= 0 && !seen);
  expect(
    unseen.map(({ html }) => html),
    'focus that cannot be seen',
  ).toEqual([]);
  const reached = new Set(focused.map(({ index }) => index));
  const missed = stops.filter((_, index) => !reached.has(index));
  expect(missed, 'not reached by Tab').toEqual([]);
}

/** A group of choices is one stop; arrows, Home and End move along it, and choose in groups with a single choice. */
async function expectGroups(page: Page): Promise<void> {
  const problems = await page.evaluate(async () => {
    const found: string[] = [];
    const seen = (all: Iterable<HTMLElement>) => [...all].filter((one) => one.checkVisibility());
    const loose = (chip: Element) =>
      !chip.closest('[role="radiogroup"], [role="toolbar"]') &&
      chip.parentElement!.querySelectorAll(':scope > [aria-pressed]').length > 1;
    const pressed = seen(document.querySelectorAll('main [aria-pressed]')).filter(loose);
    found.push(...pressed.map((chip) => `${chip.outerHTML.slice(0, 120)}: in no group`));
    const groups = seen(
      document.querySelectorAll('main :is([role="radiogroup"], [role="toolbar"])'),
    ).map((group) => {
      const radios = group.role === 'radiogroup';
      const which = radios ? '[role="radio"]' : 'button:not(:disabled)';
      const buttons = () => [...group.querySelectorAll<HTMLElement>(which)];
      const stops = buttons().filter(({ tabIndex }) => tabIndex === 0).length;
      const name = group.ariaLabel || group.outerHTML.slice(0, 120);
      if (!group.ariaLabel && !group.closest('table')) found.push(`${name}: no name`);
      if (stops !== 1) found.push(`${name}: ${stops} stops`);
      return { group, radios, buttons, name };
    });
    const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (const { group, radios, buttons, name } of groups) {
      await drawn();
      if (!group.isConnected) continue; // Another group's choice has redrawn its figure.
      const last = buttons().length - 1;
      const first = buttons().findIndex(({ tabIndex }) => tabIndex === 0);
      buttons()[first].focus();
      const keys = { End: last, Home: 0, ArrowLeft: group.matches('.navigator') ? 0 : last };
      for (const [key, to] of Object.entries(keys)) {
        document.activeElement!.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
        await drawn();
        if (!group.isConnected) break;
        const at = buttons().indexOf(document.activeElement as HTMLElement);
        if (at !== to) found.push(`${name}: ${key} leads to ${at}, not to ${to}`);
        if (radios && buttons()[to].ariaChecked !== 'true') found.push(`${name}: not chosen`);
      }
      if (radios && group.isConnected) buttons()[first].click();
    }
    return found;
  });
  expect(problems).toEqual([]);
}

/** The accessible text of the focused matrix's current cell, before the keys and after each. */
async function spokenBy(page: Page, keys: readonly Key[]): Promise<(string | null)[]> {
  await page.evaluate(() => {
    const said = () => {
      const at = document.activeElement?.getAttribute('aria-activedescendant');
      const cell = document.getElementById(at ?? '');
      return cell?.ariaLabel || cell?.textContent || null;
    };
    const spoken = [said()];
    const note = () => spoken.push(said());
    addEventListener('keyup', note);
    Object.assign(window, { spoken, unwatch: () => removeEventListener('keyup', note) });
  });
  await pressAll(page, keys);
  return page.evaluate(() => {
    const { spoken, unwatch } = window as unknown as {
      spoken: (string | null)[];
      unwatch: () => void;
    };
    unwatch();
    return spoken;
  });
}

/** Arrow keys reach every cell of every matrix. */
async function expectCells(page: Page): Promise<void> {
  const most = 8; // steps each way: in a large matrix the rest is alike
  const grids = page.locator('main [role="grid"]:visible');
  for (let index = 0; index < (await grids.count()); ++index) {
    const grid = grids.nth(index);
    // The counts may be absent if every cell is an element.
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
    let [before, , after]: (string | null)[] = ['', '', null];
    while (before !== after) [before, , after] = await spokenBy(page, ['ArrowUp', 'ArrowLeft']);
    // Down the first column, then along the last row: a step per key, each with a text of its own.
    const spoken = await spokenBy(page, [
      ...Array<Key>(Math.min(rows, most) - 1).fill('ArrowDown'),
      ...Array<Key>(Math.min(cols, most) - 1).fill('ArrowRight'),
    ]);
    expect(spoken, `${name}: every cell is said`).not.toContain(null);
    const { length } = spoken;
    expect(new Set(spoken).size, `${name}: ${spoken.slice(0, 3).join(' | ')}`).toBe(length);
    await page.keyboard.press('Escape');
  }
}

/** The content of a canvas is also there in words, and as a table or list. */
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

/** Records from the next visit on which elements move; read by expectNothingGlides(). */
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
  await page.evaluate(async () => {
    const steps = document.querySelectorAll<HTMLButtonElement>('[data-stepper] button[aria-label]');
    for (const step of steps) {
      if (step.disabled || !step.checkVisibility()) continue;
      step.click();
      // Waits until watchMotion() has seen the effect.
      for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
    }
  });
  await still(page);
  await page.getByRole('button', { name: /theme/ }).click();
  await still(page);
  const moved = await page.evaluate(() => [...(window as unknown as { moved: Set<string> }).moved]);
  expect(moved).toEqual([]);
}

/** With forced colours, figures keep their own, and buttons show the chosen state. */
async function expectForcedColours(page: Page): Promise<void> {
  const problems = await page.evaluate(() => {
    const found: string[] = [];
    for (const cell of document.querySelectorAll('main .cell')) {
      if (getComputedStyle(cell).forcedColorAdjust !== 'none') found.push('cells lose colours');
    }
    const borders = (pressed: boolean) =>
      [
        ...document.querySelectorAll(
          `main .chip:is([aria-pressed="${pressed}"], [aria-checked="${pressed}"])`,
        ),
      ]
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
    const details = weekly(id, ['attend', 'model']);
    test(
      `${id}: for axe, in words, whole at every width, by Tab and arrow keys, on paper`,
      details,
      async ({ page }) => {
        await open(page, id);
        await unfold(page);
        await test.step('axe', () => expectAccessible(page));
        await test.step('canvases in words', () => expectCanvasesTold(page));
        await test.step('widths', () => expectWhole(page));
        await page.setViewportSize({ width: 1440, height: 900 });
        await fold(page);
        await test.step('Tab', () => expectTabStops(page));
        await test.step('groups', () => expectGroups(page));
        await test.step('arrow keys', () => expectCells(page));
        await test.step('paper', () => expectPaper(page));
      },
    );
  }
});

/** An animation stopped in the middle, where most of it is visible; it began to play when it appeared. */
async function expectMotion(page: Page, place: string): Promise<void> {
  await open(page, place);
  const motion = page.locator('[data-motion]').first();
  await motion.getByRole('slider').fill('80');
  await motion.locator('[data-frame="80"]').waitFor();
}

for (const place of motions) {
  const details = weekly(place, [motions[0]]);
  test(
    `${place}: for axe, whole at every width, its player by keys, on paper`,
    details,
    async ({ page }) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await expectMotion(page, place);
      await test.step('axe', () => expectAccessible(page));
      await test.step('widths', () => expectWhole(page));
      await page.setViewportSize({ width: 1440, height: 900 });
      await test.step('keys', async () => {
        const motion = page.locator('[data-motion]').first();
        const frame = () => motion.locator('[data-frame]').getAttribute('data-frame');
        const before = Number(await frame());
        await motion.getByRole('slider').focus();
        await page.keyboard.press('ArrowLeft');
        await expect.poll(async () => Number(await frame())).toBeLessThan(before);
      });
      await test.step('paper', () => expectPaper(page));
    },
  );
}

test.describe('phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  for (const { id } of chapters) {
    test(`${id}: for axe`, weekly(id, usual), async ({ page }) => {
      await open(page, id);
      await unfold(page);
      await expectFaultless(page, { what: 'others' });
    });
  }
  for (const place of motions) {
    test(`${place}: for axe`, weekly(place, [motions[0]]), async ({ page }) => {
      await expectMotion(page, place);
      await expectFaultless(page, { what: 'others' });
    });
  }
});

test.describe('less motion, forced colours', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } });
  for (const { id } of chapters) {
    test(
      `${id}: buttons show what is chosen, nothing glides`,
      weekly(id, usual),
      async ({ page }) => {
        await watchMotion(page);
        await open(page, id);
        await test.step('forced colours', () => expectForcedColours(page));
        await page.emulateMedia({ forcedColors: 'none' });
        await test.step('less motion', () => expectNothingGlides(page));
      },
    );
  }
});
