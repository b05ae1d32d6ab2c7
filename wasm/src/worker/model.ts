// Models in the Worker: the same calls as promises, and texts that arrive part by part.
import { adapterOf, filesOf, loadingOptions, readRange, sizeOf } from '../calls/model-files.js';
import type { SessionOptions } from '../decoding-session.js';
import type { GeneratedPart } from '../generation-types.js';
import type {
  ForwardOptions,
  LoadModelOptions,
  ModelForward,
  ModelSource,
  TextOptions,
} from '../model-types.js';
import { textOptions } from '../loaded-model.js';
import { checkKeys, signalOption } from '../names.js';
import { traceWithOldNames } from '../old-names.js';
import type { NestedNumbers } from '../values.js';
import {
  RemoteObject,
  remote,
  type Ask,
  type RemoteDecodingSession,
  type RemoteValue,
} from './remote.js';

/** An iterator that lives in the Worker. */
export class RemoteStream extends RemoteObject {
  /** The next part, or the end of the iterator. */
  next<Part>(signal: AbortSignal | undefined): Promise<IteratorResult<Part, void>> {
    return this.askUntil(signal, 'next') as Promise<IteratorResult<Part, void>>;
  }
}

/** The parts of a text, which the Worker draws one by one on request. */
export async function* textOf<Options extends { readonly signal?: unknown }>(
  options: Options,
  names: readonly string[],
  begin: (signal: AbortSignal | undefined, sent: object) => Promise<unknown>,
): AsyncGenerator<GeneratedPart, void, undefined> {
  checkKeys('generate', 'options', 'option', options, names);
  const { signal: given, ...sent } = options;
  const signal = signalOption('generate', 'signal', given);
  const stream = (await begin(signal, sent)) as RemoteStream;
  try {
    for (;;) {
      const { done, value } = await stream.next<GeneratedPart>(signal);
      if (done) return;
      yield value;
    }
  } finally {
    await stream.dispose().catch(() => {}); // closed: it is gone already
  }
}

/** A `Model` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteModel extends remote('model') {
  /** Runs the model over tokens. */
  async forward<const Options extends RemoteValue<ForwardOptions>>(
    tokens: NestedNumbers | Int32Array,
    options: Options = {} as Options,
  ): Promise<RemoteValue<ModelForward<Options>>> {
    const found = (await this.ask('forward', tokens, options)) as RemoteValue<ModelForward>;
    if (found.trace) traceWithOldNames(found.trace);
    return found as RemoteValue<ModelForward<Options>>;
  }

  /**
   * Continues a text, token by token. The Worker draws a token when it is requested, so leaving the loop leaves
   * nothing behind, and other calls run between tokens.
   *
   * @throws TrilError as `generate` of `Model`, and the reason of `signal` where that aborts
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd', training: true });
   * const settings = { layers: 1, heads: 2, width: 16, context: 8 } as const;
   * const options = { model: settings, data: 'abcdefgh'.repeat(30), learningRate: 0.02, steps: 100 };
   * const trained = await remote.trainer(options);
   * await trained.steps(100);
   * const model = await remote.loadModel(await trained.export());
   * let text = '';
   * for await (const part of model.generate('abcd', { maxTokens: 6, temperature: 0 })) text += part.text;
   * text; // 'efghab'
   * remote.close();
   * ```
   */
  async *generate(
    prompt: string | NestedNumbers | Int32Array,
    options: RemoteValue<TextOptions> = {},
  ): AsyncGenerator<GeneratedPart, void, undefined> {
    yield* textOf(options, textOptions, (signal, sent) =>
      this.askUntil(signal, 'generate', prompt, sent),
    );
  }

  /** Decodes step by step, for sampling of your own. */
  async session(options: SessionOptions = {}): Promise<RemoteDecodingSession> {
    return this.ask('session', options) as Promise<RemoteDecodingSession>;
  }

  /** `RemoteModel llama`. */
  override toString(): string {
    return `RemoteModel ${String(this.config['model_type'])}`;
  }
}

/**
 * The calls of a Worker that load models and encoders. The files stay here, since Node's cannot be sent, and copies would take
 * their memory twice. The Worker knows their sizes, and requests ranges.
 */
export function loadCall(call: string, more: readonly string[] = []) {
  return (ask: Ask) =>
    async (files: ModelSource, options: LoadModelOptions = {}): Promise<unknown> => {
      const { progress, signal: own, lora, ...rest } = loadingOptions(call, options, more);
      const all = await filesOf(call, files);
      const adapter = await adapterOf(call, lora);
      const sent = { ...rest, ...(adapter && { lora: adapter }) };
      const sizes = [...all].map(([name, file]) => [name, sizeOf(file)]);
      const chunk = (name: string, from: number, to: number) =>
        readRange(call, all, name, { from, to });
      return ask([sizes, sent], { signals: [own], progress, chunk });
    };
}
