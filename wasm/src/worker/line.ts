import type { StoredArrays } from '../calls/files.js';
import type { Shapes, TrilError } from '../error.js';
import { arrayKind, bytesOf, copyOf, isOwnBuffer, isPlain } from '../kinds.js';
import { ofNode } from '../builtin.js';

/** Cancels a call: a waiting call is not made, a call that takes steps ends after the current one. */
export interface Cancellation {
  readonly cancelled: number;
}

export interface Request {
  readonly id: number;
  /** The path of names to the called function, such as `['mask', 'causal']`. */
  readonly path: readonly string[];
  /** Reference of the object whose method is called (default: the module). */
  readonly on?: number;
  readonly values: readonly unknown[];
}

export interface Failure {
  readonly message: string;
  /** The fields of a TrilError. */
  readonly tril?: {
    readonly call: string;
    readonly argument: string;
    readonly problem: string;
    readonly shapes?: Shapes;
    readonly steps?: TrilError['steps'];
  };
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
  /** Arguments for the call's `progress`; the call goes on. */
  readonly progress?: readonly unknown[];
  /** A range of a file that the call needs to continue: the bytes from `from` to before `to`. */
  readonly range?: readonly [name: string, from: number, to: number];
}

/** The range of a file that a call has requested. */
export interface Chunk {
  /** The call's number. */
  readonly chunkOf: number;
  readonly bytes: Uint8Array;
}

/** A message to the Worker. */
export type Message = Request | Cancellation | Chunk;

/** The two ends of a Worker, the web's or Node's. */
export interface Port<Out, In> {
  send(message: Out, transfer?: ArrayBuffer[]): void;
  listen(receive: (message: In) => void, fail?: (reason: unknown) => void): void;
  /** Keeps a Node process alive while an answer is `waiting`. */
  wait(waiting: boolean): void;
  close(): void;
}

interface NodePort {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  on(event: 'message' | 'error', listener: (value: unknown) => void): void;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

/** The module node:worker_threads. */
export interface NodeWorkers {
  readonly isMainThread: boolean;
  readonly parentPort: NodePort | null;
  readonly Worker: new (script: URL) => NodePort;
}

/** Node's own Workers. */
export const nodeWorkers = () => ofNode<NodeWorkers>('worker_threads');

export function portOfNode<Out, In>(port: NodePort): Port<Out, In> {
  return {
    send: (message, transfer) => port.postMessage(message, transfer),
    listen: (receive, fail) => {
      port.on('message', receive as (value: unknown) => void);
      if (fail) port.on('error', fail);
    },
    wait: (waiting) => (waiting ? port.ref() : port.unref()),
    close: () => void port.terminate(),
  };
}

/** The web's Worker from outside, or its global scope from inside. */
export function portOfWeb<Out, In>(port: Worker): Port<Out, In> {
  return {
    send: (message, transfer = []) => port.postMessage(message, transfer),
    listen: (receive, fail) => {
      port.addEventListener('message', (event: MessageEvent<In>) => receive(event.data));
      if (fail) port.addEventListener('error', (event) => fail(event.message));
    },
    wait: () => {},
    close: () => port.terminate(),
  };
}

/**
 * A copy of `value` with some parts replaced, through arrays and plain objects: those for which
 * `replace` gives a value; all others stay.
 */
export function mapParts(value: unknown, replace: (part: unknown) => unknown): unknown {
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) {
    const parts = value.map((part) => mapParts(part, replace));
    const { skipped } = value as StoredArrays; // which stands beside the parts
    return skipped ? Object.assign(parts, { skipped }) : parts;
  }
  if (!isPlain(value)) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, mapParts(part, replace)]);
  return Object.fromEntries(parts);
}

/**
 * Copies of the arrays and buffers in a message, which are transferred, so that the caller keeps its own. Of a
 * view only its bytes are copied; cloning would copy its whole buffer, such as the pool that Node's Buffers
 * share.
 */
export class Copies {
  readonly transfer: ArrayBuffer[] = [];

  /** A copy of an array or buffer; undefined for anything else. */
  of(part: unknown): unknown {
    const bytes = bytesOf(part);
    if (!bytes) return undefined;
    const { buffer } = copyOf(bytes);
    this.transfer.push(buffer);
    if (!ArrayBuffer.isView(part)) return buffer;
    const kind = (arrayKind(part) ?? 'DataView') as 'Uint8Array';
    return new globalThis[kind](buffer);
  }
}

/** The buffer of an answer that is an array. It can be transferred, since the Worker has made it for the answer. */
export function handedOver(value: unknown): ArrayBuffer[] {
  const whole = arrayKind(value) !== undefined && (value as Uint8Array);
  return whole && isOwnBuffer(whole.buffer) && whole.byteLength === whole.buffer.byteLength
    ? [whole.buffer]
    : [];
}

const aborting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `abort` when the signal aborts, unless the returned function is called first. Listens once
 * for all that wait for a signal: Node takes more than ten listeners for a leak, and warns.
 */
export function whenAborted(signal: AbortSignal, abort: () => void): () => void {
  let waiting = aborting.get(signal);
  if (!waiting) {
    const all = (waiting = new Set<() => void>());
    aborting.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
  }
  const set = waiting.add(abort);
  return () => set.delete(abort);
}
