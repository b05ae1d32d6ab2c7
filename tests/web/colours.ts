// Colours as a screen blends them and as eyes compare them, implemented again from the definitions.

/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** The visible colour where `over` covers `under` with opacity `share`, 0 to 1. */
export const blended = (over: Rgb, under: Rgb, share: number): number[] =>
  over.map((channel, i) => under[i] + share * (channel - under[i]));

/** Relative luminance as WCAG 2.1 defines it: linear sRGB channels, weighted by the eye's sensitivity. */
const luminanceOf = (colour: Rgb): number =>
  [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const share = colour[i] / 255;
    return sum + weight * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  }, 0);

/** The contrast ratio of WCAG 2.1, from 1 to 21. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const both = [one, other].map(luminanceOf);
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}
