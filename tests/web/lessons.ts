// A chapter as its tests use it, and the core's numbers as rows.
import type { Locator, Page } from '@playwright/test';
import type { Tensor } from 'tril';
import { boxOf } from './box.ts';
import { expectMatrix, expectPlaces, readMatrices, spokenOf } from './drawn.ts';
import { expect, numberOf } from './fixtures.ts';
import { asSeen } from './reach.ts';
import { goTo, settled, still } from './settled.ts';

export class Lesson {
  constructor(
    readonly page: Page,
    readonly chapter: string,
  ) {}

  /** Opens the chapter in a state, given in the form of its address, and waits until it is computed. */
  async open(query: Record<string, string> = {}): Promise<void> {
    const hash = new URLSearchParams(query).toString();
    await goTo(this.page, `${this.chapter}${hash ? `?${hash}` : ''}`);
    await this.page.locator('[data-variant]').waitFor();
    await this.page.locator('[role="gridcell"]').first().waitFor();
    await settled(this.page);
  }

  figure(name: string): Locator {
    return this.page.locator(`[data-figure="${name}"]`);
  }

  stepper(name: string): Locator {
    return this.page.locator(`[data-stepper="${name}"]`);
  }

  cell(id: string, row: number, col: number): Locator {
    return this.page.locator(`#cell-${id}-${row}-${col}`);
  }

  /** Clicks at the position of the cell, since marks lie over it. */
  async point(id: string, row: number, col: number): Promise<void> {
    const cell = this.cell(id, row, col);
    const box = await boxOf(cell);
    await this.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }

  /** All digits of a drawn matrix, from the accessible text of its cells. */
  async drawn(id: string): Promise<number[][]> {
    await settled(this.page);
    const cells = await this.page
      .locator(`[data-matrix="${id}"] [role="gridcell"]`)
      .evaluateAll((elements) =>
        elements.map((element) => ({
          row: Number((element as HTMLElement).dataset.row),
          label: element.getAttribute('aria-label') ?? '',
        })),
      );
    const rows: number[][] = [];
    for (const { row, label } of cells) {
      (rows[row] ??= []).push(numberOf(label.slice(label.lastIndexOf(' ') + 1)));
    }
    return rows;
  }

  /**
   * Retries until the matrix is drawn as expected, exactly or within a distance: the accessible text of each cell, its
   * visible digits, its square and its position.
   */
  async expectDrawn(id: string, expected: number[][], within = 0): Promise<void> {
    const matrix = this.page.locator(`[data-matrix="${id}"]`);
    await expect(async () => {
      const [drawn] = await readMatrices(matrix);
      expect(drawn, `${id} is drawn`).toBeDefined();
      expect(drawn.cells).toHaveLength(expected.flat().length);
      for (const cell of drawn.cells) {
        const value = expected[cell.row][cell.col];
        const spoken = spokenOf(cell);
        const place = `${id}[${cell.row}, ${cell.col}]: ${spoken}, core ${value}`;
        if (Number.isFinite(value) && within > 0) {
          expect(Math.abs(spoken - value), place).toBeLessThanOrEqual(within);
        } else expect(spoken, place).toBe(value);
      }
      expectMatrix(drawn, ({ row, col }) => expected[row][col], within);
      expectPlaces(drawn);
    }).toPass({ timeout: 10_000 });
  }
}

export type Rows = number[][];

/** The matrix of a tensor's last two axes, at this index of all others. */
export function rowsOf(tensor: Tensor, index = 0): number[][] {
  const [rows, cols] = tensor.shape.slice(-2);
  const data = tensor.read().subarray(index * rows * cols, (index + 1) * rows * cols);
  return Array.from({ length: rows }, (_, row) => [...data.slice(row * cols, (row + 1) * cols)]);
}

/** Parses a count with English thousands separators. */
export function countOf(text: string | null): number {
  return Number((text ?? '').replace(/[,\s]/gu, ''));
}

/** The number in an element's attribute `data-…`. */
export const number = async (place: Locator, name: string) =>
  Number(await place.getAttribute(`data-${name}`));

export async function expectNoSidewaysScroll(page: Page, where = ''): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll, where).toBe(client);
}

/** On a phone no table scrolls sideways, except folded tables of all digits. */
export async function expectTablesFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 });
  await asSeen(page);
  await still(page, 100);
  const wide = await page.locator('main table').evaluateAll((tables) =>
    tables.flatMap((table) => {
      if (table.closest('details, .stills')) return [];
      const place = table.closest('.scroller') ?? table.parentElement!;
      const beyond = Math.max(place.scrollWidth - place.clientWidth, table.scrollWidth - 360);
      return beyond > 1 ? [`${table.textContent!.trim().slice(0, 60)}: ${beyond} px`] : [];
    }),
  );
  expect(wide).toEqual([]);
}

/** Open content never scrolls sideways, on a phone, a tablet or a desktop; `look` checks more at each width. */
export async function expectFits(
  page: Page,
  look?: (width: number) => Promise<void>,
): Promise<void> {
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await still(page, 100);
    await expectNoSidewaysScroll(page, `${width} px wide`);
    await look?.(width);
  }
}
