import type { Context } from './context.js';
import type { RawTensor } from './raw.js';
import type { Tensor } from './tensor.js';

/** By the names of the weights that were given. */
export type DWeights<Weights> = { readonly [Name in keyof Weights]: Tensor };

/** What the backward of something with weights by name gives: a gradient for each input and weight. */
export interface WeightGradients<Weights> {
  /** Of the shape of `x`. */
  readonly dX: Tensor;
  /** By the names of the weights that were given. */
  readonly dWeights: DWeights<Weights>;
}

const ofWeights = 'dWeights.';

/** `{ dX, 'dWeights.v': w }` as `{ dX, dWeights: { v: w } }`. */
export function adoptGradients<Result>(context: Context, made: Record<string, RawTensor>): Result {
  const inputs: Record<string, Tensor> = {};
  const dWeights: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(context.adoptAll(made))) {
    if (name.startsWith(ofWeights)) dWeights[name.slice(ofWeights.length)] = tensor;
    else inputs[name] = tensor;
  }
  return { ...inputs, dWeights } as Result;
}
