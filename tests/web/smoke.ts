// The tests of every chapter in browsers other than Chromium: it is computed, its numbers are numbers, keys work. The
// tests in Chromium cover the figures.
import { expect } from '@playwright/test';
import { hashOf, trained } from './oracles/born.ts';
import { sameModule } from './same-module.ts';

/** A page in a browser, with any driver. */
export interface Driven {
  readonly goto: (address: string) => Promise<unknown>;
  /** Runs in the page, without access to variables here. */
  readonly evaluate: <T>(work: () => T) => Promise<T>;
  readonly press: (key: 'ArrowDown' | 'ArrowRight' | 'Tab' | 'x') => Promise<unknown>;
}

/** Polls an assertion about a page, which may be between two states under load. */
export const until = <T>(page: Driven, work: () => T) =>
  expect.poll(() => page.evaluate(work), { message: String(work), timeout: 60_000 });

/** Acts until the action has its effect: under load a browser may lose a key, and the target may be redrawn. */
async function actUntil<T>(
  page: Driven,
  act: () => Promise<unknown>,
  work: () => T,
  is: (value: T) => boolean,
): Promise<void> {
  const once = async () => {
    await act();
    await expect
      .poll(async () => is(await page.evaluate(work)), { message: String(work), timeout: 5000 })
      .toBe(true);
  };
  await expect(once).toPass({ timeout: 60_000 });
}

/** Focuses and presses keys until `work` returns another value. */
async function pressUntilNot<T>(
  page: Driven,
  focus: () => void,
  keys: readonly ('ArrowDown' | 'ArrowRight')[],
  work: () => T,
  before: T,
): Promise<void> {
  const press = async () => {
    await page.evaluate(focus);
    for (const key of keys) await page.press(key);
  };
  await actUntil(page, press, work, (now) => now !== before);
}

/** Whether the live page is there, with its answers and its formulas. */
export const isComputed = () =>
  document.querySelector('[data-variant]') !== null &&
  document.querySelector('.stills') === null &&
  document.querySelector('main [role="gridcell"], main [data-map], main canvas') !== null &&
  document.querySelector('.formula:empty') === null;

/** The accessible text of the first matrix's current cell. */
const spoken = () => {
  const grid = document.querySelector('main [role="grid"]')!;
  const cell = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return cell?.getAttribute('aria-label') ?? cell?.textContent ?? '';
};

/** Keys move from one cell of the first matrix to another. */
async function expectCells(page: Driven): Promise<void> {
  const focus = () => document.querySelector<HTMLElement>('main [role="grid"]')!.focus();
  await page.evaluate(focus);
  await until(page, spoken).toMatch(/\d|NaN|∞/u);
  const first = await page.evaluate(spoken);
  await pressUntilNot(page, focus, ['ArrowDown', 'ArrowRight'], spoken, first);
  await until(page, spoken).toMatch(/\d|NaN|∞/u);
}

/** In a chapter that opens with a map, keys move between the suggested words; the map has its numbers. */
async function expectWords(page: Driven): Promise<void> {
  const cosine = () => document.querySelector('main [data-cosine]')?.textContent ?? '';
  await until(page, cosine).toMatch(/\d/u);
  const focus = () => document.querySelector<HTMLElement>('main [role="toolbar"] button')!.focus();
  await page.evaluate(focus);
  const here = () => document.activeElement?.textContent ?? '';
  const first = await page.evaluate(here);
  await pressUntilNot(page, focus, ['ArrowRight'], here, first);
}

/**
 * In a figure that plays frame by frame, an arrow key moves by a whole step, and the stream or the block of keys
 * follows.
 */
async function expectPlayed(page: Driven): Promise<void> {
  const moving = () => {
    const figure = document.querySelector(
      'main .alive [data-figure]:has([data-front], [data-lanes])',
    )!;
    const stage = figure.querySelector('[data-stage]')?.getAttribute('data-stage');
    const flowed = figure.querySelectorAll('[data-stream] path').length;
    return [stage, flowed, figure.getAttribute('data-step')].join();
  };
  const withinStep = () =>
    document.querySelector<HTMLInputElement>('main .alive [data-stepper] input')!.valueAsNumber %
    48;
  const before = await page.evaluate(moving);
  const focus = () =>
    document.querySelector<HTMLElement>('main .alive [data-stepper] input')!.focus();
  await pressUntilNot(page, focus, ['ArrowRight'], moving, before);
  await until(page, withinStep).toBe(0); // at the end of a step
}

/** In a chapter with code, the results follow the typing: the editor works, and the policy allows its styles. */
async function expectWritten(page: Driven): Promise<void> {
  const isReady = () => {
    const line = document
      .querySelector('[data-editor="ready"]')
      ?.shadowRoot?.querySelector('.cm-line');
    return line ? getComputedStyle(line).paddingRight !== '0px' : false;
  };
  await until(page, isReady).toBe(true);
  const focus = () => {
    const { shadowRoot } = document.querySelector('[data-editor="ready"]')!;
    shadowRoot!.querySelector<HTMLElement>('.cm-content')!.focus();
  };
  /** Types before the first word, which makes the code invalid. */
  const type = async () => {
    await page.evaluate(focus);
    await page.press('x');
  };
  const verdict = () =>
    document.querySelector('main .alive [data-verdict]')?.getAttribute('data-verdict');
  await actUntil(page, type, verdict, (kind) => kind === 'error');
}

/**
 * Marks everything as seen, before the browser's first page: figures that play by themselves at first sight would
 * disturb the tests.
 */
export async function knowAll(page: Driven, base = ''): Promise<void> {
  await page.goto(`${base}THIRD-PARTY-NOTICES.txt`); // a document of the page's origin without scripts
  await page.evaluate(() => localStorage.setItem('tril.met', 'all'));
}

export async function expectChapter(page: Driven, address: string, title: string): Promise<void> {
  await page.goto(address);
  await until(page, isComputed).toBe(true);
  await until(page, () => document.title).toBe(`${title} · Tril`);
  const sideways = () =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth;
  await until(page, sideways).toBe(0);
  // Skips the questions that cover figures, and opens folded parts.
  const uncover = () => {
    document.querySelectorAll<HTMLElement>('main .skip').forEach((skip) => skip.click());
    document
      .querySelectorAll<HTMLDetailsElement>('main details')
      .forEach((details) => (details.open = true));
  };
  /**
   * Whether the figures can be tested: a cover appears before its question is known, and covered figures take no keys.
   */
  const toBeTried = () =>
    document.querySelector('main [role="grid"], main [data-cosine]') !== null &&
    document.querySelector(
      'main [inert] :is([role="grid"], [data-cosine], [data-stepper], [data-editor])',
    ) === null;
  await actUntil(page, () => page.evaluate(uncover), toBeTried, Boolean);
  if (await page.evaluate(() => document.querySelector('main [role="grid"]') !== null)) {
    await expectCells(page);
  } else {
    await expectWords(page);
  }
  if (await page.evaluate(() => document.querySelector('[data-front], [data-lanes]') !== null)) {
    await expectPlayed(page);
  }
  if (await page.evaluate(() => document.querySelector('[data-editor]') !== null)) {
    await expectWritten(page);
  }
  expect(await page.evaluate(() => document.querySelector('[role="alert"]'))).toBeNull();
}

/** The tour: scrolling leads to the next cards and back, and the head that is trained at its end answers. */
export async function expectTour(page: Driven, address: string): Promise<void> {
  await page.goto(address);
  const place = () => document.querySelector<HTMLElement>('[data-place]')?.dataset.place;
  await until(page, place).toBe('0');
  const met = () => document.querySelectorAll('[data-screen="cards"] [data-score]').length;
  const down = () => scrollTo(0, 4.3 * innerHeight);
  await actUntil(
    page,
    () => page.evaluate(down),
    met,
    (now) => now > 1,
  );
  const up = () => scrollTo(0, 0);
  await actUntil(
    page,
    () => page.evaluate(up),
    place,
    (now) => now === '0',
  );
  const training = () =>
    document.querySelector<HTMLElement>('[data-training]')?.dataset.training ?? '';
  const end = () => scrollTo(0, document.body.scrollHeight);
  await actUntil(
    page,
    () => page.evaluate(end),
    training,
    (now) => now === 'ready',
  );
  const train = () => document.querySelector<HTMLElement>('.go[data-state="ready"]')?.click();
  await actUntil(
    page,
    () => page.evaluate(train),
    training,
    (now) => now !== 'ready',
  );
  const says = () => document.querySelector<HTMLElement>('[data-says]')?.dataset.says;
  await until(page, says).toBe('l');
  expect(await page.evaluate(() => document.querySelector('[role="alert"]'))).toBeNull();
  // The page's head equals, to the bit, the one that Node trains from the same seed with the same module.
  const head = await page.evaluate(
    () => JSON.parse(localStorage.getItem('tril.head')!) as { seed: number; hash: string },
  );
  const variant = () => document.querySelector<HTMLElement>('[data-variant]')?.dataset.variant;
  const tril = await sameModule(await page.evaluate(variant));
  expect(hashOf(trained(tril, 'induction', head.seed).trainer)).toBe(head.hash);
}

/** An animation is drawn, and keys move along it. With reduced motion its states are shown side by side. */
export async function expectMotion(page: Driven, address: string): Promise<void> {
  await page.goto(address);
  const frames = () => document.querySelectorAll('[data-motion] [data-frame]').length;
  await until(page, frames).toBeGreaterThan(0);
  if (await page.evaluate(() => matchMedia('(prefers-reduced-motion: reduce)').matches)) {
    return until(page, frames).toBe(3);
  }
  const frame = () =>
    document.querySelector<HTMLElement>('[data-motion] [data-frame]')!.dataset.frame;
  const slide = () => {
    const slider = document.querySelector<HTMLInputElement>('[data-motion] input[type="range"]')!;
    slider.value = '60';
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  };
  await actUntil(
    page,
    () => page.evaluate(slide),
    frame,
    (now) => now === '60',
  );
  const focus = () =>
    document.querySelector<HTMLElement>('[data-motion] input[type="range"]')!.focus();
  await pressUntilNot(page, focus, ['ArrowDown'], frame, '60'); // to where the last part was done
  const parts = () =>
    document.querySelectorAll('[data-motion] :is([data-entry], [data-strip], [data-bar])').length;
  await until(page, parts).toBeGreaterThan(4);
  expect(await page.evaluate(() => document.querySelector('[role="alert"]'))).toBeNull();
}

/**
 * A figure is painted in the page's fonts and saved as a file, which stays in this test: a picture of many colours,
 * twice as large as on the page.
 */
export async function expectPicture(page: Driven, address: string): Promise<void> {
  await page.goto(address);
  await until(page, isComputed).toBe(true);
  /**
   * The difference between a word's width on the page and its width in a picture with the same font: fonts may still be
   * loading.
   */
  const apart = () => {
    const word = [...document.querySelectorAll('[data-figure] bdi')].find(
      (element) => element.getBoundingClientRect().width > 0,
    )!;
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(word);
    const ink = new OffscreenCanvas(1, 1).getContext('2d')!;
    ink.font = [fontStyle, fontWeight, fontSize, fontFamily].join(' ');
    return Math.abs(word.getBoundingClientRect().width - ink.measureText(word.textContent!).width);
  };
  await until(page, apart).toBeLessThan(0.5);
  const takePicture = () => {
    HTMLAnchorElement.prototype.click = () => {};
    URL.createObjectURL = (file) => {
      void createImageBitmap(file as Blob).then((bitmap) => {
        const ink = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
        ink.drawImage(bitmap, 0, 0);
        const { data } = ink.getImageData(0, 0, bitmap.width, bitmap.height);
        const colours = new Set(new Uint32Array(data.buffer));
        document.body.dataset.picture = [colours.size > 100, bitmap.width > 800].join();
      });
      return '';
    };
    [...document.querySelectorAll<HTMLElement>('[data-take] button')]
      .find((button) => button.textContent === 'PNG')
      ?.click();
  };
  const picture = () => document.body.dataset.picture;
  await actUntil(
    page,
    () => page.evaluate(takePicture),
    picture,
    (now) => now === 'true,true',
  );
}
