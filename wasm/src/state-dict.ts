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
