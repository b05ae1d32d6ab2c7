import { withCall } from './call-errors.js';
import { TrilError } from './error.js';
import { KeyValueCache } from './key-value-cache.js';
import { checkFunction, describe } from './names.js';
import { isMapOrSet, isOwnBuffer } from './kinds.js';
import { OwnedObject } from './owned.js';
import type { Raw, RawCache, RawEngine, RawTensor, RawTraining } from './raw.js';
import { Tensor } from './tensor.js';

/** The parts that only modules of `tril/lessons` or `tril/training` have. */
export type Part = 'lessons' | 'training';
export const notLoaded = (part: Part): string =>
  `is not in the module that was loaded; loadTril of "tril/${part}" loads one with it`;

class Absent {
  protected readonly tensor = null; // so that nothing else is one
}
/** Stands for an optional tensor that is not given; null and undefined are no tensors. */
export const absent = new Absent();
/** An optional tensor of a call. */
export type Optional = Tensor | Absent;

/** Objects of a module that callers dispose. */
type Owned = Tensor | KeyValueCache | OwnedObject;

/** Gives an object made outside a scope to the scope, and returns it. */
export type Own = <Kind extends Tensor | KeyValueCache | OwnedObject>(owned: Kind) => Kind;
// Distributes: RawTensor | null where a tensor is optional.
type Handle<T> = T extends Tensor ? RawTensor : null;
/** The module's handles of a call's tensors; null stands for a missing optional one. */
export type Handles<Tensors> = { [Name in keyof Tensors]: Handle<Tensors[Name]> };

/** One loaded module and the objects alive in it; every call goes through it. */
export class Context {
  readonly raw: Raw;
  readonly engine: RawEngine;
  readonly #scopes: Set<Owned>[] = [];
  readonly #stack: number;
  readonly #forgotten: FinalizationRegistry<string> | undefined;
  readonly #weightNames = new Map<string, readonly string[]>();
  readonly #end: () => void;
  #closed = false;
  #lent = 0;
  #call = '';

  /**
   * `end` ends the threads of the module; `warn` receives a message for every tensor that the garbage collector
   * finds before it was disposed.
   */
  constructor(raw: Raw, threads: number, end: () => void, warn?: (message: string) => void) {
    this.raw = raw;
    this.#end = end;
    this.engine = new raw._Engine(threads);
    this.#stack = raw.stackSave();
    this.#forgotten = warn && new FinalizationRegistry(warn);
  }

  /**
   * Runs one call of the module on the handles of `tensors`, once all of them are known to be
   * living tensors of this module. Its errors carry the call's name and all shapes.
   */
  run<Tensors extends Record<string, Optional>, Result>(
    call: string,
    tensors: Tensors,
    compute: (handles: Handles<Tensors>) => Result,
  ): Result {
    this.#checkNothingLent(call);
    this.#call = call;
    const handles: Record<string, RawTensor | null> = {};
    for (const [argument, tensor] of Object.entries(tensors)) {
      handles[argument] = tensor instanceof Absent ? null : this.handle(call, argument, tensor);
    }
    try {
      return compute(handles as Handles<Tensors>);
    } catch (error) {
      // An exception that leaves the module does not restore its stack pointer.
      this.raw.stackRestore(this.#stack);
      throw withCall(error, call, tensors);
    }
  }

  /**
   * `run` for a call that takes weights by name besides its other tensors. Weights that are null or
   * undefined are left out; the core checks which are required.
   */
  runWithWeights<Tensors extends Record<string, Optional>, Result>(
    call: string,
    weights: object,
    tensors: Tensors,
    compute: (handles: Handles<Tensors>, weights: Record<string, RawTensor>) => Result,
  ): Result {
    const given = Object.entries(weights as Record<string, Tensor | null | undefined>).filter(
      (entry): entry is [string, Tensor] => entry[1] !== null && entry[1] !== undefined,
    );
    return this.run(call, { ...Object.fromEntries(given), ...tensors }, (handles) => {
      const state = given.map(([name]) => [name, handles[name] as RawTensor] as const);
      return compute(handles as Handles<Tensors>, Object.fromEntries(state));
    });
  }

  /** The possible names of a call's weights, from the core; numbers of layers are 0. */
  weightNames(call: string): readonly string[] {
    this.checkOpen(call);
    let names = this.#weightNames.get(call);
    if (!names) this.#weightNames.set(call, (names = this.raw._weightNames(call)));
    return names;
  }

  /** The module, once known to be one of `tril/training`. */
  training(call: string): RawTraining {
    this.checkOpen(call);
    if (this.raw._trainer) return this.raw as Raw & RawTraining;
    throw new TrilError(call, 'training', notLoaded('training'));
  }

  /** `run` for a call that makes one tensor, or gives null where it has written to `tensors.out`. */
  produce<Tensors extends Record<string, Optional> & { out: Optional }>(
    call: string,
    tensors: Tensors,
    compute: (handles: Handles<Tensors>) => RawTensor | null,
  ): Tensor {
    const made = this.run(call, tensors, compute);
    return made ? this.adopt(made) : (tensors.out as Tensor);
  }

  /** A tensor for a handle that the module has made; it belongs to the innermost scope. */
  adopt(raw: RawTensor): Tensor {
    const tensor = new Tensor(this, raw);
    this.#scopes.at(-1)?.add(tensor);
    if (this.#forgotten) {
      const made = `${String(tensor)}, made by ${this.#call}`;
      this.#forgotten.register(tensor, `tril: ${made}, was never disposed${callSite()}`, tensor);
    }
    return tensor;
  }

  /** A tensor for every handle in `named`. */
  adoptAll(named: Record<string, RawTensor>): Record<string, Tensor> {
    return Object.fromEntries(
      Object.entries(named).map(([name, handle]) => [name, this.adopt(handle)]),
    );
  }

  /** Gives a cache, a trainer or another object to the innermost scope. */
  own<Kind extends Owned>(owned: Kind): Kind {
    this.#scopes.at(-1)?.add(owned);
    return owned;
  }

  release(owned: Owned, raw: { delete(): void }): void {
    if (this.#closed) return; // all of it is gone
    this.#checkNothingLent('dispose');
    for (const scope of this.#scopes) scope.delete(owned);
    this.#forgotten?.unregister(owned);
    raw.delete();
  }

  lend<Result>(raw: RawTensor, callback: (values: Float32Array) => Result): Result {
    checkFunction('view', 'callback', callback);
    const memory = raw.lend();
    const values = isOwnBuffer(memory.buffer) ? memory : new Float32Array(memory);
    this.#lent += 1;
    try {
      const result = callback(values);
      if (isThenable(result)) {
        const problem = 'is asynchronous, but the view is taken back when it returns; use read()';
        throw new TrilError('view', 'callback', problem);
      }
      return result;
    } finally {
      this.#lent -= 1;
      if (values !== memory) structuredClone(values.buffer, { transfer: [values.buffer] });
      else if (this.#lent === 0) this.raw._revokeViews();
    }
  }

  scope<Result>(body: (own: Own) => Result): Result {
    this.#checkNothingLent('scope');
    checkFunction('scope', 'body', body);
    const made = new Set<Owned>();
    this.#scopes.push(made);
    const kept = new Set<Owned>();
    try {
      const result = body((owned) => this.#handOver(made, owned));
      if (isThenable(result)) {
        const problem = 'is asynchronous, but its tensors are disposed when it returns';
        throw new TrilError('scope', 'body', problem);
      }
      collectOwned(result, kept);
      return result;
    } finally {
      this.#scopes.pop();
      const outer = this.#scopes.at(-1);
      for (const owned of made) {
        if (kept.has(owned)) outer?.add(owned);
        else owned.dispose();
      }
    }
  }

  /** Gives an object made outside to a scope. */
  #handOver<Kind extends Owned>(scope: Set<Owned>, owned: Kind): Kind {
    const refuse = (problem: string) => new TrilError('scope', 'own', problem);
    if (!this.#scopes.includes(scope)) throw refuse('is called after the scope has ended');
    if (!isOwned(owned)) {
      throw refuse(
        `must be given a tensor, a model or another disposable of this module, is given ${describe(owned)}`,
      );
    }
    if (owned.context !== this) throw refuse('is given what belongs to another loaded module');
    if (owned.disposed) throw refuse('is given what has been disposed');
    scope.add(owned);
    return owned;
  }

  /** The module's handle of `tensor`, once known to be a living tensor of this module. */
  handle(call: string, argument: string, tensor: unknown): RawTensor {
    if (!(tensor instanceof Tensor)) {
      throw new TrilError(call, argument, mustBeTensor(tensor));
    }
    if (tensor.context !== this) {
      throw new TrilError(call, argument, 'belongs to another loaded module', {
        [argument]: tensor.shape,
      });
    }
    return tensor.raw(call, argument);
  }

  /** The same for an option that is a cache, or null where it is not given. */
  cacheOption(call: string, argument: string, cache: KeyValueCache | undefined): RawCache | null {
    if (cache === undefined) return null;
    if (cache instanceof KeyValueCache) return this.cacheHandle(call, argument, cache);
    const problem = `must be a cache (tril.keyValueCache makes one), is ${describe(cache)}`;
    throw new TrilError(call, argument, problem);
  }

  /** The module's handle of `cache`, once known to be a living cache of this module. */
  cacheHandle(call: string, argument: string, cache: KeyValueCache): RawCache {
    if (cache.context === this) return cache.raw(call, argument);
    throw new TrilError(call, argument, 'belongs to another loaded module');
  }

  /** Ends the threads; all later calls throw. */
  close(): void {
    if (this.#closed) return;
    this.#checkNothingLent('close');
    this.#closed = true;
    this.#end();
  }

  /** Throws once the module is closed. */
  checkOpen(call: string): void {
    if (this.#closed) throw new TrilError(call, 'tril', 'has been closed');
  }

  #checkNothingLent(call: string): void {
    this.checkOpen(call);
    if (this.#lent === 0) return;
    const problem = 'a view is lent; make this call after the callback has returned';
    throw new TrilError(call, 'view', problem);
  }
}

const mustBeTensor = (value: unknown): string =>
  `must be a tensor (tril.tensor makes one), is ${describe(value)}`;

/**
 * The place from which this package was called, as a part of a message; '' where engines do not
 * tell.
 */
function callSite(): string {
  // Not by URL: bundlers would take `new URL('.', import.meta.url)` for a file to ship.
  const folder = import.meta.url.replace(/[^/]*$/, '');
  const [, ...lines] = new Error().stack?.split('\n') ?? [];
  const line = lines.find((each) => each.trim() !== '' && !each.includes(folder));
  return line ? ` (${line.trim()})` : '';
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

const isOwned = (value: unknown): value is Owned =>
  [Tensor, KeyValueCache, OwnedObject].some((kind) => value instanceof kind);

/** All that scopes own in `value`, through arrays, maps, sets and plain objects. */
function collectOwned(value: unknown, found: Set<Owned>, seen = new Set<unknown>()): void {
  if (isOwned(value)) {
    found.add(value);
  } else if (typeof value === 'object' && value !== null && !seen.has(value)) {
    seen.add(value);
    if (ArrayBuffer.isView(value)) return;
    const parts = isMapOrSet(value) ? value : Object.values(value);
    for (const part of parts) collectOwned(part, found, seen);
  }
}
