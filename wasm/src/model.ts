import { DecodingSession, type SessionOptions } from './decoding-session.js';
import { sequenceOf } from './generated-text.js';
import { LoadedModel } from './loaded-model.js';
import { changesOf } from './model-changes.js';
import type {
  ForwardOptions,
  ModelAttention,
  ModelForward,
  ModelTrace,
  TextEvaluation,
} from './model-types.js';
import { booleanOption, checkKeys, integerOption } from './names.js';
import { nest } from './named-tensors.js';
import { traceWithOldNames } from './old-names.js';
import type { ModelFiles } from './trainer-types.js';
import { filesOf, lossOf } from './trainer-values.js';
import type { NestedNumbers } from './values.js';

/** The requested parts of a trace. */
function traceOf(call: string, trace: ForwardOptions['trace']) {
  if (typeof trace !== 'object' || trace === null) {
    const traced = booleanOption(call, 'trace', trace, false);
    return { traced, lens: traced, scores: traced };
  }
  checkKeys(call, 'trace', 'part', trace, ['lens', 'scores']);
  const lens = booleanOption(call, 'trace.lens', trace.lens, true);
  return { traced: true, lens, scores: booleanOption(call, 'trace.scores', trace.scores, true) };
}

/**
 * A language model to run, in the memory of one loaded module. Made by `loadModel` of `tril/training`; its memory is freed
 * by `dispose`, and at the end of a `using` declaration or of a `tril.scope`. No scope can be open while it is loaded:
 * `tril.scope((own) => own(model).forward(tokens).logits.read())` gives it to one.
 */
export class Model extends LoadedModel {
  readonly #sessions = new Set<DecodingSession>();

  /**
   * Runs the model on tokens: gives the logits `[T, V]` after each, and, with `trace`, all intermediate results: the scores
   * and weights of every head, the residual stream after every layer, and the logits as if the model ended there (the logit
   * lens). The largest can be left out: `trace: { scores: false, lens: false }`. `without` ablates heads, layers and their
   * parts; `replace` substitutes other activations, such as those of another text. With `last: true` the logits are those
   * after the last token alone, `[V]`: with a large vocabulary, logits are most of a call's memory. Except for rounding, they
   * are the last row of all logits.
   *
   * @throws TrilError for no tokens, for more than the context holds, and for a number that is not a token; and for a layer,
   * head or position out of range, and values of another shape. No change outlives the call
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 2, heads: 4, width: 16, context: 8, vocabulary: 30 };
   * const model = await loadModel(trainer({ model: settings }).export());
   * const { logits, trace } = model.forward([3, 1, 4], { trace: true });
   * logits.shape; // [3, 30]
   * trace.layers[1]!.weights.shape; // [4, 3, 3]
   * trace.layers[0]!.logits!.shape; // [3, 30]
   * model.forward([3, 1, 4], { without: [{ layer: 1, head: 3 }, { layer: 0 }] }).logits.shape; // [3, 30]
   * model.forward([3, 1, 4], { last: true }).logits.shape; // [30]
   * const other = model.forward([5, 9, 2], { replace: [{ layer: 1, part: 'residual', values: trace.layers[1]!.residPost }] });
   * other.logits.toArray(); // logits.toArray()
   * ```
   */
  forward<const Options extends ForwardOptions>(
    tokens: NestedNumbers | Int32Array,
    options: Options = {} as Options,
  ): ModelForward<Options> {
    const call = 'forward';
    checkKeys(call, 'options', 'option', options, ['trace', 'last', 'without', 'replace']);
    const values = sequenceOf(call, 'tokens', tokens);
    const { traced, lens, scores } = traceOf(call, options.trace);
    const last = booleanOption(call, 'last', options.last, false);
    const count = values.length;
    const found = this.run(call, (raw) => {
      const { changes, values: given } = changesOf(call, this.config, options, count, count);
      return raw.forward(values, last, traced, lens, scores, changes, given);
    });
    const { logits, ...rest } = this.context.adoptAll(found);
    return {
      logits: logits!,
      ...(traced && { trace: traceWithOldNames(nest(rest) as ModelTrace) }),
    } as unknown as ModelForward<Options>;
  }

  /**
   * The attention weights of every head in a text, or in tokens, without the other intermediate results, which
   * `forward` gives with `trace`. They take `4 * layers * heads * T ** 2` bytes. A text is encoded as by `encode`.
   *
   * @throws TrilError for no tokens, for more than the context holds, and for a number that is not a token
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 2, heads: 4, width: 16, context: 8 };
   * const model = await loadModel(trainer({ model: settings, data: 'abcdefgh'.repeat(30) }).export());
   * const { tokens, weights } = model.attention('abc');
   * weights.shape; // [2, 4, 3, 3]
   * [...tokens].map((token) => model.decode([token])); // ['a', 'b', 'c']
   * [...weights.read()].slice(-9, -6); // [1, 0, 0]
   * ```
   */
  attention(text: string | NestedNumbers | Int32Array): ModelAttention {
    const call = 'attention';
    const tokens = this.#tokensOf(call, text);
    return { tokens, weights: this.context.adopt(this.run(call, (raw) => raw.attention(tokens)!)) };
  }

  /**
   * The loss of each token of a text given those before it, their mean, and the perplexity. A text longer than the
   * context is read in windows: after a full one, the next begins with its second half, so that every token is
   * predicted from at least half a context, or from all tokens before it. A text is encoded as by `encode`, with the
   * tokens that the tokenizer's file puts before every text.
   *
   * @throws TrilError for fewer than two tokens, for a number that is not a token, and where the model is not causal
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trained = trainer({ model: settings, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 });
   * trained.steps(100);
   * const model = await loadModel(trained.export());
   * const { loss, perplexity, losses } = model.evaluate('abcdefghabcdefgh');
   * losses.length; // 15
   * loss < 0.5; // true
   * perplexity; // Math.exp(loss)
   * ```
   */
  evaluate(text: string | NestedNumbers | Int32Array): TextEvaluation {
    const call = 'evaluate';
    const tokens = this.#tokensOf(call, text);
    return this.run(call, (raw) => {
      const { raw: module, engine } = this.context;
      const values = module._tensor(engine, [Math.max(1, tokens.length - 1)])!;
      try {
        const { loss, counted, correct } = lossOf(raw.evaluate(tokens, values));
        const losses = new Float32Array(values.view());
        return { loss, counted, correct, perplexity: Math.exp(loss), tokens, losses };
      } finally {
        values.delete();
      }
    });
  }

  #tokensOf(call: string, text: string | NestedNumbers | Int32Array): Int32Array {
    return typeof text === 'string' ? this.encoded(call, text) : sequenceOf(call, 'tokens', text);
  }

  /**
   * The model as files for `loadModel` and other libraries: `model.safetensors`, `config.json` and, with a tokenizer,
   * `tokenizer.json`. Loaded again, all parameters have the same bits: matrices of 16 bits stay so, and all else is
   * float32. The end tokens are in `config.json`.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const files = trainer({ model: { vocabulary: 30 } }).export();
   * const model = await loadModel(files);
   * model.export()['model.safetensors']; // files['model.safetensors']
   * ```
   */
  export(): ModelFiles {
    return this.run('export', filesOf);
  }

  /**
   * Decodes step by step, for sampling of your own: a session holds keys and values, takes tokens, gives the logits
   * after the last, and can be rewound. `capacity` is its maximum number of tokens (default: the context). It is
   * disposed with the model.
   *
   * @throws TrilError for a capacity beyond the context, and where memory runs out
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel, argmax } = await loadTril({ variant: 'simd' });
   * const model = await loadModel(trainer({ model: { vocabulary: 30 } }).export());
   * const session = model.session();
   * const [next] = argmax(session.append([3, 1, 4])).read();
   * session.append([next!]).shape; // [30]
   * session.length; // 4
   * session.rewind(3).length; // 3
   * ```
   */
  session(options: SessionOptions = {}): DecodingSession {
    const call = 'session';
    checkKeys(call, 'options', 'option', options, ['capacity']);
    const { capacity } = options;
    const room = capacity === undefined ? 0 : integerOption(call, 'capacity', capacity, 0, 1);
    return this.run(call, (raw) => {
      const made = this.context.training(call)._session(raw, room)!;
      const session = new DecodingSession(this.context, made, (gone) =>
        this.#sessions.delete(gone),
      );
      this.#sessions.add(session);
      return this.context.own(session);
    });
  }

  /** @internal */
  protected override disposeParts(): void {
    super.disposeParts();
    for (const session of this.#sessions) session.dispose();
  }
}
