import type { RawTensor } from './raw.js';

/** What tensors and caches need of the `Context` of the module that they belong to, which makes them. */
export interface Owner {
  /** Frees a handle of the module, and forgets what held it. */
  release(owned: object, raw: { delete(): void }): void;
  /** Throws once the module is closed. */
  checkOpen(call: string): void;
  /** Lends the numbers of a tensor to `callback`. */
  lend<Result>(raw: RawTensor, callback: (values: Float32Array) => Result): Result;
  /** Runs a call of the module whose errors carry the call's name. */
  run<Result>(call: string, tensors: Record<never, never>, compute: () => Result): Result;
}

/** What else a module gives out, to be disposed at the end of a scope: of kinds that `context.ts` does not know. */
export abstract class OwnedObject {
  abstract dispose(): void;
}
