// A page of another site that allows only Tril's scripts and frames, and what has to hold of figures in it, in every
// browser.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { until, type Driven } from './smoke.ts';

export interface Foreign {
  readonly address: string;
  close: () => Promise<void>;
}

/** Serves such a page, with `body` between two buttons. `site` is Tril's address. */
export async function foreign(site: string, body: string): Promise<Foreign> {
  const { origin } = new URL(site);
  const policy = `default-src 'none'; script-src ${origin}; frame-src ${origin}`;
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title>' +
    `<button>Before</button>${body}<button>After</button></html>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
    response.end(html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

export const scriptOf = (site: string) => `<script async src="${site}embed.js"></script>`;

/** The element of a figure by its path below embed/, with its fallback content. */
export const figureOf = (site: string, place: string) =>
  `<tril-figure src="${site}embed/${place.replaceAll('&', '&amp;')}"><a href="${site}">A figure</a></tril-figure>`;

/** A page in a browser that can run code in its figures, numbered in the order of the document. */
export interface Framed extends Driven {
  readonly inFigure: <T>(n: number, work: () => T) => Promise<T>;
}

/** The blend of the series 2, 4, 6, 8. */
const blend = () => document.querySelector('[data-blend-value]')?.textContent;

/** Scroll to the first or the last figure: a figure is drawn when it is in view. */
const first = () => document.querySelector('tril-figure')?.scrollIntoView();
const last = () => document.querySelector('tril-figure:last-of-type')?.scrollIntoView();

/** The height of a figure, in the page and in its own frame. */
async function heights(page: Framed, n: number): Promise<readonly [number, number]> {
  const inPage = await page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('tril-figure'), (one) => one.offsetHeight),
  );
  const own = await page.inFigure(n, () =>
    Math.ceil(document.querySelector('main')!.getBoundingClientRect().height),
  );
  return [inPage[n], own];
}

async function expectAsHigh(page: Framed, n: number): Promise<number> {
  const apart = async () => {
    const [inPage, own] = await heights(page, n);
    return inPage - own;
  };
  await expect.poll(apart, { timeout: 60_000 }).toBe(0);
  return (await heights(page, n))[1];
}

const inFigure = <T>(page: Framed, n: number, work: () => T) =>
  expect.poll(() => page.inFigure(n, work), { timeout: 60_000 });

/** Two figures of one chapter in different states: one blends to 5, the other to 10 by its address. */
export const twoFigures = (site: string) =>
  scriptOf(site) +
  figureOf(site, 'average/series/') +
  figureOf(site, 'average/series/#?blend=free');

/** Expects the same behaviour of such a page in every browser. */
export async function expectTwoFigures(page: Framed, address: string): Promise<void> {
  await page.goto(address);
  const length = await page.evaluate(() => history.length);
  for (const [n, [seen, value]] of (
    [
      [first, '5'],
      [last, '10'],
    ] as const
  ).entries()) {
    await page.evaluate(seen);
    await inFigure(page, n, blend).toBe(value);
    await expectAsHigh(page, n);
  }

  expect(await page.inFigure(0, () => typeof SharedWorker)).toBe('function');

  // A change of one figure affects neither the other nor the page's history; each keeps its own state.
  await page.evaluate(first);
  await page.inFigure(0, () => {
    const slider = document.querySelector<HTMLInputElement>('main input[type="range"]')!;
    slider.value = '8';
    for (const type of ['input', 'change'])
      slider.dispatchEvent(new Event(type, { bubbles: true }));
  });
  await inFigure(page, 0, blend).toMatch(/^2\.0/u);
  await inFigure(page, 0, () => location.hash).toMatch(/^#\?scores=8/u);
  expect(await page.inFigure(1, blend)).toBe('10');
  expect(await page.evaluate(() => history.length)).toBe(length);

  // An unfolded part makes the figure higher.
  const before = await expectAsHigh(page, 0);
  await page.inFigure(0, () => {
    document.querySelector<HTMLDetailsElement>('main details[data-more]')!.open = true;
  });
  await expect.poll(() => expectAsHigh(page, 0), { timeout: 60_000 }).toBeGreaterThan(before);

  // Where the surrounding text is light, the background is dark.
  const scheme = () => getComputedStyle(document.documentElement).colorScheme;
  await inFigure(page, 0, scheme).toBe('light');
  await page.evaluate(() => void (document.body.style.color = 'oklch(0.95 0 0)'));
  for (const n of [0, 1]) await inFigure(page, n, scheme).toBe('dark');

  // Another state, set from outside.
  await page.evaluate(last);
  await page.evaluate(() => {
    const figure = document.querySelector('tril-figure:last-of-type')!;
    figure.setAttribute('src', figure.getAttribute('src')!.replace(/#.*/u, '#?scores=0,0,0,8'));
  });
  await inFigure(page, 1, blend).toBe('8.00');
  expect(await page.evaluate(() => history.length)).toBe(length);

  await expectKeysPass(page);
  await expectNothingLeft(page);
}

/** The Tab key leads through both figures, and out of them again. */
async function expectKeysPass(page: Framed): Promise<void> {
  await page.evaluate(() => document.querySelector('button')!.focus());
  const visited: string[] = [];
  while (visited.length < 120 && visited.at(-1) !== 'After') {
    await page.press('Tab');
    visited.push(
      await page.evaluate(() => {
        const { activeElement } = document;
        const all = [...document.querySelectorAll('tril-figure')];
        const n = all.indexOf(activeElement!);
        return n < 0 ? activeElement!.textContent!.trim() : String(n);
      }),
    );
  }
  expect(visited.filter((each, i) => each !== visited[i - 1])).toEqual(['0', '1', 'After']);
}

/** Expects no style and no id except the page's own. */
async function expectNothingLeft(page: Framed): Promise<void> {
  const left = () => [
    document.querySelectorAll('style, link, [id], iframe').length,
    document.adoptedStyleSheets.length,
    document.styleSheets.length,
  ];
  expect(await page.evaluate(left)).toEqual([0, 0, 0]);
}

/** Without the element's script, its content is still readable. */
export async function expectWords(page: Framed, address: string): Promise<void> {
  await page.goto(address);
  const read = () => {
    const { shadowRoot, offsetHeight } = document.querySelector<HTMLElement>('tril-figure')!;
    const link = document.querySelector('a')!;
    return shadowRoot !== null && offsetHeight > 0 && link.getBoundingClientRect().height > 0;
  };
  await until(page, read).toBe(true);
}
