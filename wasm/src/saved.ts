import { TrilError } from './error.js';
import { booleanOption } from './names.js';
import type { Tensor } from './tensor.js';

/** The option of a forward pass of `tril/training` to save intermediate results. */
export interface SavedOption {
  /**
   * Also return `saved`, which the backward of the call takes, so that it computes nothing again: a
   * tensor of one axis.
   */
  readonly saved?: boolean;
}

/** The result of such a forward pass. */
export type SavedResult<Options> = Options extends { saved: true }
  ? { readonly saved: Tensor }
  : { readonly saved?: Tensor };

/** The option of a backward pass to use them. */
export interface SavedArgument {
  /**
   * The `saved` of the forward pass with the same inputs, weights and options (default: that pass is computed again).
   * One of other shapes or options is refused; the numbers in inputs, weights and masks are not compared.
   */
  readonly saved?: Tensor;
}

/** Whether it is asked for; what else is traced has another place. */
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
