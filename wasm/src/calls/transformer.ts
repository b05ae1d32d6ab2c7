import type { Known } from '../if-requested.js';
import { absent, type Context, type Optional } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, checkName } from '../names.js';
import { numberOption, stringOption } from '../names.js';
import { type Named, nest } from '../named-tensors.js';
import { wantsSaved, type SavedOption } from '../saved.js';
import type { Tensor } from '../tensor.js';
import { rawAttentionOptions, type AttentionOptions } from './attention.js';
import type { Mask } from './mask.js';
import type {
  BlockResult,
  DecoderBlockOptions,
  DecoderBlockTrace,
  DecoderBlockWeights,
  TransformerBlockOptions,
  TransformerBlockTrace,
  TransformerBlockWeights,
  TransformerOptions,
  TransformerTrace,
  TransformerWeights,
} from './transformer-types.js';

const blockOptions = [
  ...['heads', 'kvHeads', 'norm', 'activation', 'eps', 'causal', 'mask', 'scale', 'softcap'],
  ...['keyLengths', 'method', 'trace', 'out', 'saved'],
];
const cachedOptions = [...blockOptions, 'past'];
const decoderOptions = [...cachedOptions, 'memoryMask', 'memoryPast'];
const transformerOptions = [
  ...blockOptions.filter((name) => name !== 'mask' && name !== 'keyLengths'),
  ...['sourceMask', 'targetMask', 'memoryMask'],
];

/** Every layer's weights must have the names of a block, and no layer may be left out. */
export function checkTransformerWeights(context: Context, call: string, weights: object): void {
  checkKeys(call, 'weights', 'weight', weights, Object.keys(weights ?? {}));
  const names = context.weightNames('transformer');
  const layers: Record<string, Set<number>> = {};
  for (const name of Object.keys(weights)) {
    const [, stack, number, own] = /^(\w+\.layers)\.(\d+)\.(.*)$/.exec(name) ?? [];
    const first = `${stack}.0.`;
    const known = names.filter((each) =>
      own === undefined ? !each.includes('.layers.') : each.startsWith(first),
    );
    if (own === undefined) {
      checkName(call, name, 'weight', name, known);
    } else {
      const inLayer = known.map((each) => each.slice(first.length));
      checkName(call, name, 'weight', own, inLayer);
      (layers[stack!] ??= new Set()).add(Number(number));
    }
  }
  for (const [stack, numbers] of Object.entries(layers)) {
    const last = Math.max(...numbers);
    for (let n = 0; n < last; ++n) {
      if (numbers.has(n)) continue;
      throw new TrilError(call, `${stack}.${n}`, `is left out, but there is layer ${last}`);
    }
  }
}

/** The options as the module takes them. */
export function rawBlockOptions(
  context: Context,
  call: string,
  options: TransformerBlockOptions,
  names: readonly string[],
) {
  const attention = rawAttentionOptions(context, call, options, names);
  if (options.heads === undefined) throw new TrilError(call, 'heads', 'must be given');
  return {
    heads: attention.heads,
    kvHeads: options.kvHeads === undefined ? 0 : attention.kvHeads,
    norm: stringOption(call, 'norm', options.norm, 'post'),
    activation: stringOption(call, 'activation', options.activation, 'relu'),
    eps: numberOption(call, 'eps', options.eps, 1e-5),
    trace: booleanOption(call, 'trace', options.trace, false),
    attention,
  };
}

/** Attention with the `options`, except the mask. */
export function otherAttention(
  context: Context,
  call: string,
  { scale, softcap, method }: Pick<AttentionOptions, 'scale' | 'softcap' | 'method'>,
  mask: Mask | undefined,
) {
  const given = Object.entries({ scale, softcap, method, mask });
  const options = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  return rawAttentionOptions(context, call, options, Object.keys(options));
}

/**
 * The attention options of `transformer`: of the decoder's self-attention, of the encoder's, and of
 * cross-attention.
 */
export function rawTransformerOptions(
  context: Context,
  call: string,
  options: TransformerOptions,
  names: readonly string[],
) {
  checkKeys(call, 'options', 'option', options, names);
  const { sourceMask, targetMask, memoryMask, ...shared } = options;
  const masked: TransformerBlockOptions = {
    ...(shared as TransformerBlockOptions),
    ...(targetMask !== undefined && { mask: targetMask }),
  };
  return {
    block: rawBlockOptions(context, call, masked, blockOptions),
    ofSource: otherAttention(context, call, options, sourceMask),
    cross: otherAttention(context, call, options, memoryMask),
  };
}

export const transformerCalls = <Training>(context: Context) => {
  const { raw, engine } = context;

  const result = <Options, Trace>(
    made: Parameters<typeof context.adoptAll>[0],
    out: Optional,
    trace: boolean,
  ) => {
    const { output = out, saved, ...steps } = context.adoptAll(made);
    return {
      output,
      ...(trace && { trace: nest(steps) }),
      ...(saved && { saved }),
    } as unknown as BlockResult<Options, Trace>;
  };

  return {
    /**
     * A block of the encoder, as `nn.TransformerEncoderLayer` with `batch_first`, without dropout: attention and
     * feed-forward, each with a residual and a norm (Vaswani et al. 2017; `'pre'`: Xiong et al. 2020). x `[B, T, C]`,
     * or `[T, C]` without a batch; gives the same shape, and with `saved: true`, here and below, also `saved`.
     *
     * @throws TrilError where shapes or options do not fit, and for weights missing or unknown
     *
     * @example
     * ```ts
     * const normal = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
     * const weights = {
     *   'self_attn.in_proj_weight': normal(1, 192, 64),
     *   'self_attn.out_proj.weight': normal(2, 64, 64),
     *   'linear1.weight': normal(3, 256, 64),
     *   'linear2.weight': normal(4, 64, 256),
     * };
     * const x = normal(5, 1, 10, 64);
     * const { output } = tril.transformerBlock(x, weights, { heads: 4, norm: 'pre', causal: true });
     * output.shape; // [1, 10, 64]
     *
     * // Decoding: one more token, with the keys and values of those before it in a cache.
     * const past = tril.keyValueCache({ heads: 4, width: 16, capacity: 11 });
     * tril.transformerBlock(x, weights, { heads: 4, norm: 'pre', causal: true, past });
     * const next = normal(6, 1, 1, 64);
     * tril.transformerBlock(next, weights, { heads: 4, norm: 'pre', causal: true, past });
     * past.length; // 11
     * ```
     */
    transformerBlock<
      const Options extends TransformerBlockOptions & Training,
      Weights extends object,
    >(
      x: Tensor,
      weights: Weights & Named<Weights, TransformerBlockWeights>,
      options: Options & Known<Options, TransformerBlockOptions & Training>,
    ): BlockResult<Options, TransformerBlockTrace> {
      const call = 'transformerBlock';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames(call));
      const block = rawBlockOptions(context, call, options, cachedOptions);
      const { past } = options;
      const cache = context.cacheOption(call, 'past', past);
      const saved = wantsSaved(call, options as SavedOption, { trace: block.trace, past });
      const out = options.out ?? absent;
      return context.runWithWeights(call, weights, { x, out }, (t, state) =>
        result(
          saved
            ? context.training(call)._transformerBlockSaved(engine, t.x, state, block, t.out)
            : raw._transformerBlock(engine, t.x, state, cache, block, t.out),
          out,
          block.trace,
        ),
      );
    },

    /**
     * A block of the decoder, as `nn.TransformerDecoderLayer`: self-attention, attention to a memory
     * `[B, S, Cm]`, and feed-forward. x `[B, T, C]`, or both without a batch.
     *
     * @throws TrilError as `transformerBlock`
     *
     * @example
     * ```ts
     * const normal = (seed: number, ...shape: number[]) => tril.randomNormal(shape, { seed });
     * const weights = {
     *   'self_attn.in_proj_weight': normal(1, 192, 64),
     *   'self_attn.out_proj.weight': normal(2, 64, 64),
     *   'multihead_attn.in_proj_weight': normal(3, 192, 64),
     *   'multihead_attn.out_proj.weight': normal(4, 64, 64),
     *   'linear1.weight': normal(5, 256, 64),
     *   'linear2.weight': normal(6, 64, 256),
     * };
     * const [x, memory] = [normal(7, 1, 10, 64), normal(8, 1, 20, 64)];
     * tril.decoderBlock(x, memory, weights, { heads: 4, causal: true }).output.shape; // [1, 10, 64]
     *
     * // Decoding: the memory is projected once, and then found in its cache.
     * const past = tril.keyValueCache({ heads: 4, width: 16, capacity: 11 });
     * const memoryPast = tril.keyValueCache({ heads: 4, width: 16, capacity: 20 });
     * const options = { heads: 4, causal: true, past, memoryPast };
     * tril.decoderBlock(x, memory, weights, options);
     * tril.decoderBlock(normal(9, 1, 1, 64), tril.zeros([1, 0, 64]), weights, options);
     * [past.length, memoryPast.length]; // [11, 20]
     * ```
     */
    decoderBlock<const Options extends DecoderBlockOptions & Training, Weights extends object>(
      x: Tensor,
      memory: Tensor,
      weights: Weights & Named<Weights, DecoderBlockWeights>,
      options: Options & Known<Options, DecoderBlockOptions & Training>,
    ): BlockResult<Options, DecoderBlockTrace> {
      const call = 'decoderBlock';
      checkKeys(call, 'weights', 'weight', weights, context.weightNames(call));
      const block = rawBlockOptions(context, call, options, decoderOptions);
      const cross = otherAttention(context, call, options, options.memoryMask);
      const { past, memoryPast } = options;
      const caches = [
        context.cacheOption(call, 'past', past),
        context.cacheOption(call, 'memoryPast', memoryPast),
      ] as const;
      const others = { trace: block.trace, past, memoryPast };
      const saved = wantsSaved(call, options as SavedOption, others);
      const out = options.out ?? absent;
      return context.runWithWeights(call, weights, { x, memory, out }, (t, state) => {
        const given = [engine, t.x, t.memory, state] as const;
        const last = [block, cross, t.out] as const;
        const made = saved
          ? context.training(call)._decoderBlockSaved(...given, ...last)
          : raw._decoderBlock(...given, ...caches, ...last);
        return result(made, out, block.trace);
      });
    },

    /**
     * Encoder and decoder, as `nn.Transformer` with `batch_first`, without dropout: source
     * `[B, S, C]` and target `[B, T, C]`, or both without a batch; gives the shape of the target.
     *
     * @throws TrilError as `transformerBlock`
     *
     * @example
     * ```ts
     * const shapes = {
     *   'encoder.layers.0.self_attn.in_proj_weight': [96, 32],
     *   'encoder.layers.0.self_attn.out_proj.weight': [32, 32],
     *   'encoder.layers.0.linear1.weight': [64, 32],
     *   'encoder.layers.0.linear2.weight': [32, 64],
     *   'decoder.layers.0.self_attn.in_proj_weight': [96, 32],
     *   'decoder.layers.0.self_attn.out_proj.weight': [32, 32],
     *   'decoder.layers.0.multihead_attn.in_proj_weight': [96, 32],
     *   'decoder.layers.0.multihead_attn.out_proj.weight': [32, 32],
     *   'decoder.layers.0.linear1.weight': [64, 32],
     *   'decoder.layers.0.linear2.weight': [32, 64],
     * };
     * const weights = Object.fromEntries(
     *   Object.entries(shapes).map(([name, shape], i) => [name, tril.randomNormal(shape, { seed: i })]),
     * );
     * const [source, target] = [tril.zeros([7, 32]), tril.zeros([5, 32])];
     * const options = { heads: 4, causal: true, trace: true } as const;
     * const { output, trace } = tril.transformer(source, target, weights, options);
     * output.shape; // [5, 32]
     * trace.memory.shape; // [7, 32]
     * ```
     */
    transformer<const Options extends TransformerOptions & Training>(
      source: Tensor,
      target: Tensor,
      weights: TransformerWeights,
      options: Options & Known<Options, TransformerOptions & Training>,
    ): BlockResult<Options, TransformerTrace> {
      const call = 'transformer';
      checkTransformerWeights(context, call, weights);
      const all = rawTransformerOptions(context, call, options, transformerOptions);
      const { block, ofSource, cross } = all;
      const saved = wantsSaved(call, options as SavedOption, { trace: block.trace });
      const out = options.out ?? absent;
      return context.runWithWeights(call, weights, { source, target, out }, (t, state) => {
        const values = [t.source, t.target, state, block, ofSource, cross, t.out] as const;
        const made = saved
          ? context.training(call)._transformerSaved(engine, ...values)
          : raw._transformer(engine, ...values);
        return result(made, out, block.trace);
      });
    },
  };
};

/** The same in a module of `tril/training`, which can save what the backward passes need. */
export const trainingTransformerCalls = transformerCalls<SavedOption>;
