import type { TrainingSettings } from './trainer-types.js';
import type { NestedNumbers } from './values.js';

/** What an encoder-decoder is made of: `nn.Transformer`'s settings, with its defaults, and what is around it. */
export interface SequenceModelSettings {
  /** How many tokens there are in sources. */
  readonly sourceVocabulary?: number;
  /** How many there are in targets. */
  readonly targetVocabulary?: number;
  /** The most tokens of a source or a target; 64 unless given. */
  readonly context?: number;
  /** Of the source; 6 unless given. */
  readonly encoderLayers?: number;
  /** Of the target; 6 unless given. */
  readonly decoderLayers?: number;
  /** How many heads of attention, which divide the width; 8 unless given. */
  readonly heads?: number;
  /** Of the model, even; 512 unless given. */
  readonly width?: number;
  /** Inside feed-forward; 2048 unless given. */
  readonly hidden?: number;
  /** Where the norms are: behind each sublayer, unless given, or in front of it. */
  readonly norm?: 'post' | 'pre';
  /** Of feed-forward; `'relu'` unless given. */
  readonly activation?: 'relu' | 'gelu' | 'gelu_tanh' | 'silu';
  /**
   * Sines and cosines added to what is embedded, unless given, or queries and keys of self-attention
   * turned by their positions.
   */
  readonly positions?: 'sinusoidal' | 'rotary';
  /** Feed-forward with a gate, as `gatedFeedForward`: twice the rows in its first matrix. False unless given. */
  readonly gated?: boolean;
  /** What norms add to the variance; 1e-5 unless given. */
  readonly eps?: number;
  /**
   * The share that is left out in training, as in `nn.Transformer` and of embeddings, from 0 to below 1:
   * a step's number and the seed decide what. 0 unless given; `nn.Transformer`'s default is 0.1.
   */
  readonly dropout?: number;
}

/**
 * How it is trained: AdamW with the betas and eps of Vaswani et al. 2017, 0.9, 0.98 and 1e-9, without
 * weight decay; all else as in `TrainingSettings`.
 */
export type SequenceTrainingSettings = Pick<
  TrainingSettings,
  | 'learningRate'
  | 'lowestRate'
  | 'warmup'
  | 'steps'
  | 'beta1'
  | 'beta2'
  | 'eps'
  | 'weightDecay'
  | 'clip'
  | 'seed'
>;

/** Sequences that are computed together; without B one of each. A typed array is one sequence. */
export interface SequenceBatch {
  /** `[B, S]` */
  readonly source: NestedNumbers | Int32Array;
  /** What the decoder is given, `[B, T]`: a token to begin with, and the answers but for the last. */
  readonly target: NestedNumbers | Int32Array;
  /** What it is to say after each of these, `[B, T]`; -100 where nothing counts. */
  readonly answers: NestedNumbers | Int32Array;
}

/** What a step takes: a batch, or several, of any lengths, whose gradients are added up. */
export type SequenceBatches = SequenceBatch | readonly SequenceBatch[];

/** What `sequenceTrainer` is made from. */
export interface SequenceTrainerOptions extends SequenceTrainingSettings {
  readonly model?: SequenceModelSettings;
  /** What each step takes; unless given, each is given its own. */
  readonly batches?: Iterable<SequenceBatches>;
  /**
   * What `save` gave, to go on from: settings that are not given are its own, and those that are must
   * be the same, but for `steps`.
   */
  readonly checkpoint?: Uint8Array;
}

/** All settings of a trainer of sequences. */
export interface SequenceTrainerSettings extends Required<SequenceTrainingSettings> {
  readonly model: Required<SequenceModelSettings>;
}

/** How a target is said. */
export interface TranslateOptions {
  /** The token that it begins with; 0 unless given. */
  readonly begin?: number;
  /** The token that it ends with; unless given, there is none. */
  readonly end?: number;
  /** The most tokens that are said; unless given, as many as the context has. */
  readonly tokens?: number;
}

/** How sequences of a task are drawn. */
export interface DrawSequencesOptions {
  /** How many sequences; 32 unless given. */
  readonly batch?: number;
  /** Of how many tokens each; 6 unless given. */
  readonly tokens?: number;
  /** Sources are of the tokens from 1 to below it; 9 unless given. */
  readonly vocabulary?: number;
  /** 1 unless given. */
  readonly seed?: number;
  /** The number of the batch: another one, another batch of the same seed; 0 unless given. */
  readonly step?: number;
}

/** What `drawSequences` gives, each `[batch, tokens]`. */
export interface DrawnSequences extends SequenceBatch {
  readonly source: number[][];
  /** 0, and the answers but for the last. */
  readonly target: number[][];
  readonly answers: number[][];
}
