import type { MainModule } from './generated/tril-simd.js';
import type { TrilError } from './error.js';

/**
 * The compiled module as Embind declares it. All variants export the same; `load.ts` makes tsc
 * check that.
 */
export type Raw = MainModule;
export type RawEngine = InstanceType<Raw['_Engine']>;
export type RawTensor = NonNullable<ReturnType<Raw['_tensor']>>;
export type RawCache = NonNullable<ReturnType<Raw['_cache']>>;

/** What a module is given when it is made. */
export interface RawOptions {
  /** Thrown by the module for every error. */
  readonly TrilError: typeof TrilError;
  /** Workers to start besides the caller; used by the variants with threads only. */
  readonly trilWorkers: number;
  readonly locateFile?: (file: string, folder: string) => string;
}
