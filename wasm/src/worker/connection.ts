// The connection of a page to its Worker: requests, answers, and the local objects that stand for those in
// the Worker.
import { reasonOf } from '../describe.js';
import { Mask } from '../calls/mask.js';
import { TrilError, afterSteps } from '../error.js';
import { KeyValueCache } from '../key-value-cache.js';
import { copyOf, isError } from '../kinds.js';
import { OwnedObject } from '../owned.js';
import { Tensor } from '../tensor.js';
import type { Kind, Reference } from './held-kinds.js';
import { Copies, mapParts, whenAborted } from './line.js';
import type { Answer, Failure, Message, Port } from './line.js';
import { RemoteModel, RemoteStream } from './model.js';
import {
  RemoteDecodingSession,
  RemoteEncoder,
  RemoteKeyValueCache,
  RemoteMask,
  RemoteObject,
  RemoteTensor,
  RemoteTokenizer,
} from './remote.js';
import { checkAlive, forgotten, type Line, type RequestOptions } from './remote.js';
import { RemoteSequenceTrainer } from './sequence-trainer.js';
import { RemoteTrainer } from './trainer.js';
import { RemoteWordVectors } from './word-vectors.js';

function errorOf({ message, tril }: Failure): Error {
  if (!tril) return new Error(message);
  const { call, argument, problem, shapes, steps } = tril;
  return afterSteps(new TrilError(call, argument, problem, shapes), steps) as TrilError;
}

/** The classes of remote objects, by kind. */
const remotes = {
  tensor: RemoteTensor,
  mask: RemoteMask,
  cache: RemoteKeyValueCache,
  trainer: RemoteTrainer,
  sequenceTrainer: RemoteSequenceTrainer,
  wordVectors: RemoteWordVectors,
  model: RemoteModel,
  encoder: RemoteEncoder,
  session: RemoteDecodingSession,
  tokenizer: RemoteTokenizer,
  stream: RemoteStream,
} satisfies { [Each in Kind]: new (line: Line, reference: Reference) => RemoteObject };

/** The tensors and masks from which each mask was made, which must not be freed before it. */
const madeOf = new WeakMap<RemoteMask, readonly unknown[]>();

/** Connects to a Worker: requests go there, and its objects are referenced here. */
export function connect(port: Port<Message, Answer>): Line & { close(): void } {
  // The waiting requests with their arguments, none of which may be freed before the answer, which
  // may contain them.
  const waiting = new Map<
    number,
    {
      resolve(value: unknown): void;
      reject(reason: unknown): void;
      onMessage(answer: Answer): Promise<void>;
      values: readonly unknown[];
    }
  >();
  const known = new Map<number, WeakRef<RemoteObject>>();
  let lastId = 0;
  let closed: string | undefined;
  const end = (reason: string): void => {
    closed = reason;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };

  const encode = (call: string, value: unknown, copies: Copies): unknown => {
    const replace = (part: unknown) => {
      if ([Tensor, Mask, KeyValueCache, OwnedObject].some((kind) => part instanceof kind)) {
        throw new TrilError(call, 'values', 'belongs to this thread, not to the Worker');
      }
      if (!(part instanceof RemoteObject)) return copies.of(part);
      if (part.line !== line) {
        throw new TrilError(call, 'values', 'belongs to another Worker');
      }
      checkAlive(part, call, 'values');
      return { $reference: part.reference };
    };
    try {
      return mapParts(value, replace);
    } catch (error) {
      if (!isError(error) || error.name !== 'RangeError') throw error; // of the call stack
      throw new TrilError(call, 'values', 'is nested too deeply, or within itself');
    }
  };
  const decode = (value: unknown, given: readonly unknown[]): unknown =>
    mapParts(value, (part) => {
      const { $reference, kind } = (part ?? {}) as Partial<Reference>;
      if ($reference === undefined || kind === undefined) return undefined;
      const there = known.get($reference)?.deref();
      if (there) return there;
      const made: RemoteObject = new remotes[kind](line, part as Reference);
      if (made instanceof RemoteMask) madeOf.set(made, given);
      known.set($reference, new WeakRef(made));
      forgotten.register(made, { line, reference: $reference }, made);
      return made;
    });

  /** Frees the results of an aborted call, except its `out`. */
  const discardMade = (value: unknown): void => {
    mapParts(value, (part) => {
      const { $reference } = (part ?? {}) as Partial<Reference>;
      if ($reference === undefined) return undefined;
      if (!known.get($reference)?.deref()) line.discard($reference);
      return null;
    });
  };

  port.listen(
    (answer) => {
      const { id, value, failure } = answer;
      const asked = waiting.get(id);
      if (answer.progress || answer.range) return void asked?.onMessage(answer);
      waiting.delete(id);
      port.wait(waiting.size > 0);
      if (failure) asked?.reject(errorOf(failure));
      else if (asked) asked.resolve(decode(value, asked.values));
      else discardMade(value);
    },
    (reason) => end(`the Worker has failed: ${reasonOf(reason)}`),
  );

  const line = {
    ask: (
      path: readonly string[],
      values: readonly unknown[],
      { on, signals = [], progress, chunk }: RequestOptions = {},
    ) =>
      new Promise<unknown>((resolve, reject) => {
        if (closed !== undefined) throw new Error(closed);
        signals.forEach((signal) => signal?.throwIfAborted());
        const id = ++lastId;
        const copies = new Copies();
        const encoded = values.map((value) => encode(path.join('.'), value, copies));
        port.send({ id, path, values: encoded, ...(on !== undefined && { on }) }, copies.transfer);
        const end = (reason: unknown): void => {
          settled();
          waiting.delete(id);
          port.wait(waiting.size > 0);
          port.send({ cancelled: id });
          reject(reason as Error);
        };
        const heard = signals.map((each) => each && whenAborted(each, () => end(each.reason)));
        const settled = () => heard.forEach((forget) => forget?.());
        waiting.set(id, {
          resolve: (value) => (settled(), resolve(value)),
          reject: (reason) => (settled(), reject(reason as Error)),
          onMessage: async (answer) => {
            try {
              if (answer.progress) return progress?.(...(answer.progress as never[]));
              const bytes = copyOf(await chunk!(...answer.range!));
              port.send({ chunkOf: id, bytes }, [bytes.buffer]);
            } catch (error) {
              end(error);
            }
          },
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
