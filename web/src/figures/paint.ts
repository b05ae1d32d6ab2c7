// The look of a number in its cell: a ground whose strength grows with the magnitude, and, in a cell without digits, a
// square whose size grows, too.

interface Paint {
  /** Side of the square, as a share of the cell's inside. */
  readonly side: number;
  /** Strength of the colour, 0 to 1. */
  readonly strength: number;
}

/** `magnitude` is the share of the scale's end, 0 to 1. The area grows with it; zero has none. */
export function paint(magnitude: number): Paint {
  if (!(magnitude > 0)) return { side: 0, strength: 0 };
  const m = Math.min(magnitude, 1);
  return { side: Math.sqrt(m), strength: 0.2 + 0.8 * m };
}

/** The end of a scale: the largest finite magnitude, at least slightly more than zero. */
export function scaleEnd(...datas: readonly Float32Array[]): number {
  let end = 0;
  for (const data of datas) {
    for (const value of data) {
      const magnitude = Math.abs(value);
      if (magnitude > end && magnitude < Infinity) end = magnitude;
    }
  }
  return end;
}

/**
 * Strength of the ground of a cell with digits. It starts at nothing, so that a number near zero looks nearly like
 * paper.
 */
export function groundOf(magnitude: number): number {
  return magnitude > 0 ? Math.min(magnitude, 1) ** 0.75 : 0;
}

export type Rgb = readonly [number, number, number];

function luminance(color: Rgb): number {
  const [r, g, b] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** WCAG's contrast ratio. */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

export function mix(over: Rgb, under: Rgb, share: number): Rgb {
  return [0, 1, 2].map((i) => over[i] * share + under[i] * (1 - share)) as unknown as Rgb;
}
