// What is tried of every chapter in the browsers beside Chromium: it is computed, its numbers are numbers, keys work. What
// each figure shows is tested in Chromium.
import { expect } from '@playwright/test';
import { hashOf, trained } from './oracles/born.ts';
import { sameModule } from './same-module.ts';

/** A page in a browser, by whatever drives it. */
export interface Driven {
  readonly goto: (address: string) => Promise<unknown>;
  /** In the page; it sees nothing of what is around it here. */
  readonly evaluate: <T>(work: () => T) => Promise<T>;
  readonly press: (key: 'ArrowDown' | 'ArrowRight' | 'Tab' | 'x') => Promise<unknown>;
}

/** What is asserted of a page is polled: under load it may be between two states. */
export const until = <T>(page: Driven, work: () => T) =>
  expect.poll(() => page.evaluate(work), { message: String(work), timeout: 60_000 });

/** Acts until that has its effect: under load a browser may lose a key, and what is acted on may be drawn anew. */
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

/** Focuses and presses keys until `work` returns something else. */
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

/** The living page is there, with its answers and its formulas. */
export const isComputed = () =>
  document.querySelector('[data-variant]') !== null &&
  document.querySelector('.stills') === null &&
  document.querySelector('main [role="gridcell"], main [data-map], main canvas') !== null &&
  document.querySelector('.formula:empty') === null;

/** What is said of the cell that the first matrix is at. */
const spoken = () => {
  const grid = document.querySelector('main [role="grid"]')!;
  const cell = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return cell?.getAttribute('aria-label') ?? cell?.textContent ?? '';
};

/** Keys lead from one cell of the first matrix to another. */
async function expectCells(page: Driven): Promise<void> {
  const focus = () => document.querySelector<HTMLElement>('main [role="grid"]')!.focus();
  await page.evaluate(focus);
  await until(page, spoken).toMatch(/\d|NaN|∞/u);
  const first = await page.evaluate(spoken);
  await pressUntilNot(page, focus, ['ArrowDown', 'ArrowRight'], spoken, first);
  await until(page, spoken).toMatch(/\d|NaN|∞/u);
}

/** In a chapter that opens with a map, keys lead from one word that is offered to another; the map has its numbers. */
async function expectWords(page: Driven): Promise<void> {
  const cosine = () => document.querySelector('main [data-cosine]')?.textContent ?? '';
  await until(page, cosine).toMatch(/\d/u);
  const focus = () => document.querySelector<HTMLElement>('main [role="toolbar"] button')!.focus();
  await page.evaluate(focus);
  const here = () => document.activeElement?.textContent ?? '';
  const first = await page.evaluate(here);
  await pressUntilNot(page, focus, ['ArrowRight'], here, first);
}

/** Where a figure plays frame by frame, an arrow key goes a whole step, and the stream or the block of keys with it. */
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
  await until(page, withinStep).toBe(0); // at the end of one
}

/** Where code is written, what is said of it follows: the editor works, and its styles are let through. */
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
  /** Before the first word, which no grammar knows then. */
  const type = async () => {
    await page.evaluate(focus);
    await page.press('x');
  };
  const verdict = () =>
    document.querySelector('main .alive [data-verdict]')?.getAttribute('data-verdict');
  await actUntil(page, type, verdict, (kind) => kind === 'error');
}

/** Told to a browser before its first page: what plays by itself where it is met for the first time would hide what is tried. */
export async function knowAll(page: Driven, base = ''): Promise<void> {
  await page.goto(`${base}THIRD-PARTY-NOTICES.txt`); // a document of the page's origin that runs nothing
  await page.evaluate(() => localStorage.setItem('tril.met', 'all'));
}

export async function expectChapter(page: Driven, address: string, title: string): Promise<void> {
  await page.goto(address);
  await until(page, isComputed).toBe(true);
  await until(page, () => document.title).toBe(`${title} · Tril`);
  const sideways = () =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth;
  await until(page, sideways).toBe(0);
  // Whose figure is covered by its question skips that; what is folded away is unfolded.
  const uncover = () => {
    document.querySelectorAll<HTMLElement>('main .skip').forEach((skip) => skip.click());
    document
      .querySelectorAll<HTMLDetailsElement>('main details')
      .forEach((details) => (details.open = true));
  };
  /** A cover is there before its question, which has to be found out first; what it covers takes no keys. */
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

/** The tour: its scroll leads to cards that were met and back, and the head that is trained at its end answers. */
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
  // To the bit the head that Node makes of the same seed by the same module.
  const head = await page.evaluate(
    () => JSON.parse(localStorage.getItem('tril.head')!) as { seed: number; hash: string },
  );
  const variant = () => document.querySelector<HTMLElement>('[data-variant]')?.dataset.variant;
  const tril = await sameModule(await page.evaluate(variant));
  expect(hashOf(trained(tril, 'induction', head.seed).trainer)).toBe(head.hash);
}

/** A motion is drawn, and keys lead along it. With less motion its states stand side by side. */
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
 * A figure is painted in the page's fonts and written as a file, which is kept here: a picture of many colours, twice as
 * large as on the page.
 */
export async function expectPicture(page: Driven, address: string): Promise<void> {
  await page.goto(address);
  await until(page, isComputed).toBe(true);
  /** Of a word as the page has it, and as a picture would in the same font: fonts may still be on their way. */
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
