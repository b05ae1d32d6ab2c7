// Colours as a screen lays one over another and as eyes compare two, written down again from what defines both.

/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

/** What is seen where `share` of `over` lies on `under`: from 0, which leaves it, to 1, which hides it. */
export const blended = (over: Rgb, under: Rgb, share: number): number[] =>
  over.map((channel, i) => under[i] + share * (channel - under[i]));

/** Relative luminance as WCAG 2.1 defines it: channels made linear as in sRGB, weighted as eyes weigh them. */
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
