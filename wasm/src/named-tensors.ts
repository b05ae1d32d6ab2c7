// Tensors by name: the weights of a call, and the gradients and traces it returns.
import type { Context } from './context.js';
import type { RawTensor } from './raw.js';
import type { Tensor } from './tensor.js';

/** Weights by names that are known only at run time, such as those of `readArrays`. */
export type StateDict = Readonly<Record<string, Tensor | null | undefined>>;

/**
 * The constraint on a call's weights: where TypeScript knows their names, all required ones and none outside
 * `Known`; else tensors.
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

/** The gradients by the names of the given weights. */
export type DWeights<Weights> = { readonly [Name in keyof Weights]: Tensor };

/**
 * The result of the backward pass of a layer with weights by name: a gradient for each input and
 * weight.
 */
export interface WeightGradients<Weights> {
  /** The gradient of `x`, in its shape. */
  readonly dX: Tensor;
  /** The gradients of the weights, by name. */
  readonly dWeights: DWeights<Weights>;
}

const ofWeights = 'dWeights.';

/** Turns `{ dX, 'dWeights.v': w }` into `{ dX, dWeights: { v: w } }`. */
export function adoptGradients<Result>(context: Context, made: Record<string, RawTensor>): Result {
  const inputs: Record<string, Tensor> = {};
  const dWeights: Record<string, Tensor> = {};
  for (const [name, tensor] of Object.entries(context.adoptAll(made))) {
    if (name.startsWith(ofWeights)) dWeights[name.slice(ofWeights.length)] = tensor;
    else inputs[name] = tensor;
  }
  return { ...inputs, dWeights } as Result;
}

/** Turns `{ 'encoder.0.hidden': x }` into `{ encoder: [{ hidden: x }] }`. */
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
