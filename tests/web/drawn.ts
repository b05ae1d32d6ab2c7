// Reads drawn figures back: visible digits, sizes, strengths and colours of cells, positions of points and lines. The
// expected values come from the core in Node and from the few lines below, never from the page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator } from '@playwright/test';
import { blended, type Rgb } from './colours.ts';
import { expect, numberOf } from './fixtures.ts';
import { hatchedIn } from './hatch.ts';
import { messagePattern } from './messages.ts';
import { readCanvas } from './pixels.ts';
import { inSight } from './settled.ts';

const tokens = readFileSync(
  fileURLToPath(new URL('../../web/src/figures/tokens.css', import.meta.url)),
  'utf8',
);

export function channelsOf(name: string): Rgb {
  const [, hex] = new RegExp(`--${name}: light-dark\\(#(\\w{6}), `, 'u').exec(tokens)!;
  return hex.match(/../gu)!.map((channel) => parseInt(channel, 16)) as unknown as Rgb;
}

/** A named colour of the light theme, in the form of computed styles. */
export const colourOf = (name: string): string => `rgb(${channelsOf(name).join(', ')})`;

/** Fixed sizes of figures, in pixels: the least width of a cell with digits. */
export const inCellsOf = { numbers: 28 };

export interface DrawnCell {
  readonly row: number;
  readonly col: number;
  /** The visible text. */
  readonly text: string;
  /** The text for screen readers, with all digits. */
  readonly label: string;
  /** Whether the cell has no square: a mask for drawing. */
  readonly plain: boolean;
  readonly hidden: boolean;
  /** Whether lines of the hidden area run through it. */
  readonly hatched: boolean;
  /** Whether it is not computed yet at this step: it shows neither digits nor a square. */
  readonly waiting: boolean;
  /** Whether it contains its digits and is coloured entirely. */
  readonly filled: boolean;
  /** The background behind such digits. */
  readonly ground: string;
  /** The square of a cell without digits: its side as a share of the cell, its strength from 0 to 1. */
  readonly side: number;
  readonly strength: number;
  readonly colour: string;
  /** Whether the square is hollow: the minus sign of a cell without digits. */
  readonly hollow: boolean;
  /** Distance from the matrix's corner, in cells. */
  readonly left: number;
  readonly top: number;
}

export interface DrawnMatrix {
  readonly id: string;
  readonly role: string;
  readonly weights: boolean;
  readonly own: boolean;
  /** The value of a full cell, from the legend. */
  readonly end: string;
  readonly cells: readonly DrawnCell[];
}

/** Reads all matrices whose cells are elements. */
export async function readMatrices(matrices: Locator): Promise<DrawnMatrix[]> {
  await inSight(matrices);
  const text = await matrices.evaluateAll((figures) => {
    const all = figures
      .filter((figure) => !figure.querySelector('canvas'))
      .map((figure) => {
        const grid = figure.querySelector('[role=grid]')!.getBoundingClientRect();
        const legend = figure.querySelector('.legend');
        const side = parseFloat(
          getComputedStyle(figure.querySelector('.body')!).getPropertyValue('--cell'),
        );
        const cells = [...figure.querySelectorAll<HTMLElement>('[role=gridcell]')].map((cell) => {
          const box = cell.getBoundingClientRect();
          const style = getComputedStyle(cell);
          const square = getComputedStyle(cell, '::before');
          /** The colour as rgb(r, g, b), also if it is given as color(srgb r g b), in shares. */
          const rounded = (css: string) => {
            const found = /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)/u.exec(css);
            const [red, green, blue] = found?.slice(1).map((one) => Math.round(255 * +one)) ?? [];
            return found ? `rgb(${red}, ${green}, ${blue})` : css;
          };
          // The colour is rgb(r, g, b) if it is opaque, else color(srgb r g b / alpha), in shares.
          const colour = square.boxShadow === 'none' ? square.backgroundColor : square.boxShadow;
          const shares = /color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?/u.exec(
            colour,
          );
          const [r, g, b] =
            shares?.slice(1, 4).map((share) => Math.round(255 * Number(share))) ?? [];
          return {
            row: Number(cell.dataset.row),
            col: Number(cell.dataset.col),
            text: cell.textContent!.trim(),
            label: cell.getAttribute('aria-label') ?? '',
            plain: !cell.classList.contains('cell'),
            hidden: cell.classList.contains('hidden'),
            waiting: cell.classList.contains('waiting'),
            filled: !figure.classList.contains('small'),
            ground: rounded(style.backgroundColor),
            side: parseFloat(square.width) / (box.width - 2 * parseFloat(style.padding) - 1) || 0,
            strength: Number(shares ? (shares[4] ?? 1) : 0),
            colour: shares ? `rgb(${r}, ${g}, ${b})` : colour,
            hollow: square.boxShadow !== 'none',
            left: (box.left + box.width / 2 - grid.left) / side - 0.5,
            top: (box.top + box.height / 2 - grid.top) / side - 0.5,
          };
        });
        return {
          id: (figure as HTMLElement).dataset.matrix!,
          role: /role-([a-z]+)/u.exec(figure.className)![1],
          weights: legend?.classList.contains('weights') ?? false,
          own: legend instanceof HTMLElement && legend.dataset.scale === 'own',
          end: legend instanceof HTMLElement ? (legend.dataset.end ?? '') : '',
          side,
          lines: figure.querySelector('[data-hatch] path')?.getAttribute('d') ?? '',
          cells,
        };
      });
    return JSON.stringify(all);
  });
  type Raw = DrawnMatrix & { readonly side: number; readonly lines: string };
  return (JSON.parse(text) as Raw[]).map(({ side, lines, ...matrix }) => {
    const pixels = hatchedIn({ lines, side, edge: '' });
    const cells = matrix.cells.map((cell) => ({
      ...cell,
      hatched: pixels(Math.round(cell.top), Math.round(cell.left)) > 1,
    }));
    return { ...matrix, cells };
  });
}

/** The number of a cell's accessible text, with all its digits. */
export const spokenOf = ({ label }: Pick<DrawnCell, 'label'>): number =>
  numberOf(label.slice(label.lastIndexOf(' ') + 1));

/** Half a unit in the last written digit. */
function halfDigit(text: string): number {
  const [digits, power = '0'] = text.replace('−', '').split('e');
  const decimals = digits.includes('.') ? digits.length - digits.indexOf('.') - 1 : 0;
  return 0.5 * 10 ** (Number(power) - decimals);
}

/** Expects the visible digits to be those of the number, rounded; "0" and integers are exact. */
function expectText({ text }: DrawnCell, value: number, within: number, place: string) {
  if (text === '') return;
  if (text === '·') {
    expect(Math.abs(value), `${place}: rounded to zero`).toBeLessThanOrEqual(0.005 + within);
    return;
  }
  const seen = numberOf(text);
  if (!Number.isFinite(value)) {
    expect(seen, place).toEqual(value);
    return;
  }
  const error = Math.abs(seen - value);
  expect(error, `${place}: ${text} for ${value}`).toBeLessThanOrEqual(
    within + halfDigit(text) * (1 + 1e-6),
  );
}

const saidHidden = messagePattern('figures.cellHidden');

/** Expects hatching on hidden cells alone. A hidden cell shows no digits, and its label says that it is hidden. */
function expectHidden({ hidden, hatched, waiting, text, label }: DrawnCell, place: string) {
  expect(hatched, `hatched: ${place}`).toBe(hidden && !waiting);
  expect(saidHidden.test(label), `said to be hidden: ${place}`).toBe(hidden);
  if (hidden) expect(text, place).toBe('');
}

/**
 * Expects the background of a cell with digits to range from paper to the full colour, by the share to the power of
 * 3/4.
 */
function expectGround(
  matrix: DrawnMatrix,
  cell: DrawnCell,
  value: number,
  share: number,
  place: string,
) {
  if (cell.hidden) {
    expect(cell.ground, place).toBe('rgba(0, 0, 0, 0)');
    return;
  }
  const [full, paper] = [value < 0 ? 'neg' : matrix.role, 'paper'].map(channelsOf);
  const found = cell.ground.match(/\d+/gu)!.map(Number);
  const between = (amount: number) =>
    blended(full, paper, Math.min(1, Math.max(0, amount)) ** 0.75);
  // The legend has three digits; strengths are written with three decimals.
  const [low, high] = [between(share - 0.006), between(share + 0.006)];
  found.forEach((channel, i) => {
    expect(channel, `ground: ${place}`).toBeGreaterThanOrEqual(Math.min(low[i], high[i]) - 1.5);
    expect(channel, `ground: ${place}`).toBeLessThanOrEqual(Math.max(low[i], high[i]) + 1.5);
  });
}

/**
 * Expects the square of a cell without digits: its area is the number's share of the scale's end, its strength grows
 * with the share from 0.2 to 1, and its colour is the matrix's own or that of negative numbers.
 */
function expectSquare(matrix: DrawnMatrix, cell: DrawnCell, value: number, end: number) {
  const place = `${matrix.id}[${cell.row}, ${cell.col}], ${value} of ${end}`;
  const magnitude = Number.isNaN(value) ? 0 : Math.min(1, Math.abs(value) / end);
  const share = cell.hidden || value === 0 ? 0 : magnitude;
  if (cell.filled) {
    expectGround(matrix, cell, value, share, place);
    return;
  }
  // The legend has three digits; sides are written with three decimals.
  const slack = 0.006 + 0.001;
  expect(Math.abs(cell.side ** 2 - share), `side: ${place}`).toBeLessThanOrEqual(2 * slack);
  const strength = share > 0 ? 0.2 + 0.8 * share : 0;
  expect(Math.abs(cell.strength - strength), `strength: ${place}`).toBeLessThanOrEqual(slack);
  if (share === 0) return;
  if (!cell.hollow) {
    const role = value < 0 ? 'neg' : matrix.role;
    expect(cell.colour, `colour: ${place}`).toBe(colourOf(role));
  } else expect(value, `hollow: ${place}`).toBeLessThan(0);
}

/** The end of a scale: the legend's number, or, if the matrix has its own scale, its largest number. */
function endOf(matrix: DrawnMatrix, values: readonly number[]): number {
  if (matrix.weights) return 1;
  const said = shownOf(matrix.end || '0');
  if (!matrix.own) return said;
  // A matrix that is built up step by step has the scale of its final result.
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  expect(said, `${matrix.id}: end of the scale`).toBeGreaterThanOrEqual(0.994 * largest);
  return said > 1.006 * largest ? said : largest;
}

/** Compares all of a drawn matrix with its numbers, which may differ from the displayed ones by `within`. */
export function expectMatrix(
  matrix: DrawnMatrix,
  valueOf: (cell: DrawnCell) => number,
  within = 0,
): void {
  const values = matrix.cells.map(valueOf);
  const end = matrix.cells.some(({ plain }) => plain) ? 1 : endOf(matrix, values);
  for (const [i, cell] of matrix.cells.entries()) {
    const place = `${matrix.id}[${cell.row}, ${cell.col}]`;
    expectHidden(cell, place);
    if (!cell.waiting) expectText(cell, values[i], within, place);
    if (cell.waiting && cell.filled) expect(cell.ground, place).toBe(colourOf('paper'));
    else if (cell.waiting) expect(cell.side, place).toBe(0);
    else if (!cell.plain && !(within > 0.01 * end)) expectSquare(matrix, cell, values[i], end);
  }
}

/** Expects every cell at its own position, in rows and columns, either all straight or all transposed. */
export function expectPlaces({ id, cells }: DrawnMatrix): void {
  const off = (turned: boolean) =>
    Math.max(
      ...cells.map(({ row, col, left, top }) =>
        Math.max(Math.abs(left - (turned ? row : col)), Math.abs(top - (turned ? col : row))),
      ),
    );
  expect(Math.min(off(false), off(true)), `places of ${id}`).toBeLessThan(0.1);
}

export interface DrawnChart {
  /** The points of each series, in pixels. */
  readonly lines: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly dots: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly up: readonly { readonly text: string; readonly at: number }[];
  readonly across: readonly { readonly text: string; readonly at: number }[];
  readonly level: number | null;
}

export function readChart(chart: Locator): Promise<DrawnChart> {
  return chart.evaluate((svg) => {
    const number = (element: Element, name: string) => Number(element.getAttribute(name));
    const of = <Result>(work: (group: Element) => Result) =>
      Object.fromEntries(
        [...svg.querySelectorAll<SVGElement>('[data-series]')].map((group) => [
          group.dataset.series!,
          work(group),
        ]),
      );
    const level = svg.querySelector('line.level');
    return {
      lines: of((group) =>
        [
          ...group
            .querySelector('path')!
            .getAttribute('d')!
            .matchAll(/[ML]([-\d.e]+) ([-\d.e]+)/gu),
        ].map(([, x, y]) => [Number(x), Number(y)] as [number, number]),
      ),
      dots: of((group) =>
        [...group.querySelectorAll('circle')].map(
          (dot) => [number(dot, 'cx'), number(dot, 'cy')] as [number, number],
        ),
      ),
      up: [...svg.querySelectorAll('.tick')].map((tick) => ({
        text: tick.textContent!,
        at: Number(/translate\(0[ ,]+([-\d.]+)\)/u.exec(tick.getAttribute('transform')!)![1]),
      })),
      across: [...svg.querySelectorAll('.along')].map((tick) => ({
        text: tick.textContent!,
        at: number(tick, 'x'),
      })),
      level: level && number(level, 'y1'),
    };
  });
}

/** A number in a sentence, an axis or a legend; it may be a power of ten with raised digits. */
export function shownOf(text: string): number {
  const [, digits, power] = /^(?:(.*)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/u.exec(text) ?? [];
  if (power === undefined) return numberOf(text.replaceAll(',', '').replace(/ [kM]?B$/u, ''));
  const plain = [...power].map((d) => (d === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(d))).join('');
  return numberOf(digits ?? '1') * 10 ** Number(plain);
}

/** Expects a number in a sentence to be this one, rounded to the written digits; in percent if the text is. */
export function expectSaid(text: string, value: number): void {
  const percent = text.endsWith('%');
  const digits = percent ? text.replace('≈ ', '').replace(/\s%$/u, '') : text;
  const error = Math.abs(shownOf(digits) - (percent ? 100 * value : value));
  expect(error, `${text} for ${value}`).toBeLessThanOrEqual(halfDigit(digits) * (1 + 1e-6));
}

/** A function from pixels to numbers, by the ticks of an axis, which all have to agree. */
function axisOf(ticks: DrawnChart['up'], logarithmic: boolean): (pixels: number) => number {
  const to = logarithmic ? Math.log : (value: number) => value;
  const back = logarithmic ? Math.exp : (value: number) => value;
  const known = ticks.map(({ text, at }) => ({ at, value: to(shownOf(text)) }));
  const [first, last] = [known[0], known[known.length - 1]];
  const slope = (last.value - first.value) / (last.at - first.at);
  const value = (pixels: number) => first.value + (pixels - first.at) * slope;
  for (const one of known) {
    expect(Math.abs(value(one.at) - one.value)).toBeLessThan(
      1e-3 * Math.abs(last.value - first.value),
    );
  }
  return (pixels) => back(value(pixels));
}

/** Expects a line to go through these points, within an error relative to the axes. */
export function expectLine(
  chart: DrawnChart,
  id: string,
  expected: readonly (readonly [number, number])[],
  logarithmic: { readonly across?: boolean; readonly up?: boolean } = {},
): void {
  const x = axisOf(chart.across, logarithmic.across ?? false);
  const y = axisOf(chart.up, logarithmic.up ?? false);
  const close = (found: number, wanted: number, of: number, log: boolean, place: string) => {
    const error = log ? Math.abs(found / wanted - 1) : Math.abs(found - wanted) / of;
    expect(error, `${id} ${place}: ${found}, not ${wanted}`).toBeLessThan(0.01);
  };
  const reach = (values: readonly number[]) => Math.max(...values.map(Math.abs)) || 1;
  const [ofX, ofY] = [0, 1].map((axis) => reach(expected.map((point) => point[axis])));
  for (const points of [chart.lines[id], chart.dots[id]]) {
    if (points.length === 0) continue; // a line without dots
    expect(points.length, id).toBe(expected.length);
    for (const [i, [left, top]] of points.entries()) {
      close(x(left), expected[i][0], ofX, logarithmic.across ?? false, `x of ${i}`);
      close(y(top), expected[i][1], ofY, logarithmic.up ?? false, `y of ${i}`);
    }
  }
  expect(chart.lines[id], id).toHaveLength(expected.length);
}

/** Reads a picture with one pixel per entry: the opacity and the colour of each. */
export async function readHeat(heat: Locator): Promise<{ alpha: number; colour: string }[]> {
  const { data } = await readCanvas(heat.locator('canvas'));
  return Array.from({ length: data.length / 4 }, (_, i) => {
    const [r, g, b, a] = data.slice(4 * i, 4 * i + 4);
    return { alpha: a / 255, colour: `rgb(${r}, ${g}, ${b})` };
  });
}

/** Expects opacity to grow with the root of a number's share of the largest. */
export async function expectHeat(
  heat: Locator,
  values: ArrayLike<number>,
  { role, end }: { readonly role: string; readonly end: number },
): Promise<void> {
  const drawn = await readHeat(heat);
  expect(drawn).toHaveLength(values.length);
  for (const [i, { alpha, colour }] of drawn.entries()) {
    const share = Math.min(1, Math.abs(values[i]) / end);
    expect(Math.abs(alpha - Math.sqrt(share)), `${i}: ${values[i]}`).toBeLessThan(0.01);
    // A nearly transparent pixel has lost the last digits of its colour.
    if (alpha > 0.99) expect(colour, `${i}`).toBe(colourOf(values[i] < 0 ? 'neg' : role));
  }
}

/** A function from pixels to numbers along one axis of a drawing, by its ticks. */
export const scaleOf = (ticks: DrawnChart['up'], logarithmic = false) => axisOf(ticks, logarithmic);
