// Decoding sessions that live in the Worker.
import type { NestedNumbers } from '../values.js';
import type { ReferenceOf } from './held-kinds.js';
import { RemoteObject, type Line, type RemoteTensor } from './remote.js';

/** A `DecodingSession` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteDecodingSession extends RemoteObject {
  /** Maximum number of tokens. */
  readonly capacity: number;

  /** @internal Remote sessions are made by the calls of a Worker. */
  constructor(line: Line, reference: ReferenceOf<'session'>) {
    super(line, reference);
    this.capacity = reference.constants.capacity;
  }

  /** Number of tokens so far, when the calls asked for before are done. */
  async length(): Promise<number> {
    return this.ask('length') as Promise<number>;
  }

  /** Takes tokens that follow those there are, and gives the logits `[V]` after the last. */
  async append(tokens: NestedNumbers | Int32Array): Promise<RemoteTensor> {
    return this.ask('append', tokens) as Promise<RemoteTensor>;
  }

  /** Forgets all tokens from `length` on. */
  async rewind(length: number): Promise<this> {
    await this.ask('rewind', length);
    return this;
  }
}
