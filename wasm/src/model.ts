import { sequenceOf } from './generated-text.js';
import { LoadedModel } from './loaded-model.js';
import { changesOf } from './model-changes.js';
import type { ForwardOptions, ModelForward } from './model-types.js';
import { booleanOption, checkKeys } from './names.js';
import { nested } from './nested.js';
import type { NestedNumbers } from './values.js';

/** What is wanted of a trace. */
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
 * A language model to be run, in the memory of one loaded module. Made by `loadModel` of
 * `tril/training`; its memory is given back by `dispose` or at the end of a `using` declaration. It is loaded while
 * no `tril.scope` can be open, and so belongs to none; what it gives in one does.
 */
export class Model extends LoadedModel {
  /**
   * What the model makes of tokens: the logits `[T, V]` after each, and, with `trace`, all between:
   * the scores and weights of every head, the residual stream after every layer, and what the model
   * would say if it ended there (the logit lens). What of it takes most memory can be left out:
   * `trace: { scores: false, lens: false }`. `without` switches off heads, layers and parts of them;
   * `replace` puts other activations in their place, such as those of another text.
   *
   * @throws TrilError where there are none or more than the context has, or one is no token; and for
   * a layer, head or position that there is not, and values of another shape. Nothing is changed behind
   * the call
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
   * const other = model.forward([5, 9, 2], { replace: [{ layer: 1, part: 'residual', values: trace.layers[1]!.out }] });
   * other.logits.toArray(); // logits.toArray()
   * ```
   */
  forward<const Options extends ForwardOptions>(
    tokens: NestedNumbers | Int32Array,
    options: Options = {} as Options,
  ): ModelForward<Options> {
    const call = 'forward';
    checkKeys(call, 'options', 'option', options, ['trace', 'without', 'replace']);
    const values = sequenceOf(call, 'tokens', tokens);
    const { traced, lens, scores } = traceOf(call, options.trace);
    const count = values.length;
    const found = this.run(call, (raw) => {
      const { changes, values: given } = changesOf(call, this.config, options, count, count);
      return raw.forward(values, traced, lens, scores, changes, given);
    });
    const { logits, ...rest } = this.context.adoptAll(found);
    return {
      logits: logits!,
      ...(traced && { trace: nested(rest) }),
    } as unknown as ModelForward<Options>;
  }
}
