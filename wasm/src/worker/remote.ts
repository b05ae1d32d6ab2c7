/// <reference lib="esnext.disposable" preserve="true" />
// Objects in the Worker, as callers hold them.
import type { Mask } from '../calls/mask.js';
import { TrilError, shapeText } from '../error.js';
import type { KeyValueCache } from '../key-value-cache.js';
import type { Tensor } from '../tensor.js';
import type { NestedNumbers, Values } from '../values.js';
import { calls, type Calling, type Constants, type Kind, type Reference } from './held-kinds.js';

/** The connection through which remote objects send requests. */
export interface Line {
  ask(
    path: readonly string[],
    values: readonly unknown[],
    options?: RequestOptions,
  ): Promise<unknown>;
  /** Disposes an object in the Worker that is no longer referenced here. */
  discard(reference: number): void;
  /** Removes an object that has been disposed. */
  forget(reference: number): void;
}

/** Requests one call of the module. */
export type Ask = (values: readonly unknown[], options?: RequestOptions) => Promise<unknown>;

/** The options of a request to the Worker. */
export interface RequestOptions {
  /** Reference of the object whose method is called (default: the module). */
  readonly on?: number;
  /** Signals, each of which cancels the request. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Receives the progress of the call. */
  readonly progress?: ((...values: never[]) => void) | undefined;
  /** Reads a range of a file that the call needs. */
  readonly chunk?: (name: string, from: number, to: number) => Promise<Uint8Array>;
}

/**
 * An object in the Worker, which lives until it is disposed. The garbage collector disposes
 * forgotten ones.
 */
export abstract class RemoteObject implements AsyncDisposable {
  readonly #line: Line;
  readonly #reference: Reference;
  #disposed = false;

  /** @internal Made by the calls of a Worker. */
  constructor(line: Line, reference: Reference) {
    this.#line = line;
    this.#reference = reference;
    for (const [name, value] of Object.entries(reference.constants)) {
      Object.assign(this, { [name]: Object.freeze(value) });
    }
  }

  /** @internal */
  get line(): Line {
    return this.#line;
  }

  /** @internal */
  get reference(): number {
    return this.#reference.$reference;
  }

  /** True once `dispose` was called: any further use is refused. */
  get disposed(): boolean {
    return this.#disposed;
  }

  /** Frees the memory, after all earlier calls. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    const done = this.ask('dispose');
    this.#disposed = true;
    forgotten.unregister(this);
    await done;
    this.line.forget(this.reference);
  }

  /** Called by `await using` at the end of a block. */
  declare [Symbol.asyncDispose]: () => Promise<void>;

  /** @internal */
  async ask(method: string, ...values: unknown[]): Promise<unknown> {
    return this.askUntil(undefined, method, ...values);
  }

  /** @internal */
  protected async askUntil(
    signal: AbortSignal | undefined,
    method: string,
    ...values: unknown[]
  ): Promise<unknown> {
    const { kind } = this.#reference;
    checkAlive(this, method, kind === 'sequenceTrainer' ? 'trainer' : kind);
    return this.line.ask([method], values, { on: this.reference, signals: [signal] });
  }
}

// Engines without `await using` have no Symbol.asyncDispose either.
if (Symbol.asyncDispose) {
  RemoteObject.prototype[Symbol.asyncDispose] = RemoteObject.prototype.dispose;
}

/** The calls `Names` of a class as promises; of its properties, those that change. */
export type Asked<Local, Names extends keyof Local> = {
  [Name in Names]: Local[Name] extends (...values: infer Arguments) => infer Result
    ? (...values: { [At in keyof Arguments]: Sent<Arguments[At]> }) => Promise<Sent<Result>>
    : () => Promise<Local[Name]>;
};
/** `T` itself where none of it stays in the Worker, so that it keeps its name. */
type Sent<T> = [T] extends [RemoteValue<T>] ? T : RemoteValue<T>;
export type AskedOf<Each extends keyof Calling> = Asked<
  Calling[Each],
  Extract<(typeof calls)[Each][number], keyof Calling[Each]>
>;
export type RemoteOf<Each extends Kind, Made> = Made &
  AskedOf<Each> &
  Omit<Constants<Each>, keyof Made>;
export type RemoteClass<Made> = abstract new (line: Line, reference: Reference) => Made;

/** A class with the calls in the table for a kind. */
export function asking<Each extends keyof Calling, Made extends RemoteObject>(
  kind: Each,
  base: RemoteClass<Made>,
): RemoteClass<Made & AskedOf<Each>> {
  abstract class Asking extends (base as RemoteClass<RemoteObject>) {}
  for (const name of calls[kind]) {
    const value = function (this: RemoteObject, ...values: unknown[]) {
      return this.ask(name, ...values);
    };
    Object.defineProperty(Asking.prototype, name, { value, configurable: true, writable: true });
  }
  return Asking as unknown as RemoteClass<Made & AskedOf<Each>>;
}

/** The class of remote objects of a kind: with its calls, and its properties that never change. */
export function remote<Each extends Kind, Made extends RemoteObject = RemoteObject>(
  kind: Each,
  base = RemoteObject as unknown as RemoteClass<Made>,
): RemoteClass<RemoteOf<Each, Made>> {
  return asking(kind, base) as RemoteClass<RemoteOf<Each, Made>>;
}

/** A tensor that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteTensor extends remote('tensor') {
  /** All numbers in row-major order. */
  read(): Promise<Float32Array> {
    return this.ask('read') as Promise<Float32Array>;
  }

  /** The numbers as nested arrays, for small tensors. */
  toArray<Nested extends NestedNumbers = NestedNumbers>(): Promise<Nested> {
    return this.ask('toArray') as Promise<Nested>;
  }

  /** Overwrites all numbers: nested in this shape, or flat in row-major order. */
  async write(data: Values): Promise<this> {
    await this.ask('write', data);
    return this;
  }

  /** `RemoteTensor [2, 3]`. */
  override toString(): string {
    return `RemoteTensor ${shapeText(this.shape)}`;
  }
}

/** A `KeyValueCache` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteKeyValueCache extends remote('cache') {
  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}

/** A `DecodingSession` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteDecodingSession extends remote('session') {
  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}

/** A `Tokenizer` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteTokenizer extends remote('tokenizer') {}

/** An `Encoder` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteEncoder extends remote('encoder') {}

/** A mask that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteMask extends RemoteObject {}

type AsIs = string | number | boolean | null | undefined | ArrayBufferView | URL | NestedNumbers;
/**
 * `T` with the Worker's tensors, masks and caches in place of local ones, through arrays and
 * objects.
 */
export type RemoteValue<T> = T extends AsIs
  ? T
  : T extends Tensor
    ? RemoteTensor
    : T extends Mask
      ? RemoteMask
      : T extends KeyValueCache
        ? RemoteKeyValueCache
        : { [Name in keyof T]: RemoteValue<T[Name]> };

export const forgotten = new FinalizationRegistry<{ line: Line; reference: number }>(
  ({ line, reference }) => line.discard(reference),
);

export function checkAlive(value: RemoteObject, call: string, argument: string): void {
  if (!value.disposed) return;
  const shape = value instanceof RemoteTensor ? `; its shape was ${shapeText(value.shape)}` : '';
  throw new TrilError(call, argument, `has been disposed${shape}`);
}
