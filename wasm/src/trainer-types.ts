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
  /** Whether queries, keys and values have biases where no other layer has; Qwen2's have. */
  readonly projectionBiases?: boolean;
  /** Whether they and attention's output have biases where no other layer has; those of some of Llama's kin have. */
  readonly attentionBiases?: boolean;
  /** Whether feed-forward layers have biases where no other layer has. */
  readonly feedForwardBiases?: boolean;
  /** Whether layer norms have biases where no other layer has; StableLM's have. */
  readonly normBiases?: boolean;
  /** Whether queries and keys are normalised, each head by itself; Qwen3's are. */
  readonly queryKeyNorm?: boolean;
  /** Whether they are normalised over all heads of a token together; OLMo 2's are. */
  readonly jointHeadsNorm?: boolean;
  /** Whether both sublayers are functions of the layer's input, as in GPT-NeoX; else the second is of the first's output. */
  readonly parallel?: boolean;
  /** Whether embeddings are multiplied by the root of the width, as Gemma's are. */
  readonly scaledEmbedding?: boolean;
  /** Whether the head is the embedding's matrix. */
  readonly tiedHead?: boolean;
  /** Whether a token sees only those before it; in a masked encoder it sees all. */
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
  /** Number of keys that a query sees at most, its own included; 0: all before it (default: the family's; Llama's is 0). */
  readonly window?: number;
  /** Every nth layer sees all keys, whatever the window; 0: none does (default: the family's; Llama's is 0). */
  readonly windowPeriod?: number;
  /**
   * Base of the rotary angles: a position turns pair i by `rotaryBase^(-2 i / R)`, with R elements of a head turned
   * (default: the family's; Llama's is 10000).
   */
  readonly rotaryBase?: number;
  /** Base of them in layers with a window; 0: the same (default: the family's; Llama's is 0). */
  readonly rotaryLocalBase?: number;
  /** R, the number of elements of a head that are turned (default 0: all). */
  readonly rotaryWidth?: number;
  /** Every nth layer turns no queries and keys; 0: all layers turn them (default: the family's; Llama's is 0). */
  readonly rotaryPeriod?: number;
  /** Scores are divided by the root of this; 0: of a head's width (default: the family's; Llama's is 0). */
  readonly queryScale?: number;
  /** Whether scores of layer n, from 0, are divided by n + 1, too, as in some of GPT-2's kin. */
  readonly layerScale?: boolean;
  /** Soft cap c of scores, which become `c tanh(score / c)`; 0: none (default: the family's; Llama's is 0). */
  readonly scoreCap?: number;
  /** Soft cap of logits, alike; 0: none (default: the family's; Llama's is 0). */
  readonly logitCap?: number;
  /** Scaling of these angles, for texts longer than those trained on (default `'none'`). */
  readonly rotaryScaling?: 'none' | 'linear' | 'dynamic' | 'llama3' | 'longrope';
  /** Factor of that scaling: above 0, for `dynamic` and `llama3` at least 1 (default 1). */
  readonly rotaryScalingFactor?: number;
  /** Number of tokens the model was trained on at once; for `dynamic`, `llama3` and `longrope`. */
  readonly rotaryScalingOriginal?: number;
  /** For `llama3`: pairs that turn less often than this within `rotaryScalingOriginal` are slowed by the whole factor (default 1). */
  readonly rotaryScalingLow?: number;
  /** For `llama3`: pairs that turn more often than this are not slowed (default 4). */
  readonly rotaryScalingHigh?: number;
  /** For `longrope`: by how much each pair is slowed in texts of up to `rotaryScalingOriginal` tokens, `[R / 2]`. */
  readonly rotaryScalingShort?: readonly number[];
  /** For `longrope`: the same in longer texts. */
  readonly rotaryScalingLong?: readonly number[];
  /** For `longrope`: what cosines and sines are multiplied by (default 1). */
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
  /** Learning rate after the warm-up, the highest (default 0.001). */
  readonly learningRate?: number;
  /** Learning rate at the end (default: a tenth of the highest). */
  readonly lowestRate?: number;
  /** Number of steps in which the rate rises (default: a twentieth of all). */
  readonly warmup?: number;
  /** Number of steps of the schedule; later steps keep the lowest rate (default 2000). */
  readonly steps?: number;
  /** AdamW, or stochastic gradient descent, which takes a momentum and no betas (default `'adamw'`). */
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
  /** Maximum norm of the gradient; 0 for any (default 1). */
  readonly clip?: number;
  /** Seed of weights, windows, samples and dropout (default 1337). */
  readonly seed?: number;
  /** The targets: the token after each, or tokens that were hidden (default `'next'`). */
  readonly objective?: 'next' | 'masked';
  /** Token that hides another (default: the last of the vocabulary). */
  readonly maskToken?: number;
  /** Size of the vocabulary from which random tokens take the place of hidden ones (default: all but the last). */
  readonly maskVocabulary?: number;
}

/** An adapter (LoRA): what is added to a matrix W is `alpha / rank` times a product B A, and A and B alone are trained. */
export interface LoraSettings {
  /** Number of rows of A and of columns of B, at most the model's width (default 8). */
  readonly rank?: number;
  /** The factor of the product, before it is divided by the rank (default 8). */
  readonly alpha?: number;
  /**
   * Matrices that are changed, by the ends of their names in the model's files, such as `'v_proj'` or `'mlp.c_proj'`
   * (default: PEFT's, `['q_proj', 'v_proj']`, or the one matrix that holds them, such as GPT-2's `'c_attn'`).
   */
  readonly targets?: readonly string[];
}

/** Sequences and a target for each of their tokens, of one shape. */
export interface TokenBatch {
  /** `[B, T]`, or `[T]`; in a typed array rows as long as the context, or one that is shorter. */
  readonly tokens: NestedNumbers | Int32Array;
  /** The targets; -100 where there is none. */
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
  /** Bytes that are read and written, once each. */
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
  /** Ends the text where it aborts. */
  readonly signal?: AbortSignal;
}

/** The options of drawing tokens. */
export interface GenerateOptions extends DrawOptions {
  /** Tokens before them (default: the first token that is not trained on). */
  readonly prompt?: NestedNumbers | Int32Array;
  /** @deprecated The old name of `maxTokens`. */
  readonly tokens?: number;
}

/** The options of drawing a text. */
export interface SampleOptions extends Omit<GenerateOptions, 'prompt'> {
  /** Text before it (default: the first token that is not trained on). */
  readonly prompt?: string;
}

/** The trace of a model; shapes have no B where one sequence was given. */
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
  /** Running average of its square; for SGD nothing. */
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
  /** Tokenizer, where the model has learned text. */
  readonly 'tokenizer.json'?: Uint8Array;
}
