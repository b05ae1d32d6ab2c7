// Tokenizers that live in the Worker.
import type { EncodedText, EncodeOptions } from '../tokenizer.js';
import type { NestedNumbers } from '../values.js';
import type { ReferenceOf } from './held-kinds.js';
import { RemoteObject, type Line } from './remote.js';

/** A `Tokenizer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTokenizer extends RemoteObject {
  /** Number of tokens. */
  readonly size: number;

  /** @internal Remote tokenizers are made by the calls of a Worker. */
  constructor(line: Line, reference: ReferenceOf<'tokenizer'>) {
    super(line, reference);
    this.size = reference.constants.size;
  }

  /** The tokens of a text. */
  async encode(text: string, options: EncodeOptions = {}): Promise<Int32Array> {
    return this.ask('encode', text, options) as Promise<Int32Array>;
  }

  /** The tokens of a text, and where each stands in it. */
  async encodeWithOffsets(text: string, options: EncodeOptions = {}): Promise<EncodedText> {
    return this.ask('encodeWithOffsets', text, options) as Promise<EncodedText>;
  }

  /** The text of tokens. */
  async decode(tokens: NestedNumbers | Int32Array): Promise<string> {
    return this.ask('decode', tokens) as Promise<string>;
  }

  /** The bytes of a `tokenizer.json`. */
  async export(): Promise<Uint8Array> {
    return this.ask('export') as Promise<Uint8Array>;
  }
}
