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

/** What the parameters of a model are, and what they take. */
export interface ModelParameters {
  /** How many numbers they are; a head that is the embedding is counted once. */
  readonly count: number;
  /** In memory. */
  readonly bytes: number;
  /** How many of them are of which type: matrices have that of their file or `q8_0`, all else is `float32`. */
  readonly types: Readonly<Partial<Record<'float32' | 'float16' | 'bfloat16' | 'q8_0', number>>>;
}

/** How a model is loaded. */
export interface LoadModelOptions {
  /**
   * The most tokens at once; unless given, what `config.json` or the GGUF file says. Where rotary positions are scaled
   * `dynamic`, they are turned as for a text of that length. Learned positions have only their own.
   */
  readonly context?: number;
  /**
   * `'q8_0'`: matrices are held in 8 bits a number, in blocks of 32 with a scale (34 bytes); unless given, as the
   * files have them. Positions that are looked up stay as they are. Results are those of the numbers that the
   * blocks stand for, and `Model.export` writes these as float32.
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

/** So that editors show names, and a list that is written before the call needs no `as const`. */
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

/** What takes the place of something that a model computes on the way. */
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

/** How a model is changed for a call (activation patching; Meng et al. 2022). */
export interface Interventions {
  /** What is switched off. */
  readonly without?: readonly Without[];
  /** What is replaced, in this order. */
  readonly replace?: readonly Replacement[];
}

/** @deprecated The old name of `Interventions`. */
export type ModelChanges = Interventions;

/** What `Model.forward` is to do besides. */
export interface ForwardOptions extends Interventions {
  /** Give what is computed on the way: all of it, or without what takes most memory. */
  readonly trace?: boolean | ModelTraceOptions;
  /** Give the logits after the last token alone, `[V]`, and compute no others; false unless given. */
  readonly last?: boolean;
}

/** What a trace may leave out. */
export interface ModelTraceOptions {
  /** Whether the trace has the logit lens, `[T, V]` of each layer (default true). */
  readonly lens?: boolean;
  /** Whether the trace has the scores, `[H, T, T]` of each layer (default true). */
  readonly scores?: boolean;
}

/**
 * Of one layer; T counts the tokens, C is the model's width, D that of a head. What is along the residual stream has
 * TransformerLens' names.
 */
export interface ModelLayerTrace {
  /** `[T, C]`: what attention is given; the residual stream itself where no norm is before it */
  readonly ln1: Tensor;
  /** `[H, T, D]`: before positions turn them; none where they do not */
  readonly unrotatedQueries?: Tensor;
  /** `[Hk, T, D]`: as those */
  readonly unrotatedKeys?: Tensor;
  /** `[H, T, D]` */
  readonly queries: Tensor;
  /** `[Hk, T, D]` */
  readonly keys: Tensor;
  /** `[Hk, T, D]` */
  readonly values: Tensor;
  /** `[H, T, T]`: of all tokens, seen or not, before softmax; unless `scores` is false */
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
  /** `[T, V]`: what the model would say if it ended here; unless `lens` is false */
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

/** What a model computes on the way. */
export interface ModelTrace {
  /** `[T, C]`: tokens, and positions where they are learned */
  readonly embedded: Tensor;
  readonly layers: readonly ModelLayerTrace[];
  /** `[T, C]`: what the head is given */
  readonly lnFinal: Tensor;
  /** @deprecated The old name of `lnFinal`. */
  readonly finalNormed: Tensor;
}

/** What a model makes of tokens: logits `[T, V]`, or with `last` `[V]`, and a trace where it was asked for. */
export type ModelForward<Options = object> = { readonly logits: Tensor } & (Options extends {
  trace: true | ModelTraceOptions;
}
  ? { readonly trace: ModelTrace }
  : { readonly trace?: ModelTrace });

/** What the heads of a model look at in a text. */
export interface ModelAttention {
  /** The tokens of the text, `[T]`. */
  readonly tokens: Int32Array;
  /**
   * The weights of all heads, `[layers, heads, T, T]`: row `t` of a head says what it takes of each token for token
   * `t`, and adds up to 1. What a token may not see is 0.
   */
  readonly weights: Tensor;
}

/** How well a model predicts a text. */
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
