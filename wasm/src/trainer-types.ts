import type { DrawOptions } from './generation-types.js';
import type { Tensor } from './tensor.js';
import type { NestedNumbers } from './values.js';

export type { TrainingParts, TrainingStep } from './training-step.js';

/**
 * The settings of a model, by the names of the core and of the family's `config.json`. Defaults are those of the
 * family's authors, and for sizes those of nanoGPT's recipe for characters.
 */
export interface ModelSettings {
  /**
   * Family of the model, by its `model_type` in Hugging Face's files (default `'gpt2'`).
   */
  readonly family?:
    | ('gpt2' | 'llama' | 'qwen2' | 'qwen3' | 'mistral' | 'olmo2' | 'gpt_neox' | 'phi3')
    | ('gemma2' | 'gemma3_text' | 'starcoder2' | 'stablelm' | 'smollm3');
  /** Norm of each sublayer. */
  readonly norm?: 'layer_norm' | 'rms_norm' | 'none';
  /** The norm of a sublayer: of its input, of its output (OLMo 2), or of both (Gemma). */
  readonly normPlace?: 'before' | 'after' | 'around';
  /** Positions: vectors added to the embedding, rotations of queries and keys, or the mask alone. */
  readonly positions?: 'learned' | 'rotary' | 'none';
  /** Activation of the feed-forward layers. */
  readonly feedForward?:
    'gelu_tanh' | 'swiglu' | 'gelu' | 'geglu' | 'geglu_tanh' | 'relu' | 'reglu';
  /** Whether linear layers and layer norms have biases. */
  readonly biases?: boolean;
  /** Whether queries, keys and values have biases even where other layers have none, as in Qwen2. */
  readonly projectionBiases?: boolean;
  /**
   * Whether queries, keys, values and attention's output have biases even where other layers have none, as in some
   * relatives of Llama.
   */
  readonly attentionBiases?: boolean;
  /** Whether feed-forward layers have biases even where other layers have none. */
  readonly feedForwardBiases?: boolean;
  /** Whether layer norms have biases even where other layers have none, as in StableLM. */
  readonly normBiases?: boolean;
  /** Whether queries and keys are normalised, each head by itself, as in Qwen3. */
  readonly queryKeyNorm?: boolean;
  /** Whether queries and keys are normalised over all heads of a token together, as in OLMo 2. */
  readonly jointHeadsNorm?: boolean;
  /** Whether both sublayers read the layer's input, as in GPT-NeoX; else the second reads the first's output. */
  readonly parallel?: boolean;
  /** Whether embeddings are multiplied by the root of the width, as in Gemma. */
  readonly scaledEmbedding?: boolean;
  /** Whether the head shares the embedding's matrix. */
  readonly tiedHead?: boolean;
  /** Whether a token sees only itself and the tokens before it; in a masked encoder it sees all. */
  readonly causal?: boolean;
  /** Whether products of queries and keys are divided by the root of a head's width. */
  readonly scaledScores?: boolean;
  /** Whether a sublayer's output is added to its input; else it replaces it. */
  readonly residual?: boolean;
  /** Number of layers (default 4). */
  readonly layers?: number;
  /** Number of attention heads, a divisor of the width where `headDim` is 0 (default 4). */
  readonly heads?: number;
  /** Number of heads of keys and values, a divisor of `heads` (default 0: as many as `heads`). */
  readonly kvHeads?: number;
  /** Width of a head (default 0: `width / heads`). */
  readonly headDim?: number;
  /** Width of the model (default 128). */
  readonly width?: number;
  /** Width inside feed-forward layers (default 0: 4 times the width, with a gate 8/3). */
  readonly hidden?: number;
  /** Maximum number of tokens seen at once (default 64). */
  readonly context?: number;
  /**
   * Size of the vocabulary. For text, a maximum (default: the size of its tokenizer). For tokens, the size itself
   * (default: one more than the largest).
   */
  readonly vocabulary?: number;
  /** Number that norms add to the variance (default 1e-5). */
  readonly eps?: number;
  /** Maximum number of keys that a query sees, its own included; 0: all before it (default: the family's; Llama's is 0). */
  readonly window?: number;
  /** Every nth layer sees all keys, whatever the window; 0: none does (default: the family's; Llama's is 0). */
  readonly windowPeriod?: number;
  /**
   * Base of the rotary angles: a position turns pair i by `rotaryBase^(-2 i / R)`, with R elements of a head turned
   * (default: the family's; Llama's is 10000).
   */
  readonly rotaryBase?: number;
  /** Base of the angles in layers with a window; 0: the same (default: the family's; Llama's is 0). */
  readonly rotaryLocalBase?: number;
  /** R, the number of elements of a head that are turned (default 0: all). */
  readonly rotaryWidth?: number;
  /**
   * Every nth layer does not rotate queries and keys; 0: all layers rotate them (default: the family's; Llama's
   * is 0).
   */
  readonly rotaryPeriod?: number;
  /** Number whose root divides the scores; 0: the width of a head (default: the family's; Llama's is 0). */
  readonly queryScale?: number;
  /**
   * Whether the scores of layer n, from 0, are also divided by n + 1, as in some relatives of
   * GPT-2.
   */
  readonly layerScale?: boolean;
  /** Soft cap c of scores, which become `c tanh(score / c)`; 0: none (default: the family's; Llama's is 0). */
  readonly scoreCap?: number;
  /** Soft cap of logits, by the same formula; 0: none (default: the family's; Llama's is 0). */
  readonly logitCap?: number;
  /** Scaling of the rotary angles, for texts longer than those trained on (default `'none'`). */
  readonly rotaryScaling?: 'none' | 'linear' | 'dynamic' | 'llama3' | 'longrope';
  /** Factor of that scaling: above 0, for `dynamic` and `llama3` at least 1 (default 1). */
  readonly rotaryScalingFactor?: number;
  /** Number of tokens the model was trained on at once; for `dynamic`, `llama3` and `longrope`. */
  readonly rotaryScalingOriginal?: number;
  /** For `llama3`: pairs that turn less often than this within `rotaryScalingOriginal` are slowed by the whole factor (default 1). */
  readonly rotaryScalingLow?: number;
  /** For `llama3`: pairs that turn more often than this are not slowed (default 4). */
  readonly rotaryScalingHigh?: number;
  /**
   * For `longrope`: factor by which each pair is slowed in texts of up to `rotaryScalingOriginal` tokens, `[R / 2]`.
   */
  readonly rotaryScalingShort?: readonly number[];
  /** For `longrope`: the same in longer texts. */
  readonly rotaryScalingLong?: readonly number[];
  /** For `longrope`: factor of cosines and sines (default 1). */
  readonly rotaryScalingMagnitude?: number;
  /** Dropout probability of embeddings and of sublayers' outputs in training (default 0). */
  readonly dropout?: number;
}

/** The settings of training: an optimizer, clipping, a warm-up and half a cosine. Defaults are those of nanoGPT's recipe. */
export interface TrainingSettings {
  /** Number of windows whose gradients are computed at once (default 12). */
  readonly batch?: number;
  /** Number of batches whose gradients make one step (default 1). */
  readonly accumulation?: number;
  /** Highest learning rate, after the warm-up (default 0.001). */
  readonly learningRate?: number;
  /** Learning rate at the end (default: a tenth of the highest). */
  readonly lowestRate?: number;
  /** Number of steps in which the rate rises (default: a twentieth of all steps). */
  readonly warmup?: number;
  /** Number of steps of the schedule; later steps keep the lowest rate (default 2000). */
  readonly steps?: number;
  /**
   * Optimizer: AdamW, or stochastic gradient descent, which takes a momentum and no betas (default
   * `'adamw'`).
   */
  readonly optimizer?: 'adamw' | 'sgd';
  /** Share of AdamW's first moment that a step keeps (default 0.9). */
  readonly beta1?: number;
  /** Share of AdamW's second moment that a step keeps (default 0.99). */
  readonly beta2?: number;
  /** Number that AdamW adds to the root of its second moment (default 1e-8). */
  readonly eps?: number;
  /** For SGD: share of the last update that a step keeps (default 0). */
  readonly momentum?: number;
  /** Weight decay of matrices (default 0.1). */
  readonly weightDecay?: number;
  /** Maximum norm of the gradient; 0: unlimited (default 1). */
  readonly clip?: number;
  /** Seed of weights, windows, samples and dropout (default 1337). */
  readonly seed?: number;
  /** The targets: the token after each, or hidden tokens (default `'next'`). */
  readonly objective?: 'next' | 'masked';
  /** Token that hides another (default: the last of the vocabulary). */
  readonly maskToken?: number;
  /** Size of the vocabulary of random tokens that replace some hidden ones (default: all but the last). */
  readonly maskVocabulary?: number;
}

/** An adapter (LoRA): `alpha / rank` times a product B A is added to a matrix W, and only A and B are trained. */
export interface LoraSettings {
  /** Number of rows of A and of columns of B, at most the model's width (default 8). */
  readonly rank?: number;
  /** The factor of the product, before it is divided by the rank (default 8). */
  readonly alpha?: number;
  /**
   * Matrices to change, by the ends of their names in the model's files, such as `'v_proj'` or `'mlp.c_proj'`
   * (default: PEFT's, `['q_proj', 'v_proj']`, or the one matrix that contains both, such as GPT-2's `'c_attn'`).
   */
  readonly targets?: readonly string[];
}

/** Sequences, and a target for each of their tokens, in the same shape. */
export interface TokenBatch {
  /** `[B, T]`, or `[T]`; in a typed array rows of the context's length, or one shorter row. */
  readonly tokens: NestedNumbers | Int32Array;
  /** The targets; -100 stands for none. */
  readonly targets: NestedNumbers | Int32Array;
}

/** All settings of a trainer. */
export interface TrainerSettings extends Required<TrainingSettings> {
  readonly model: Required<ModelSettings>;
  /** The options of an adapter; missing where the whole model is trained. */
  readonly lora?: Required<LoraSettings>;
}

/** The cost of a part of a step. */
export interface PartCost {
  /** Floating-point operations. */
  readonly flops: number;
  /** Bytes read and written, each counted once. */
  readonly bytes: number;
}

/** The loss of a model on targets. */
export interface TrainingLoss {
  /** Mean loss in nats; 0 where no target counts. */
  readonly loss: number;
  /** Number of targets that count. */
  readonly counted: number;
  /** Number of targets that the model holds most likely. */
  readonly correct: number;
}

/** The options of a trainer's text. */
export interface TrainerTextOptions extends DrawOptions {
  /** Ends the text when it aborts. */
  readonly signal?: AbortSignal;
}

/** The options of drawing tokens. */
export interface GenerateOptions extends DrawOptions {
  /** Tokens before the drawn ones (default: the first token of the data kept for `evaluate`). */
  readonly prompt?: NestedNumbers | Int32Array;
  /** @deprecated The old name of `maxTokens`. */
  readonly tokens?: number;
}

/** The options of drawing a text. */
export interface SampleOptions extends Omit<GenerateOptions, 'prompt'> {
  /** Text before the drawn one (default: the first token of the data kept for `evaluate`). */
  readonly prompt?: string;
}

/** The trace of a model; shapes have no B for a single sequence. */
export interface TrainerTrace {
  /** Logits `[B, T, V]`. */
  readonly logits: Tensor;
  readonly layers: readonly {
    /** Attention weights after softmax, `[B, H, T, T]`. */
    readonly weights: Tensor;
  }[];
}

/** The moments of the optimizer, by the names of the parameters. */
export interface Moments {
  /** Running average of the gradient; for SGD its momentum. */
  readonly first: Record<string, Tensor>;
  /** Running average of the squared gradient; empty for SGD. */
  readonly second: Record<string, Tensor>;
}

/** An adapter as files that PEFT, Hugging Face's library, opens. */
export interface AdapterFiles {
  readonly 'adapter_config.json': Uint8Array;
  readonly 'adapter_model.safetensors': Uint8Array;
}

/** A model as files that other libraries open. */
export interface ModelFiles {
  readonly 'model.safetensors': Uint8Array;
  readonly 'config.json': Uint8Array;
  /** Tokenizer, if the model has learned text. */
  readonly 'tokenizer.json'?: Uint8Array;
}
