// Reads the drawn arcs between words, and checks them against the expected ones.
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { inSight } from './settled.ts';

export interface DrawnArc {
  readonly key: string;
  readonly weight: number;
  /** Width of its line, in pixels. */
  readonly thick: number;
  /** Its two ends, [x, y] each. */
  readonly ends: readonly (readonly [number, number])[];
}

/** All arcs of the touched word inside `place`, in pixels of the window. */
export async function arcsIn(page: Page, place: string): Promise<DrawnArc[]> {
  const paths = page.locator(`${place} path[data-arc]`);
  await inSight(paths);
  return paths.evaluateAll((all) =>
    all.map((one) => {
      const path = one as SVGPathElement;
      const screen = path.getScreenCTM()!;
      const ends = [0, path.getTotalLength()].map((at) => {
        const { x, y } = path.getPointAtLength(at).matrixTransform(screen);
        return [x, y] as const;
      });
      return {
        key: path.dataset.arc!,
        weight: Number(path.dataset.weight),
        thick: parseFloat(getComputedStyle(path).strokeWidth),
        ends,
      };
    }),
  );
}

/** The horizontal centres of words, by the names of their buttons. */
export const middlesIn = async (page: Page, place: string): Promise<Map<string, number>> =>
  new Map(
    await page.locator(`${place} [data-word]`).evaluateAll((all) =>
      all.map((word) => {
        const { left, width } = word.getBoundingClientRect();
        return [(word as HTMLElement).dataset.word!, left + width / 2] as const;
      }),
    ),
  );

/** The smallest weight that has an arc. */
export const least = 0.004;

/** Expects an arc for each visible weight, with a thickness that grows with the weight. */
export function expectWeights(
  arcs: readonly DrawnArc[],
  expected: ReadonlyMap<string, number>,
  thick: (key: string) => number,
  within: number,
): void {
  const seen = [...expected].filter(([, weight]) => weight > least).map(([key]) => key);
  expect(arcs.map(({ key }) => key).sort()).toEqual(seen.sort());
  for (const { key, weight, thick: drawn } of arcs) {
    const right = expected.get(key)!;
    expect(Math.abs(weight - right), key).toBeLessThan(within);
    expect(Math.abs(drawn - thick(key) * right), `how thick ${key} is`).toBeLessThan(0.02);
  }
}
