// Tensors by name: weights that are given, and the gradients and the traces that come back.
import type { Context } from './context.js';
import type { RawTensor } from './raw.js';
import type { Tensor } from './tensor.js';

/** Weights by names that only the program knows, such as those that `readArrays` has read. */
export type StateDict = Readonly<Record<string, Tensor | null | undefined>>;

/**
 * What weights of a call must be besides what they are: where their names are known to TypeScript, all that must be
 * there and none that is not among `Known`; else tensors.
 */
export type Named<Given, Known> = string extends keyof Given
  ? StateDict
  : Known & {
      readonly [
        Name in Exclude<
          keyof Given,
          keyof Known | keyof typeof Object.prototype | 'dispose' | symbol
        >
      ]: never;
    };

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

/** `{ 'encoder.0.hidden': x }` as `{ encoder: [{ hidden: x }] }`. */
export function nest(tensors: Record<string, Tensor>): object {
  const root: Record<string, unknown> = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    const path = name.split('.');
    const last = path.pop()!;
    let level = root;
    path.forEach((key, i) => {
      const next = path[i + 1] ?? last;
      level = (level[key] ??= /^\d+$/.test(next) ? [] : {}) as Record<string, unknown>;
    });
    level[last] = tensor;
  }
  return root;
}
