/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The calls of `tril` as promises, computed in a Worker of their own, so that the caller stays free.
 *
 * @module tril/worker
 */
import { Mask } from '../calls/mask.js';
import { TrilError, shapeText } from '../error.js';
import { KeyValueCache, type KeyValueCacheSizes } from '../key-value-cache.js';
import { describe } from '../names.js';
import type { LoadOptions, Tril } from '../load.js';
import { Tensor } from '../tensor.js';
import type { NestedNumbers, Values } from '../values.js';
import { mapParts, nodeWorkers, portOfNode, portOfWeb, whenAborted } from './line.js';
import type { Answer, Cancellation, Failure, Port, Reference, Request } from './line.js';

interface Line {
  ask(path: readonly string[], values: readonly unknown[], how?: How): Promise<unknown>;
  /** Asks that what nobody here holds any more be disposed there. */
  discard(reference: number): void;
  /** Says that it was. */
  forget(reference: number): void;
}

interface How {
  /** Whose method is called: a tensor's. */
  readonly on?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What lives in the Worker until it is disposed. Forgotten ones are disposed with the garbage. */
abstract class RemoteObject implements AsyncDisposable {
  readonly #line: Line;
  readonly #reference: number;
  #disposed = false;

  /** @internal Made by the calls of a Worker. */
  constructor(line: Line, reference: number) {
    this.#line = line;
    this.#reference = reference;
  }

  /** @internal */
  get line(): Line {
    return this.#line;
  }

  /** @internal */
  get reference(): number {
    return this.#reference;
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
    this.line.forget(this.#reference);
  }

  /** What `await using` calls at the end of a block. */
  declare [Symbol.asyncDispose]: () => Promise<void>;

  /** @internal */
  protected async ask(method: string, ...values: unknown[]): Promise<unknown> {
    checkAlive(this, method, this instanceof RemoteTensor ? 'tensor' : 'cache');
    return this.line.ask([method], values, { on: this.reference });
  }
}

// Engines without `await using` have no Symbol.asyncDispose either.
if (Symbol.asyncDispose) {
  RemoteObject.prototype[Symbol.asyncDispose] = RemoteObject.prototype.dispose;
}

/** A tensor that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTensor extends RemoteObject {
  /** The sizes of the axes, outermost first. */
  readonly shape: readonly number[];

  /** @internal Remote tensors are made by the calls of a Worker. */
  constructor(line: Line, reference: number, shape: readonly number[]) {
    super(line, reference);
    this.shape = Object.freeze(shape);
  }

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
export class RemoteKeyValueCache extends RemoteObject {
  /** Its sizes, with what was not given. */
  readonly sizes: Required<KeyValueCacheSizes>;

  /** @internal Remote caches are made by the calls of a Worker. */
  constructor(line: Line, reference: number, sizes: Required<KeyValueCacheSizes>) {
    super(line, reference);
    this.sizes = Object.freeze(sizes);
  }

  /** How many tokens there are, when the calls asked for before are done. */
  length(): Promise<number> {
    return this.ask('length') as Promise<number>;
  }

  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}

/** A mask that lives in the Worker. */
export class RemoteMask {
  readonly #line: Line;
  readonly #reference: number;

  /** @internal Remote masks are made by the calls of a Worker. */
  constructor(line: Line, reference: number) {
    this.#line = line;
    this.#reference = reference;
    Object.freeze(this);
  }

  /** @internal */
  get line(): Line {
    return this.#line;
  }

  /** @internal */
  get reference(): number {
    return this.#reference;
  }
}

type AsIs = string | number | boolean | null | undefined | ArrayBufferView | URL | NestedNumbers;
/** The Worker's own where `T` has tensors, masks and caches, through arrays and objects. */
export type Remote<T> = T extends AsIs
  ? T
  : T extends Tensor
    ? RemoteTensor
    : T extends Mask
      ? RemoteMask
      : T extends KeyValueCache
        ? RemoteKeyValueCache
        : { [Name in keyof T]: Remote<T[Name]> };
type RemoteArguments<Arguments extends readonly unknown[]> = {
  [Index in keyof Arguments]: Remote<Arguments[Index]>;
};
type RemoteCalls<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...values: infer Arguments) => infer Result
    ? (...values: RemoteArguments<Arguments>) => Promise<Remote<Result>>
    : Calls[Name] extends object
      ? RemoteCalls<Calls[Name]>
      : Calls[Name];
};

/** All calls of `Tril` but `scope`, whose body cannot be sent, as promises. */
export interface RemoteTril extends RemoteCalls<Omit<Tril, 'scope' | 'tensor'>> {
  /**
   * A tensor of a copy of `data`: nested numbers or a typed array, rounded to float32. With one
   * argument the shape is that of the nesting; with a shape, `data` is nested so or flat in row-major
   * order.
   * @throws TrilError where the shape is not one, `data` does not fit it, or memory is out
   */
  tensor(data: Values): Promise<RemoteTensor>;
  /** A tensor in the Worker of a copy of `data`, nested to this shape or flat in row-major order. */
  tensor(shape: readonly number[], data: Values): Promise<RemoteTensor>;
  /**
   * The same calls, which end when `signal` aborts: their promises are rejected with its reason,
   * what has not begun is not computed, and what is being computed is thrown away when it is done.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd' });
   * const x = await remote.randomNormal([512, 512], { seed: 1 });
   * const stop = new AbortController();
   * const product = remote.withSignal(stop.signal).matmul(x, x);
   * stop.abort();
   * await product.catch((reason) => reason.name); // 'AbortError'
   * remote.close();
   * ```
   */
  withSignal(signal: AbortSignal): RemoteTril;
  /** Ends the Worker, with everything in it; what is asked for later is refused. */
  close(): void;
}

const forgotten = new FinalizationRegistry<{ line: Line; reference: number }>(
  ({ line, reference }) => line.discard(reference),
);

function checkAlive(value: RemoteObject | RemoteMask, call: string, argument: string): void {
  if (!(value instanceof RemoteObject) || !value.disposed) return;
  const shape = value instanceof RemoteTensor ? `; its shape was ${shapeText(value.shape)}` : '';
  throw new TrilError(call, argument, `has been disposed${shape}`);
}

function errorOf({ message, tril }: Failure): Error {
  if (!tril) return new Error(message);
  return new TrilError(tril.call, tril.argument, tril.problem, tril.shapes);
}

function connect(port: Port<Request | Cancellation, Answer>): Line & { close(): void } {
  // With what was given, so that none of it is forgotten before the answer, which may hold it again.
  const waiting = new Map<
    number,
    { resolve(value: unknown): void; reject(reason: Error): void; values: readonly unknown[] }
  >();
  const known = new Map<number, WeakRef<RemoteObject>>();
  let lastId = 0;
  let closed: string | undefined;
  const end = (reason: string): void => {
    closed = reason;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };

  const encode = (call: string, value: unknown): unknown =>
    mapParts(value, (part) => {
      if (part instanceof Tensor || part instanceof Mask || part instanceof KeyValueCache) {
        throw new TrilError(call, 'values', 'belongs to this thread, not to the Worker');
      }
      if (!(part instanceof RemoteObject || part instanceof RemoteMask)) return undefined;
      if (part.line !== line) {
        throw new TrilError(call, 'values', 'belongs to another Worker');
      }
      checkAlive(part, call, 'values');
      return { $reference: part.reference };
    });
  const decode = (value: unknown): unknown =>
    mapParts(value, (part) => {
      const { $reference, shape, sizes } = (part ?? {}) as Partial<Reference>;
      if ($reference === undefined) return undefined;
      if (!shape && !sizes) return new RemoteMask(line, $reference);
      const there = known.get($reference)?.deref();
      if (there) return there;
      const made = shape
        ? new RemoteTensor(line, $reference, shape)
        : new RemoteKeyValueCache(line, $reference, sizes!);
      known.set($reference, new WeakRef(made));
      forgotten.register(made, { line, reference: $reference }, made);
      return made;
    });

  /** Frees what an aborted call has made, but not what it was given as `out`. */
  const discardMade = (value: unknown): void => {
    mapParts(value, (part) => {
      const { $reference } = (part ?? {}) as Partial<Reference>;
      if ($reference === undefined) return undefined;
      if (!known.get($reference)?.deref()) line.discard($reference);
      return null;
    });
  };

  port.listen(
    ({ id, value, failure }) => {
      const asked = waiting.get(id);
      waiting.delete(id);
      port.wait(waiting.size > 0);
      if (failure) asked?.reject(errorOf(failure));
      else if (asked) asked.resolve(decode(value));
      else discardMade(value);
    },
    (reason) => end(`the Worker has failed: ${String(reason)}`),
  );

  const line = {
    ask: (path: readonly string[], values: readonly unknown[], { on, signal }: How = {}) =>
      new Promise<unknown>((resolve, reject) => {
        if (closed !== undefined) throw new Error(closed);
        signal?.throwIfAborted();
        const id = ++lastId;
        const encoded = values.map((value) => encode(path.join('.'), value));
        port.send({ id, path, values: encoded, ...(on !== undefined && { on }) });
        const abort = (): void => {
          waiting.delete(id);
          port.wait(waiting.size > 0);
          port.send({ cancelled: id });
          reject(signal!.reason as Error);
        };
        const settled = signal ? whenAborted(signal, abort) : () => {};
        waiting.set(id, {
          resolve: (value) => (settled(), resolve(value)),
          reject: (reason) => (settled(), reject(reason)),
          values,
        });
        port.wait(true);
      }),
    forget: (reference: number) => void known.delete(reference),
    discard: (reference: number) => {
      known.delete(reference);
      line.ask(['dispose'], [], { on: reference }).catch(() => {}); // closed: it is gone already
    },
    close: () => {
      end('the Worker has been closed');
      port.close();
    },
  };
  return line;
}

function startWorker(): Port<Request | Cancellation, Answer> {
  const node = nodeWorkers();
  if (!node)
    return portOfWeb(new Worker(new URL('./host.js', import.meta.url), { type: 'module' }));
  const here = new URL(import.meta.url);
  return portOfNode(new node.Worker(new URL('host.js', here)));
}

/**
 * Starts a Worker and loads the core in it. The page stays free while something is computed; calls
 * are done in the order in which they were asked for.
 *
 * @throws TrilError as `loadTril` of `tril`
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril/worker';
 *
 * const remote = await loadTril({ variant: 'simd' });
 * const a = await remote.tensor([[1, 2], [3, 4]]);
 * const product = await remote.matmul(a, a);
 * await product.toArray(); // [[7, 10], [15, 22]]
 * remote.close();
 * ```
 */
export async function loadTril(options: LoadOptions = {}): Promise<RemoteTril> {
  const line = connect(startWorker());
  const loaded = await line
    .ask(['load'], [options?.wasmUrl ? { ...options, wasmUrl: String(options.wasmUrl) } : options])
    .catch((error: unknown) => {
      line.close();
      throw error;
    });
  const { paths, ...about } = loaded as { paths: string[][]; variant: string; threads: number };
  const callsWith = (signal?: AbortSignal): RemoteTril => {
    const tril: Record<string, unknown> = {
      ...about,
      withSignal: (other: AbortSignal) => callsWith(checkedSignal(other)),
      close: () => line.close(),
    };
    for (const path of paths) {
      if (path[0] === 'scope') continue;
      const call = (...values: unknown[]) => line.ask(path, values, { signal });
      const [part, name] = path as [string, string?];
      if (name === undefined) tril[part] = call;
      else ((tril[part] ??= {}) as Record<string, unknown>)[name] = call;
    }
    return tril as unknown as RemoteTril;
  };
  return callsWith();
}

function checkedSignal(signal: unknown): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  throw new TrilError('withSignal', 'signal', `must be an AbortSignal, is ${describe(signal)}`);
}
