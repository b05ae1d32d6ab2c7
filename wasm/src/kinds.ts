// The kind of an object, from whatever realm. An iframe, a node:vm context and Jest's tests have built-in
// classes of their own, so `instanceof` fails for their arrays: it is for this package's classes only.

/** Bytes in memory: a buffer or a view of one, such as a Uint8Array, a DataView or Node's Buffer. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** The name that a value's class gives itself, such as `'Blob'`. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

type Getter = (this: unknown) => unknown;
const getter = (prototype: object, name: string | symbol): Getter =>
  Object.getOwnPropertyDescriptor(prototype, name)!.get!;
/** Gives the name of a typed array's class, by its internal slots, and undefined for anything else. */
const arrayTag = getter(Object.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag);
const byteLength = getter(ArrayBuffer.prototype, 'byteLength');

/** `'Float32Array'` and the like; undefined where it is no typed array. */
export const arrayKind = (value: unknown): string | undefined =>
  arrayTag.call(value) as string | undefined;

const isArrayBuffer = (value: unknown): value is ArrayBuffer => {
  try {
    byteLength.call(value); // throws for all else, shared buffers too
    return true;
  } catch {
    return false;
  }
};

/** An ArrayBuffer, which belongs to one thread; shared buffers are excluded. */
export const isOwnBuffer = (value: unknown): value is ArrayBuffer =>
  tagOf(value) === 'ArrayBuffer' && isArrayBuffer(value);

const isBuffer = (value: unknown): value is ArrayBufferLike =>
  isArrayBuffer(value) || tagOf(value) === 'SharedArrayBuffer';

/**
 * The bytes of a buffer, shared or not, or of a view of one, without a copy; undefined for anything
 * else.
 */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (isBuffer(value)) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** A copy of the bytes of a view, in memory of its own that can be handed to another thread. */
export function copyOf(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(view.byteLength);
  copy.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return copy;
}

const has = (value: unknown, ...methods: string[]): boolean =>
  methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

export const isBlob = (value: unknown): value is Blob =>
  ['Blob', 'File'].includes(tagOf(value)) && has(value, 'slice', 'arrayBuffer');

export const isResponse = (value: unknown): value is Response =>
  tagOf(value) === 'Response' && has(value, 'arrayBuffer');

export const isSignal = (value: unknown): value is AbortSignal =>
  tagOf(value) === 'AbortSignal' && has(value, 'addEventListener');

export const isUrl = (value: unknown): value is URL => tagOf(value) === 'URL';

/** Not a type guard: to TypeScript every value is a module, which has no members. */
export const isModule = (value: unknown): boolean => tagOf(value) === 'WebAssembly.Module';

export const isError = (value: unknown): value is Error =>
  ['Error', 'DOMException'].includes(tagOf(value));

export const isMapOrSet = (value: unknown): value is Iterable<unknown> =>
  ['Map', 'Set'].includes(tagOf(value));

/** An object without a class, as from a literal; also one without a prototype. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
