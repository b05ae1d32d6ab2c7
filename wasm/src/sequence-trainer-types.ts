import type { TrainingSettings } from './trainer-types.js';
import type { NestedNumbers } from './values.js';

/**
 * The settings of an encoder-decoder: those of `nn.Transformer`, with its defaults, of the embeddings and of the head.
 */
export interface SequenceModelSettings {
  /** Number of source tokens in the vocabulary. */
  readonly sourceVocabulary?: number;
  /** Number of target tokens in the vocabulary. */
  readonly targetVocabulary?: number;
  /** Number of tokens of a source or a target, at most (default 64). */
  readonly context?: number;
  /** Number of layers of the encoder (default 6). */
  readonly encoderLayers?: number;
  /** Number of layers of the decoder (default 6). */
  readonly decoderLayers?: number;
  /** Number of heads of attention, a divisor of the width (default 8). */
  readonly heads?: number;
  /** Width of the model, even (default 512). */
  readonly width?: number;
  /** Width inside the feed-forward (default 2048). */
  readonly hidden?: number;
  /** The position of norms: after each sublayer, or before it (default `'post'`). */
  readonly norm?: 'post' | 'pre';
  /** Activation of the feed-forward (default `'relu'`). */
  readonly activation?: 'relu' | 'gelu' | 'gelu_tanh' | 'silu';
  /**
   * How positions enter: sines and cosines are added to the embeddings, or queries and keys of
   * self-attention are turned by their positions (default `'sinusoidal'`).
   */
  readonly positions?: 'sinusoidal' | 'rotary';
  /** Whether the feed-forward has a gate, as `gatedFeedForward`, with twice the rows in its first matrix (default false). */
  readonly gated?: boolean;
  /** Number that the norms add to the variance (default 1e-5). */
  readonly eps?: number;
  /**
   * The share that is left out in training, as in `nn.Transformer` and of embeddings, from 0 to below 1:
   * a step's number and the seed decide what (default 0; `nn.Transformer` has 0.1).
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
  /** The input of the decoder, `[B, T]`: a first token, and the labels without the last. */
  readonly target: NestedNumbers | Int32Array;
  /** The expected output after each token of `target`, `[B, T]`; -100 where it does not count. */
  readonly labels: NestedNumbers | Int32Array;
}

/** A `SequenceBatch` with the old name of its labels, which stays for one version. */
export interface OldSequenceBatch extends Omit<SequenceBatch, 'labels'> {
  /** @deprecated The old name of `labels`. */
  readonly answers: NestedNumbers | Int32Array;
}

/** The input of a step: a batch, or several, of any lengths, whose gradients are added up. */
export type SequenceBatches =
  SequenceBatch | OldSequenceBatch | readonly (SequenceBatch | OldSequenceBatch)[];

/** The options of `sequenceTrainer`. */
export interface SequenceTrainerOptions extends SequenceTrainingSettings {
  readonly model?: SequenceModelSettings;
  /** The batches of the steps (default: each call of `step` has its own). */
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

/** The options of greedy decoding. */
export interface TranslateOptions {
  /** Token that the target begins with (default 0). */
  readonly begin?: number;
  /** Token that the target ends with (default: none). */
  readonly end?: number;
  /** Number of tokens, at most (default: as many as the context has). */
  readonly tokens?: number;
}

/** The options of `drawSequences`. */
export interface DrawSequencesOptions {
  /** Number of sequences (default 32). */
  readonly batch?: number;
  /** Number of tokens of each (default 6). */
  readonly tokens?: number;
  /** Bound of the tokens of sources, which are from 1 to below it (default 9). */
  readonly vocabulary?: number;
  /** Seed of the draws (default 1). */
  readonly seed?: number;
  /** Number of the batch among those of the seed (default 0). */
  readonly step?: number;
}

/** The result of `drawSequences`; each part is `[batch, tokens]`. */
export interface DrawnSequences extends SequenceBatch {
  readonly source: number[][];
  /** 0, and the labels but for the last. */
  readonly target: number[][];
  readonly labels: number[][];
  /** @deprecated The old name of `labels`. */
  readonly answers: number[][];
}
