import type { DrawOptions } from './generation-types.js';
import type { Bytes } from './kinds.js';
import type { Tensor } from './tensor.js';
import type { AdapterFiles, ModelFiles, TrainingLoss } from './trainer-types.js';
import type { Values } from './values.js';

/** A file of a model: its bytes, a Blob, which is read piece by piece, or the result of `fetch`. */
export type ModelFile = Bytes | Blob | Response;

/**
 * The files of a model by their names, or as a browser's folder picker gives them: those of a folder, or one
 * `.gguf` file; in Node also the path of either.
 */
export type ModelSource =
  Readonly<Record<string, ModelFile>> | ModelFiles | Iterable<File> | string;

/** The number, the types and the memory of a model's parameters. */
export interface ModelParameters {
  /** Number of elements; an embedding that is also the head is counted once. */
  readonly count: number;
  /** Bytes of all parameters in memory. */
  readonly bytes: number;
  /** Number of elements of each type: matrices have the type of their file or `q8_0`, all else is `float32`. */
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
  /** Receives, after every chunk of at most 8 MiB, the number of bytes read and the total. */
  readonly progress?: (read: number, all: number) => void;
  /** Ends loading when it aborts; nothing is kept then. */
  readonly signal?: AbortSignal;
}

/** Lets editors suggest names, and accepts lists written before the call without `as const`. */
type AnyText = string & {};

/** A head, a part of a layer, or a whole layer, that adds nothing. */
export interface Without {
  /** Number of the layer, from 0. */
  readonly layer: number;
  /** Number of the head, from 0. */
  readonly head?: number;
  /** Part of the layer (default: the whole layer, unless a head is given). */
  readonly part?: 'attention' | 'feedForward' | AnyText;
  /** Positions of the tokens for which it is off, from 0 (default: all). */
  readonly positions?: number | readonly number[];
}

/** The replacement of an intermediate result of a model. */
export interface Replacement {
  /** Number of the layer, from 0. The residual stream is that after this layer; -1 is the embedding. */
  readonly layer: number;
  /** Replaces the output of this head, before the output projection. */
  readonly head?: number;
  /** Replaces the output of attention or feed-forward, or the residual stream. */
  readonly part?: 'attention' | 'feedForward' | 'residual' | AnyText;
  /** Positions of the tokens for which it is replaced, from 0 (default: all). */
  readonly positions?: number | readonly number[];
  /**
   * The values, `[D]` for a head and `[C]` for the rest: one vector for all these positions, or a row for
   * each, as in a trace.
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
  /** Also return the intermediate results: all of them, or without the largest. */
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
 * The intermediate results of a layer; T is the number of tokens, C the width of the model, D the width of a head.
 * Results along the residual stream have TransformerLens' names.
 */
export interface ModelLayerTrace {
  /** `[T, C]`: the input of attention; the residual stream itself without a norm before it */
  readonly ln1: Tensor;
  /** `[H, T, D]`: before rotation; missing without rotary positions */
  readonly unrotatedQueries?: Tensor;
  /** `[Hk, T, D]`: before rotation; missing without rotary positions */
  readonly unrotatedKeys?: Tensor;
  /** `[H, T, D]` */
  readonly queries: Tensor;
  /** `[Hk, T, D]` */
  readonly keys: Tensor;
  /** `[Hk, T, D]` */
  readonly values: Tensor;
  /** `[H, T, T]`: before softmax, of all tokens, visible or not; not with `scores: false` */
  readonly scores?: Tensor;
  /** `[H, T, T]`: the attention weights of every head */
  readonly weights: Tensor;
  /** `[H, T, D]`: the output of every head */
  readonly heads: Tensor;
  /** `[T, C]`: the output of attention, added to the residual stream */
  readonly attnOut: Tensor;
  /** `[T, C]`: the residual stream after attention */
  readonly residMid: Tensor;
  /** `[T, C]`: the input of feed-forward; the residual stream itself without a norm before it */
  readonly ln2: Tensor;
  /** `[T, F]`; with a gate `[T, 2 F]` */
  readonly hidden: Tensor;
  /** `[T, F]` */
  readonly activated: Tensor;
  /** `[T, C]`: the output of feed-forward, added to the residual stream */
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
  /** `[T, C]`: the embeddings of tokens, plus positions where they are learned */
  readonly embedded: Tensor;
  readonly layers: readonly ModelLayerTrace[];
  /** `[T, C]`: the input of the head */
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
   * The weights of all heads, `[layers, heads, T, T]`: row `t` of a head has the weight of each token for token
   * `t`, and sums to 1. Tokens that may not be seen have weight 0.
   */
  readonly weights: Tensor;
}

/** The evaluation of a model on a text. */
export interface TextEvaluation extends TrainingLoss {
  /** `e ** loss`: the number of equally likely tokens among which the model seems to choose. */
  readonly perplexity: number;
  /** The tokens of the text, `[T]`. */
  readonly tokens: Int32Array;
  /**
   * The losses in nats, `[T - 1]`: number `i` is the loss of `tokens[i + 1]`, given all tokens before it in its
   * window.
   */
  readonly losses: Float32Array;
}

/**
 * The options of continuing a text. Positions of changes are from 0 to below the context, whose first half is
 * dropped when it is full.
 */
export interface TextOptions extends DrawOptions, Interventions {
  /** Ends the text when it aborts. */
  readonly signal?: AbortSignal;
}
