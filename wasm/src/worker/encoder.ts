// Sentence encoders that live in the Worker: the same calls as promises.
import type { EncodedTokens, EncoderSettings } from '../encoder-types.js';
import type { ModelAttention, ModelParameters } from '../model-types.js';
import type { NestedNumbers } from '../values.js';
import type { ReferenceOf } from './held-kinds.js';
import { RemoteObject, type Line, type RemoteTensor, type RemoteValue } from './remote.js';

/** An `Encoder` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteEncoder extends RemoteObject {
  /** The contents of its `config.json`, as Tril would write it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The number of its parameters, their types, and their bytes. */
  readonly parameters: ModelParameters;
  /** How it makes a sentence's vector. */
  readonly settings: EncoderSettings;

  /** @internal Remote encoders are made by the calls of a Worker. */
  constructor(line: Line, reference: ReferenceOf<'encoder'>) {
    super(line, reference);
    const { config, parameters, settings } = reference.constants;
    this.config = Object.freeze(config);
    this.parameters = Object.freeze(parameters);
    this.settings = Object.freeze(settings);
  }

  /** The vector of a text, or those of several. */
  async encode(texts: string | readonly string[]): Promise<RemoteTensor> {
    return this.ask('encode', texts) as Promise<RemoteTensor>;
  }

  /** The cosines of the angles between texts or vectors. */
  async similarity(
    a: readonly string[] | RemoteTensor,
    b: readonly string[] | RemoteTensor = a,
  ): Promise<RemoteTensor> {
    return this.ask('similarity', a, b) as Promise<RemoteTensor>;
  }

  /** What every head looks at in a text. */
  async attention(text: string): Promise<RemoteValue<ModelAttention>> {
    return this.ask('attention', text) as Promise<RemoteValue<ModelAttention>>;
  }

  /** The vectors of a text's tokens. */
  async hidden(text: string): Promise<RemoteValue<EncodedTokens>> {
    return this.ask('hidden', text) as Promise<RemoteValue<EncodedTokens>>;
  }

  /** The text of tokens. */
  async decode(tokens: NestedNumbers | Int32Array): Promise<string> {
    return this.ask('decode', tokens) as Promise<string>;
  }
}
