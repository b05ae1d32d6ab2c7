/// <reference lib="esnext.disposable" preserve="true" />
import { TrilError, shapeText } from './error.js';
import type { Owner } from './owned.js';
import type { RawTensor } from './raw.js';
import { checkFloatArray, elementCount, flatten, nest } from './values.js';
import type { FloatArray, NestedNumbers, Values } from './values.js';

/**
 * Float32 numbers of any rank in the memory of one loaded module. Made by `tril.tensor` and by
 * every call that computes a tensor. Its memory is freed by `dispose`, at the end of a `using`
 * declaration or of a `tril.scope`, and at the latest when the garbage collector finds it.
 */
export class Tensor implements Disposable {
  /** The sizes of the axes, outermost first; an axis of 0 leaves no elements. */
  readonly shape: readonly number[];
  readonly #context: Owner;
  #raw: RawTensor | undefined;

  /** @internal Tensors are made by the calls of a loaded module. */
  constructor(context: Owner, raw: RawTensor) {
    if (!raw) throw new TrilError('Tensor', 'data', 'tensors are made by tril.tensor');
    this.#context = context;
    this.#raw = raw;
    this.shape = Object.freeze(raw.shape());
  }

  /** @internal Behind a getter, since consoles print properties. */
  get context(): Owner {
    return this.#context;
  }

  /** The number of axes. */
  get rank(): number {
    return this.shape.length;
  }

  /** The number of elements. */
  get size(): number {
    return elementCount(this.shape);
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /**
   * All numbers in row-major order, as a copy that stays valid.
   *
   * @example
   * ```ts
   * const x = tril.tensor([[1, 2], [3, 4]]);
   * x.read(); // Float32Array.of(1, 2, 3, 4)
   * x.read(new Float64Array(4)); // Float64Array.of(1, 2, 3, 4)
   * ```
   */
  read(): Float32Array;
  /**
   * Copies all numbers in row-major order into an array of yours, and returns it; into a
   * Float16Array they are rounded.
   * @throws TrilError where it is not an array of floating-point numbers, or has another size
   */
  read<Into extends FloatArray>(into: Into): Into;
  read(into?: FloatArray): FloatArray {
    const view = this.raw('read').view();
    if (into === undefined) return new Float32Array(view);
    checkFloatArray('read', 'into', into, view.length).set(view);
    return into;
  }

  /**
   * The numbers as nested arrays, for small tensors: `toArray<number[][]>()` of a matrix.
   *
   * @example
   * ```ts
   * tril.tensor([2, 2], [1, 2, 3, 4]).toArray(); // [[1, 2], [3, 4]]
   * ```
   */
  toArray<Nested extends NestedNumbers = NestedNumbers>(): Nested {
    return nest(this.read(), this.shape) as Nested;
  }

  /**
   * Overwrites all numbers: nested in this shape, or flat in row-major order.
   * @throws TrilError where `data` does not fit the shape
   *
   * @example
   * ```ts
   * const x = tril.zeros([2, 2]);
   * x.write([[1, 2], [3, 4]]).read(); // Float32Array.of(1, 2, 3, 4)
   * x.write([1, 2, 3]); // throws TrilError: write: data: has 3 numbers, shape [2, 2] needs 4
   * ```
   */
  write(data: Values): this {
    const raw = this.raw('write');
    raw.write(flatten('write', data, this.shape));
    return this;
  }

  /**
   * Lends the numbers themselves, in row-major order and without a copy, to `callback`, and returns
   * its result. After that the array is taken back: its length is 0. The callback must not write to
   * it, nor call this module, since growing memory would detach the array during the callback.
   *
   * With threads, memory is shared and cannot be taken back, so the callback gets a copy.
   * @throws TrilError where the callback is asynchronous
   *
   * @example
   * ```ts
   * const x = tril.tensor([1, 5, 3]);
   * x.view((values) => values.indexOf(5)); // 1
   * ```
   */
  view<Result>(callback: (values: Float32Array) => Result): Result {
    return this.context.lend(this.raw('view'), callback);
  }

  /**
   * Frees the memory. Any later use throws; disposing again does nothing.
   *
   * @example
   * ```ts
   * const x = tril.zeros([2]);
   * x.dispose();
   * x.disposed; // true
   * x.read(); // throws TrilError: read: tensor: has been disposed; its shape was [2]
   * ```
   */
  dispose(): void {
    if (!this.#raw) return;
    this.context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** Called by `using` at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /**
   * The value for `JSON.stringify`: the numbers as nested arrays. JSON has no NaN and no infinities, and writes
   * null for them.
   *
   * @example
   * ```ts
   * JSON.stringify({ x: tril.tensor([[1, 2], [3, 4]]) }); // '{"x":[[1,2],[3,4]]}'
   * ```
   */
  toJSON(): NestedNumbers {
    return this.toArray();
  }

  /** `Tensor [2, 3]`. */
  toString(): string {
    return `Tensor ${shapeText(this.shape)}`;
  }

  /** @internal The module's own handle, for a call that names this tensor as `argument`. */
  raw(call: string, argument = 'tensor'): RawTensor {
    this.#context.checkOpen(call);
    if (this.#raw) return this.#raw;
    throw new TrilError(
      call,
      argument,
      `has been disposed; its shape was ${shapeText(this.shape)}`,
      {
        [argument]: this.shape,
      },
    );
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) Tensor.prototype[Symbol.dispose] = Tensor.prototype.dispose;

const mostPrinted = 1000;

/** The text for Node's console: the shape and, unless there are too many, the numbers. */
function inspected(this: Tensor, _depth: number, options: object, inspect: Inspect): string {
  if (this.disposed) return `${String(this)}, disposed`;
  // Rows without elements may number billions.
  const rows = elementCount(this.shape.slice(0, -1));
  if (Math.max(this.size, rows) > mostPrinted) return String(this);
  return `${String(this)} ${inspect(this.toArray(), options)}`;
}
type Inspect = (value: unknown, options: object) => string;
Object.defineProperty(Tensor.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value: inspected,
});
