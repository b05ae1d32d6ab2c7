import type { Tensor } from './tensor.js';
import type { NestedNumbers } from './values.js';

export type { TrainingParts, TrainingStep } from './training-step.js';

/**
 * What a model is made of, as the core and `config.json` of its family know it; what is not given is
 * as the authors of the family have it, and sizes as in nanoGPT's recipe for characters.
 */
export interface ModelSettings {
  /**
   * GPT-2's shape (Radford et al. 2019), unless given, Llama's (Touvron et al. 2023), or Qwen2's (Yang
   * et al. 2024).
   */
  readonly family?: 'gpt2' | 'llama' | 'qwen2';
  /** In front of each sublayer. */
  readonly norm?: 'layer_norm' | 'rms_norm' | 'none';
  /** Vectors added to the embedding, or queries and keys turned, or nothing but the mask. */
  readonly positions?: 'learned' | 'rotary' | 'none';
  readonly feedForward?: 'gelu_tanh' | 'swiglu';
  /** Of linear layers and layer norms. */
  readonly biases?: boolean;
  /** Where there are no others: of queries, keys and values; Qwen2 has them. */
  readonly projectionBiases?: boolean;
  /** Logits by the embedding's matrix. */
  readonly tiedHead?: boolean;
  /** False: every token sees all others, as a masked encoder's. */
  readonly causal?: boolean;
  /** False: products of queries and keys are not divided by the root of a head's width. */
  readonly scaledScores?: boolean;
  /** False: what a sublayer gives takes the place of what it was given, which it is else added to. */
  readonly residual?: boolean;
  /** 4 unless given. */
  readonly layers?: number;
  /** How many heads of attention, which divide the width; 4 unless given. */
  readonly heads?: number;
  /** Heads of keys and values, which divide the heads; 0, unless given: as many. */
  readonly kvHeads?: number;
  /** Of the model; 128 unless given. */
  readonly width?: number;
  /** Inside feed-forward; 0, unless given: 4 times the width, for swiglu 8/3. */
  readonly hidden?: number;
  /** The most tokens that are seen at once; 64 unless given. */
  readonly context?: number;
  /**
   * How many tokens there are. Of text: at most so many, and unless given as many as its tokenizer
   * has. Of numbers: unless given one more than the largest.
   */
  readonly vocabulary?: number;
  /** What norms add to the variance; 1e-5 unless given. */
  readonly eps?: number;
  /** A position turns pair i by `rotaryBase^(-2 i / D)`; 10000 unless given. */
  readonly rotaryBase?: number;
  /** How these angles change, so that longer texts are read than those trained on; `'none'` unless given. */
  readonly rotaryScaling?: 'none' | 'linear' | 'dynamic' | 'llama3';
  /** By how much; above 0, of `dynamic` and `llama3` at least 1. 1 unless given. */
  readonly rotaryScalingFactor?: number;
  /** How many tokens the model was trained on at once; of `dynamic` and `llama3`. */
  readonly rotaryScalingOriginal?: number;
  /** Of `llama3`: what turns less often within `rotaryScalingOriginal` is slowed by all of the factor; 1 unless given. */
  readonly rotaryScalingLow?: number;
  /** Of `llama3`: what turns more often is not slowed; 4 unless given. */
  readonly rotaryScalingHigh?: number;
  /** The share of embeddings, and of what each sublayer adds, that is left out in training; 0 unless given. */
  readonly dropout?: number;
}

/** How a model is trained: AdamW unless said otherwise, clipping, a warm-up and half a cosine; nanoGPT's recipe unless given. */
export interface TrainingSettings {
  /** Windows whose gradients are computed at once; 12. */
  readonly batch?: number;
  /** Batches whose gradients make one step; 1. */
  readonly accumulation?: number;
  /** The highest, after the warm-up; 0.001. */
  readonly learningRate?: number;
  /** The rate at the end; a tenth of the highest. */
  readonly lowestRate?: number;
  /** Steps in which the rate rises; a twentieth of all. */
  readonly warmup?: number;
  /** In all, as the schedule counts them: further ones go on with the lowest rate; 2000. */
  readonly steps?: number;
  /** AdamW, or stochastic gradient descent, which takes a momentum and no betas; `'adamw'`. */
  readonly optimizer?: 'adamw' | 'sgd';
  /** How much of AdamW's first moment a step keeps; 0.9. */
  readonly beta1?: number;
  /** And of its second; 0.99. */
  readonly beta2?: number;
  /** What AdamW adds to the root of its second moment; 1e-8. */
  readonly eps?: number;
  /** Of SGD: how much of the last move a step keeps; 0. */
  readonly momentum?: number;
  /** Of matrices; 0.1. */
  readonly weightDecay?: number;
  /** The gradient's largest norm; 1. With 0 any. */
  readonly clip?: number;
  /** Of weights, windows, samples and dropout; 1337. */
  readonly seed?: number;
  /** The targets: the token after each, unless given, or tokens that were hidden. */
  readonly objective?: 'next' | 'masked';
  /** What hides a token; the last of the vocabulary unless given. */
  readonly maskToken?: number;
  /** Below which a hidden token is replaced by a random one; all but the last unless given. */
  readonly maskVocabulary?: number;
}

/** Sequences and what is to be said of each of their tokens, in one shape. */
export interface TokenBatch {
  /** `[B, T]`, or `[T]`; in a typed array rows as long as the context, or one that is shorter. */
  readonly tokens: NestedNumbers | Int32Array;
  /** The targets; -100 where there is none. */
  readonly targets: NestedNumbers | Int32Array;
}

/** What `tril.trainer` is made from. */
export interface TrainerOptions extends TrainingSettings {
  readonly model?: ModelSettings;
  /**
   * What is learned from: a text, or its bytes in UTF-8, or tokens that are numbers already. The last
   * tenth is kept for `evaluate`. Unless given, each step takes one of `batches`, or its own.
   */
  readonly data?: string | Uint8Array | Int32Array;
  /** A batch for each step, where there is no data. */
  readonly batches?: Iterable<TokenBatch>;
  /** What makes tokens of a text: `'chars'` unless given. */
  readonly tokenizer?: 'bytes' | 'chars' | 'words' | 'bpe';
  /**
   * What `save` gave, to go on from: settings that are not given are its own, and those that are must
   * be the same, but for `steps`. So must the data.
   */
  readonly checkpoint?: Uint8Array;
}

/** All settings of a trainer. */
export interface TrainerSettings extends Required<TrainingSettings> {
  readonly model: Required<ModelSettings>;
}

/** What a part of a step costs. */
export interface PartCost {
  /** Floating-point operations. */
  readonly flops: number;
  /** That are read and written, once each. */
  readonly bytes: number;
}

/** What a model says of targets. */
export interface TrainingLoss {
  /** The mean, in nats; 0 where no target counts. */
  readonly loss: number;
  /** How many targets count. */
  readonly counted: number;
  /** For how many of them the target is what the model holds most likely. */
  readonly correct: number;
}

/** How tokens are drawn. */
export interface GenerateOptions {
  /** What they follow; unless given, the first token of what is not trained on. */
  readonly prompt?: NestedNumbers | Int32Array;
  /** How many; 100 unless given. */
  readonly tokens?: number;
  /** Logits are divided by it; 0: always the most likely; 0.8 unless given. */
  readonly temperature?: number;
  /** Only so many of the most likely; 0: all; 200 unless given. */
  readonly topK?: number;
  /** Unless given, the trainer's and the number of its steps. */
  readonly seed?: number;
}

/** How a text is drawn. */
export interface SampleOptions extends Omit<GenerateOptions, 'prompt'> {
  /** What it follows; unless given, the first token of what is not trained on. */
  readonly prompt?: string;
}

/** What a model makes of tokens; `[T, ...]` without B where one sequence was given. */
export interface TrainerTrace {
  /** `[B, T, V]` */
  readonly logits: Tensor;
  readonly layers: readonly {
    /** Of attention, after softmax, `[B, H, T, T]`. */
    readonly weights: Tensor;
  }[];
}

/** AdamW's, by the names of the parameters. */
export interface Moments {
  /** The running average of the gradient; of SGD its momentum. */
  readonly first: Record<string, Tensor>;
  /** And of its square; of SGD nothing. */
  readonly second: Record<string, Tensor>;
}

/** A model as other libraries open it. */
export interface ModelFiles {
  readonly 'model.safetensors': Uint8Array;
  readonly 'config.json': Uint8Array;
  /** Where it has learned text. */
  readonly 'tokenizer.json'?: Uint8Array;
}
