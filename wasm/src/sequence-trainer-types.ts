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
  /** Maximum number of tokens of a source or a target (default 64). */
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
   * Encoding of positions: sines and cosines added to the embeddings, or rotations of queries and
   * keys of self-attention (default `'sinusoidal'`).
   */
  readonly positions?: 'sinusoidal' | 'rotary';
  /**
   * Whether the feed-forward has a gate, as in `gatedFeedForward`, with twice the rows in its first matrix (default false).
   */
  readonly gated?: boolean;
  /** Number that the norms add to the variance (default 1e-5). */
  readonly eps?: number;
  /**
   * Dropout probability in training, as in `nn.Transformer`, and of embeddings, from 0 to below 1. The
   * number of the step and the seed determine what is dropped (default 0; `nn.Transformer` has 0.1).
   */
  readonly dropout?: number;
}

/**
 * The settings of training: AdamW with the betas and eps of Vaswani et al. 2017, 0.9, 0.98 and 1e-9,
 * without weight decay; all else as in `TrainingSettings`.
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

/** Sequences that are computed together; without B, one of each. A typed array is one sequence. */
export interface SequenceBatch {
  /** `[B, S]` */
  readonly source: NestedNumbers | Int32Array;
  /** The input of the decoder, `[B, T]`: a first token, followed by all labels but the last. */
  readonly target: NestedNumbers | Int32Array;
  /** The expected output after each token of `target`, `[B, T]`; -100 is ignored. */
  readonly labels: NestedNumbers | Int32Array;
}

/** A `SequenceBatch` with the old name of its labels, kept for one version. */
export interface OldSequenceBatch extends Omit<SequenceBatch, 'labels'> {
  /** @deprecated The old name of `labels`. */
  readonly answers: NestedNumbers | Int32Array;
}

/** The input of a step: one batch, or several, of any lengths, whose gradients are added up. */
export type SequenceBatches =
  SequenceBatch | OldSequenceBatch | readonly (SequenceBatch | OldSequenceBatch)[];

/** The options of `sequenceTrainer`. */
export interface SequenceTrainerOptions extends SequenceTrainingSettings {
  readonly model?: SequenceModelSettings;
  /** The batches of the steps (default: each call of `step` has its own). */
  readonly batches?: Iterable<SequenceBatches>;
  /**
   * Checkpoint of `save` to resume from. Settings that are given must be those of the checkpoint,
   * except `steps`.
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
  /** Maximum number of tokens (default: the context). */
  readonly tokens?: number;
}

/** The options of `drawSequences`. */
export interface DrawSequencesOptions {
  /** Number of sequences (default 32). */
  readonly batch?: number;
  /** Number of tokens in each (default 6). */
  readonly tokens?: number;
  /** Upper bound of the tokens of sources, which are from 1 to below it (default 9). */
  readonly vocabulary?: number;
  /** Seed of the draws (default 1). */
  readonly seed?: number;
  /** Number of the batch among the batches of a seed (default 0). */
  readonly step?: number;
}

/** The result of `drawSequences`; each part is `[batch, tokens]`. */
export interface DrawnSequences extends SequenceBatch {
  readonly source: number[][];
  /** The input of the decoder: 0, followed by all labels but the last. */
  readonly target: number[][];
  readonly labels: number[][];
  /** @deprecated The old name of `labels`. */
  readonly answers: number[][];
}
