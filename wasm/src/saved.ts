import { TrilError } from './error.js';
import { booleanOption } from './names.js';
import type { Tensor } from './tensor.js';

/** What a forward pass of a module of `tril/training` can be asked to keep. */
export interface SavedOption {
  /**
   * Also return `saved`, which the backward of the call takes, so that it computes nothing again: a
   * tensor of one axis.
   */
  readonly saved?: boolean;
}

/** And what it then gives. */
export type SavedResult<Options> = Options extends { saved: true }
  ? { readonly saved: Tensor }
  : { readonly saved?: Tensor };

/** What a backward takes of that. */
export interface SavedArgument {
  /**
   * What the forward pass of the same inputs, weights and options returned as `saved`; unless given, that
   * pass is computed again. One of other shapes or options is refused. Whether the numbers in the inputs,
   * weights and masks are the same is not looked at.
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
