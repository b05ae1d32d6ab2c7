/** How many of all windows repeat, and how many of these repeat random tokens. */
export const share: { readonly repeats: number; readonly random: number };
/** Of batches, by turns. */
export const shapes: readonly {
  readonly count: number;
  readonly length: number;
  readonly periods: readonly [least: number, most: number];
}[];
/** The batch of a step, [B, T] each: `text` are tokens, all below `vocabulary`. */
export function batchOf(
  text: Int32Array,
  vocabulary: number,
  step: number,
): { readonly tokens: number[][]; readonly targets: number[][] };
