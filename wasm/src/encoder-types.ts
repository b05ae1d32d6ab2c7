import type { Tensor } from './tensor.js';

/** How an encoder makes a sentence's vector. */
export interface EncoderSettings {
  /** How many numbers a vector has, C. */
  readonly width: number;
  /** The mean of the tokens' vectors, that of the first token, or the largest of each element. */
  readonly pooling: 'mean' | 'cls' | 'max';
  /** Whether vectors have length 1. */
  readonly normalised: boolean;
  /** Longer texts lose their ends; the tokens that stand around each text are counted. */
  readonly maxTokens: number;
}

/** A text as the encoder's last layer has it. */
export interface EncodedTokens {
  /** The tokens of the text, `[T]`, with those that stand around it. */
  readonly tokens: Int32Array;
  /** The vector of each, `[T, C]`, of which pooling makes the sentence's. */
  readonly vectors: Tensor;
}
