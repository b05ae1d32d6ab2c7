import type { DrawOptions } from './generation-types.js';
import type { Bytes } from './kinds.js';
import type { Tensor } from './tensor.js';
import type { AdapterFiles, ModelFiles, TrainingLoss } from './trainer-types.js';
import type { Values } from './values.js';

/** A file of a model: its bytes, a Blob, which is read piece by piece, or what `fetch` gives. */
export type ModelFile = Bytes | Blob | Response;

/**
 * The files of a model by their names, or as a browser's folder picker gives them: those of a folder, or one
 * `.gguf` file; in Node also the path of either.
 */
export type ModelSource =
  Readonly<Record<string, ModelFile>> | ModelFiles | Iterable<File> | string;

/** The number, the types and the memory of a model's parameters. */
export interface ModelParameters {
  /** Number of elements; a head that is the embedding is counted once. */
  readonly count: number;
  /** In memory. */
  readonly bytes: number;
  /** Number of elements of each type: matrices have that of their file or `q8_0`, all else is `float32`. */
  readonly types: Readonly<Partial<Record<'float32' | 'float16' | 'bfloat16' | 'q8_0', number>>>;
}

/** The options of loading a model. */
export interface LoadModelOptions {
  /**
   * The maximum number of tokens at once (default: that of `config.json` or the GGUF file). Where rotary positions are
   * scaled `dynamic`, they are rotated as for a text of that length. A model with learned positions accepts only their
   * number.
   */
  readonly context?: number;
  /**
   * `'q8_0'` holds matrices in 8 bits a number, in blocks of 32 with a scale (34 bytes) (default: the types of the
   * files). Learned positions keep their type. Results are those of the numbers in the blocks, which `Model.export`
   * writes as float32.
   */
  readonly weights?: 'q8_0' | AnyText;
  /**
   * Files of an adapter (LoRA) that is merged into the model: `adapter_config.json` and `adapter_model.safetensors`, of
   * `Trainer.exportAdapter` or of PEFT. The matrices that it changes are held as `float32`.
   */
  readonly lora?: ModelSource | AdapterFiles;
  /** Receives, after every chunk of at most 8 MiB, the number of bytes read and the number of all. */
  readonly progress?: (read: number, all: number) => void;
  /** Ends it where it aborts: nothing is kept. */
  readonly signal?: AbortSignal;
}

/** Lets editors show names, and lists written before the call do without `as const`. */
type AnyText = string & {};

/** A head, a part of a layer, or all of it, that adds nothing. */
export interface Without {
  /** From 0. */
  readonly layer: number;
  /** From 0. */
  readonly head?: number;
  /** The whole layer, unless a head or a part is given. */
  readonly part?: 'attention' | 'feedForward' | AnyText;
  /** Positions of the tokens for which it is off, from 0 (default: all). */
  readonly positions?: number | readonly number[];
}

/** The replacement of an intermediate result of a model. */
export interface Replacement {
  /** From 0. Of the residual stream: after this layer; -1: what is embedded. */
  readonly layer: number;
  /** Replaces what this head gives, before it goes through the output projection. */
  readonly head?: number;
  /** Replaces what attention or feed-forward add to the residual stream, or that stream. */
  readonly part?: 'attention' | 'feedForward' | 'residual' | AnyText;
  /** Positions of the tokens for which it is replaced, from 0 (default: all). */
  readonly positions?: number | readonly number[];
  /**
   * `[D]` of a head and `[C]` of the rest, for all these positions alike, or a row for each of them, such
   * as a trace has.
   */
  readonly values: Tensor | Values;
}

/** Changes to a model for a call (activation patching; Meng et al. 2022). */
export interface Interventions {
  /** The ablated parts. */
  readonly without?: readonly Without[];
  /** The replaced results, in this order. */
  readonly replace?: readonly Replacement[];
}

/** @deprecated The old name of `Interventions`. */
export type ModelChanges = Interventions;

/** The options of `Model.forward`. */
export interface ForwardOptions extends Interventions {
  /** Give what is computed on the way: all of it, or without what takes most memory. */
  readonly trace?: boolean | ModelTraceOptions;
  /** Computes the logits after the last token alone, `[V]` (default `false`). */
  readonly last?: boolean;
}

/** The optional parts of a trace. */
export interface ModelTraceOptions {
  /** Whether the trace has the logit lens, `[T, V]` of each layer (default true). */
  readonly lens?: boolean;
  /** Whether the trace has the scores, `[H, T, T]` of each layer (default true). */
  readonly scores?: boolean;
}

/**
 * The intermediate results of a layer; T is the number of tokens, C the width of the model, D that of a head. Results
 * along the residual stream have TransformerLens' names.
 */
export interface ModelLayerTrace {
  /** `[T, C]`: input of attention; the residual stream itself where no norm is before it */
  readonly ln1: Tensor;
  /** `[H, T, D]`: before rotation; missing without rotary positions */
  readonly unrotatedQueries?: Tensor;
  /** `[Hk, T, D]`: the same */
  readonly unrotatedKeys?: Tensor;
  /** `[H, T, D]` */
  readonly queries: Tensor;
  /** `[Hk, T, D]` */
  readonly keys: Tensor;
  /** `[Hk, T, D]` */
  readonly values: Tensor;
  /** `[H, T, T]`: before softmax, of all tokens, visible or not; not with `scores: false` */
  readonly scores?: Tensor;
  /** `[H, T, T]`: of every head */
  readonly weights: Tensor;
  /** `[H, T, D]`: what every head gives */
  readonly heads: Tensor;
  /** `[T, C]`: what attention adds to the residual stream */
  readonly attnOut: Tensor;
  /** `[T, C]`: the residual stream after attention */
  readonly residMid: Tensor;
  /** `[T, C]`: what feed-forward is given; the residual stream itself where no norm is before it */
  readonly ln2: Tensor;
  /** `[T, F]`; with a gate `[T, 2 F]` */
  readonly hidden: Tensor;
  /** `[T, F]` */
  readonly activated: Tensor;
  /** `[T, C]`: what feed-forward adds to the residual stream */
  readonly mlpOut: Tensor;
  /** `[T, C]`: the residual stream after the layer */
  readonly residPost: Tensor;
  /** `[T, V]`: the logits as if the model ended here; not with `lens: false` */
  readonly logits?: Tensor;
  /** @deprecated The old name of `ln1`. */
  readonly normed1: Tensor;
  /** @deprecated The old name of `attnOut`. */
  readonly attention: Tensor;
  /** @deprecated The old name of `residMid`. */
  readonly between: Tensor;
  /** @deprecated The old name of `ln2`. */
  readonly normed2: Tensor;
  /** @deprecated The old name of `mlpOut`. */
  readonly feedForward: Tensor;
  /** @deprecated The old name of `residPost`. */
  readonly out: Tensor;
}

/** The intermediate results of a model. */
export interface ModelTrace {
  /** `[T, C]`: tokens, and positions where they are learned */
  readonly embedded: Tensor;
  readonly layers: readonly ModelLayerTrace[];
  /** `[T, C]`: what the head is given */
  readonly lnFinal: Tensor;
  /** @deprecated The old name of `lnFinal`. */
  readonly finalNormed: Tensor;
}

/** The result of `Model.forward`: logits `[T, V]`, or with `last` `[V]`, and a trace if it was asked for. */
export type ModelForward<Options = object> = { readonly logits: Tensor } & (Options extends {
  trace: true | ModelTraceOptions;
}
  ? { readonly trace: ModelTrace }
  : { readonly trace?: ModelTrace });

/** The attention weights of a model's heads in a text. */
export interface ModelAttention {
  /** The tokens of the text, `[T]`. */
  readonly tokens: Int32Array;
  /**
   * The weights of all heads, `[layers, heads, T, T]`: row `t` of a head says what it takes of each token for token
   * `t`, and adds up to 1. What a token may not see is 0.
   */
  readonly weights: Tensor;
}

/** The evaluation of a model on a text. */
export interface TextEvaluation extends TrainingLoss {
  /** `e ** loss`: among how many tokens, each as likely, the model seems to choose. */
  readonly perplexity: number;
  /** The tokens of the text, `[T]`. */
  readonly tokens: Int32Array;
  /** The losses in nats, `[T - 1]`: number `i` is that of `tokens[i + 1]`, given all before it in its window. */
  readonly losses: Float32Array;
}

/**
 * The options of continuing a text. Positions of what is changed are from 0 to below the context, whose first half
 * is forgotten when it is full.
 */
export interface TextOptions extends DrawOptions, Interventions {
  /** Ends the text where it aborts. */
  readonly signal?: AbortSignal;
}
