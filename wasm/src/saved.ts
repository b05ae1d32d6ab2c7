import { TrilError } from './error.js';
import { booleanOption } from './names.js';
import type { Tensor } from './tensor.js';

/** The option of a forward pass of `tril/training` to save intermediate results. */
export interface SavedOption {
  /**
   * Also return `saved`, a tensor of one axis, for the backward pass of the call, which then
   * repeats no computation.
   */
  readonly saved?: boolean;
}

/** The result of such a forward pass. */
export type SavedResult<Options> = Options extends { saved: true }
  ? { readonly saved: Tensor }
  : { readonly saved?: Tensor };

/** The option of a backward pass to use saved results. */
export interface SavedArgument {
  /**
   * The `saved` of the forward pass with the same inputs, weights and options (default: that pass is computed again).
   * A `saved` from other shapes or options is refused; the numbers in inputs, weights and masks are not compared.
   */
  readonly saved?: Tensor;
}

/** Whether `saved` is requested; it cannot be combined with `others`. */
export function wantsSaved(
  call: string,
  options: SavedOption,
  others: Readonly<Record<string, unknown>>,
): boolean {
  const wanted = booleanOption(call, 'saved', options.saved, false);
  for (const [name, value] of Object.entries(others)) {
    if (wanted && value) throw new TrilError(call, 'saved', `does not go with ${name}`);
  }
  return wanted;
}
