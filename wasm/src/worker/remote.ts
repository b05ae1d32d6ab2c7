/// <reference lib="esnext.disposable" preserve="true" />
// Objects that live in the Worker, as callers hold them.
import type { Mask } from '../calls/mask.js';
import { TrilError, shapeText } from '../error.js';
import type { KeyValueCache } from '../key-value-cache.js';
import type { Tensor } from '../tensor.js';
import type { NestedNumbers, Values } from '../values.js';
import { calls, type Calling, type Constants, type Kind, type Reference } from './held-kinds.js';

/** The connection through which remote objects ask. */
export interface Line {
  ask(
    path: readonly string[],
    values: readonly unknown[],
    options?: RequestOptions,
  ): Promise<unknown>;
  /** Disposes in the Worker of an object that nobody here holds any more. */
  discard(reference: number): void;
  /** Forgets an object that has been disposed. */
  forget(reference: number): void;
}

/** Asks for one call of the module. */
export type Ask = (values: readonly unknown[], options?: RequestOptions) => Promise<unknown>;

/** The options of a request to the Worker. */
export interface RequestOptions {
  /** Reference of the object whose method is called (default: the module). */
  readonly on?: number;
  /** Each of them cancels the request. */
  readonly signals?: readonly (AbortSignal | undefined)[];
  /** Receives how far the call has come. */
  readonly progress?: ((...values: never[]) => void) | undefined;
  /** Reads a range of a file that the call needs. */
  readonly chunk?: (name: string, from: number, to: number) => Promise<Uint8Array>;
}

/** What lives in the Worker until it is disposed. Forgotten ones are disposed with the garbage. */
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

  /** Gives the memory back, when the calls asked for before are done. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    const done = this.ask('dispose');
    this.#disposed = true;
    forgotten.unregister(this);
    await done;
    this.line.forget(this.reference);
  }

  /** What `await using` calls at the end of a block. */
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

/** The calls `Names` of a class as promises, and those of its properties that change. */
export type Asked<Local, Names extends keyof Local> = {
  [Name in Names]: Local[Name] extends (...values: infer Arguments) => infer Result
    ? (...values: { [At in keyof Arguments]: Sent<Arguments[At]> }) => Promise<Sent<Result>>
    : () => Promise<Local[Name]>;
};
/** `T` itself where nothing in it stays in the Worker, so that it keeps its name. */
type Sent<T> = [T] extends [RemoteValue<T>] ? T : RemoteValue<T>;
export type AskedOf<Each extends keyof Calling> = Asked<
  Calling[Each],
  Extract<(typeof calls)[Each][number], keyof Calling[Each]>
>;
export type RemoteOf<Each extends Kind, Made> = Made &
  AskedOf<Each> &
  Omit<Constants<Each>, keyof Made>;
export type RemoteClass<Made> = abstract new (line: Line, reference: Reference) => Made;

/** The class with the calls that the table has of a kind. */
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

/** The class for what the Worker holds of a kind: with its calls, and its properties that never change. */
export function remote<Each extends Kind, Made extends RemoteObject = RemoteObject>(
  kind: Each,
  base = RemoteObject as unknown as RemoteClass<Made>,
): RemoteClass<RemoteOf<Each, Made>> {
  return asking(kind, base) as RemoteClass<RemoteOf<Each, Made>>;
}

/** A tensor that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTensor extends remote('tensor') {
  /** All numbers in row-major order. */
  read(): Promise<Float32Array> {
    return this.ask('read') as Promise<Float32Array>;
  }

  /** The numbers as nested arrays, for small tensors. */
  toArray<Nested extends NestedNumbers = NestedNumbers>(): Promise<Nested> {
    return this.ask('toArray') as Promise<Nested>;
  }

  /** Overwrites all numbers: nested to this shape, or flat in row-major order. */
  async write(data: Values): Promise<this> {
    await this.ask('write', data);
    return this;
  }

  /** `RemoteTensor [2, 3]`. */
  override toString(): string {
    return `RemoteTensor ${shapeText(this.shape)}`;
  }
}

/** A `KeyValueCache` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteKeyValueCache extends remote('cache') {
  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}

/** A `DecodingSession` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteDecodingSession extends remote('session') {
  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}

/** A `Tokenizer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTokenizer extends remote('tokenizer') {}

/** An `Encoder` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteEncoder extends remote('encoder') {}

/** A mask that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteMask extends RemoteObject {}

type AsIs = string | number | boolean | null | undefined | ArrayBufferView | URL | NestedNumbers;
/** The Worker's own where `T` has tensors, masks and caches, through arrays and objects. */
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
