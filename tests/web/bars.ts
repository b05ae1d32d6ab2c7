// Reads drawn bars and backgrounds: the length of each bar relative to the longest, and the amount of colour behind a
// cell.
import type { Locator } from '@playwright/test';
import { blended } from './colours.ts';
import { channelsOf } from './drawn.ts';
import { expect } from './fixtures.ts';
import { inSight } from './settled.ts';

/**
 * Expects each bar to take its share of `end` of its container's width, less its padding if `inside` and less `gaps`
 * pixels; within two pixels, the least width of a visible bar.
 */
export async function expectBars(
  bars: Locator,
  values: readonly number[],
  { end = Math.max(...values.map(Math.abs)), inside = false, gaps = 0 } = {},
): Promise<void> {
  await expect(async () => {
    const widthsOf = (all: Locator) =>
      all.evaluateAll((found) => found.map((one) => one.getBoundingClientRect().width));
    const [drawn, room] = [await widthsOf(bars), await roomOf(bars.locator('xpath=..'), inside)];
    expect(drawn).toHaveLength(values.length);
    for (const [i, value] of values.entries()) {
      const expected = (Math.abs(value) / end) * (room[Math.min(i, room.length - 1)] - gaps);
      const what = `bar ${i} of ${value}: ${drawn[i]} px, not ${expected}`;
      expect(Math.abs(drawn[i] - expected), what).toBeLessThanOrEqual(2);
    }
  }).toPass({ timeout: 10_000 });
}

const roomOf = (all: Locator, inside: boolean) =>
  all.evaluateAll(
    (found, less) =>
      found.map((one) => {
        const { paddingLeft, paddingRight } = getComputedStyle(one);
        const padding = less ? parseFloat(paddingLeft) + parseFloat(paddingRight) : 0;
        return one.getBoundingClientRect().width - padding;
      }),
    inside,
  );

/** Expects a role's colour to cover the paper of each cell by these amounts, 0 to 1. */
export async function expectGrounds(
  cells: Locator,
  amounts: readonly number[],
  { role, paper, within = 0.001 }: { role: string; paper: string; within?: number },
): Promise<void> {
  const [full, empty] = [channelsOf(role), channelsOf(paper)];
  await inSight(cells);
  await expect(async () => {
    const grounds = await cells.evaluateAll((found) =>
      found.map((one) => {
        const css = getComputedStyle(one).backgroundColor;
        const unit = css.startsWith('color(srgb') ? 255 : 1;
        return css
          .match(/[\d.]+(?:e-\d+)?/gu)!
          .slice(0, 3)
          .map((part) => unit * Number(part));
      }),
    );
    expect(grounds).toHaveLength(amounts.length);
    for (const [i, amount] of amounts.entries()) {
      blended(full, empty, amount).forEach((channel, n) => {
        const slack = 1.5 + within * Math.abs(full[n] - empty[n]);
        const what = `ground ${i}: rgb(${grounds[i].join(', ')}) for ${amount}`;
        expect(Math.abs(grounds[i][n] - channel), what).toBeLessThanOrEqual(slack);
      });
    }
  }).toPass({ timeout: 10_000 });
}

/** The points of a path of straight lines, in pixels. */
export async function pointsOf(path: Locator): Promise<[x: number, y: number][]> {
  const line = (await path.getAttribute('d')) ?? '';
  return [...line.matchAll(/[ML]([-\d.e]+) ([-\d.e]+)/gu)].map(([, x, y]) => [
    Number(x),
    Number(y),
  ]);
}

/**
 * Expects the dots of a map without ticks to keep the proportions of the numbers along both axes, and to fill the map.
 */
export function expectMap(
  dots: readonly { readonly name: string; readonly left: number; readonly top: number }[],
  numbers: readonly (readonly [x: number, y: number])[],
  { width, height, within }: { width: number; height: number; within: number },
): void {
  for (const [axis, pixels, room] of [
    [0, dots.map(({ left }) => left), width],
    [1, dots.map(({ top }) => -top), height],
  ] as const) {
    const values = numbers.map((one) => one[axis]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const [from, to] = [least, most].map((end) => pixels[values.indexOf(end)]);
    const unit = (to - from) / (most - least);
    expect(unit, `axis ${axis} runs the other way`).toBeGreaterThan(0);
    expect(to - from, `axis ${axis} is not filled`).toBeGreaterThan(0.4 * room);
    expect(to - from, `axis ${axis} has no room`).toBeLessThanOrEqual(room);
    for (const [i, { name }] of dots.entries()) {
      const expected = from + (values[i] - least) * unit;
      const what = `${name}, axis ${axis}: ${pixels[i]} px, not ${expected}`;
      expect(Math.abs(pixels[i] - expected), what).toBeLessThan(0.2 + within * unit);
    }
  }
}
