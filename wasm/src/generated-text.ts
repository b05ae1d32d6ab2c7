// Text generation, by a loaded model or one in training: how tokens are drawn, and the parts one by one.
import { checkSeed } from './calls/tensor.js';
import { TrilError, shapeText } from './error.js';
import { yieldToEventLoop } from './event-loop.js';
import type { DrawOptions, GeneratedPart } from './generation-types.js';
import { describe, integerOption, numberOption, signalOption } from './names.js';
import type { RawGenerated } from './raw.js';
import { flattenIntegers } from './values.js';

/** The tokens of one text; batches are not supported. */
export function sequenceOf(call: string, argument: string, tokens: unknown): Int32Array {
  const { shape, values } = flattenIntegers(call, argument, tokens);
  if (shape.length === 1) return values;
  throw new TrilError(call, argument, `must be one list, [T]; shape is ${shapeText(shape)}`);
}

/** The options of drawing tokens. */
export const drawOptions = ['maxTokens', 'temperature', 'topK', 'topP', 'minP', 'seed', 'stop'];

/** The options of sampling, as the module takes them. */
export const samplingOf = (call: string, options: DrawOptions) =>
  [
    numberOption(call, 'temperature', options.temperature, 0.8),
    integerOption(call, 'topK', options.topK, 0, 0),
    numberOption(call, 'topP', options.topP, 1),
    numberOption(call, 'minP', options.minP, 0),
  ] as const;

/** The options of drawing, as the module takes them; `seed` is the default. */
export function drawingOf(call: string, options: DrawOptions, seed: number) {
  const stop = options.stop ?? [];
  const stops: unknown[] = Array.isArray(stop) ? [...(stop as unknown[])] : [stop];
  if (stops.some((each) => typeof each !== 'string')) {
    throw new TrilError(call, 'stop', `must be texts, is ${describe(stop)}`);
  }
  return [
    integerOption(call, 'maxTokens', options.maxTokens, 100, 0),
    ...samplingOf(call, options),
    options.seed === undefined ? seed : checkSeed(call, options.seed),
    stops as string[],
  ] as const;
}

/** The texts of a model that are being generated. */
export class GeneratedTexts {
  readonly #open = new Set<RawGenerated>();

  /** The parts of a text, which `next` draws one by one. */
  *parts(
    text: RawGenerated,
    next: (text: RawGenerated) => number,
  ): Generator<GeneratedPart, void, undefined> {
    this.#open.add(text);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    try {
      for (;;) {
        const begin = performance.now();
        const token = next(text);
        const milliseconds = performance.now() - begin;
        const piece = decoder.decode(text.text(), { stream: token >= 0 });
        if (token < 0 && piece === '') return;
        yield { ...(token >= 0 && { token }), text: piece, milliseconds };
        if (token < 0) return;
      }
    } finally {
      if (this.#open.delete(text)) text.delete();
    }
  }

  /** Frees the memory of all of them. */
  dispose(): void {
    for (const text of this.#open) text.delete();
    this.#open.clear();
  }
}

/** The parts of a text, with pauses that let other tasks run, until `signal` aborts. */
export async function* withPauses(
  parts: () => Iterable<GeneratedPart>,
  given: unknown,
): AsyncGenerator<GeneratedPart, void, undefined> {
  const signal = signalOption('generate', 'signal', given);
  signal?.throwIfAborted();
  const pause = yieldToEventLoop();
  for (const part of parts()) {
    yield part;
    await pause();
    signal?.throwIfAborted();
  }
}
