// Texts that a model makes, loaded or in training: how their tokens are drawn, and their parts one by one.
import { checkSeed } from './calls/tensor.js';
import { TrilError, shapeText } from './error.js';
import { yieldToEventLoop } from './event-loop.js';
import type { DrawOptions, GeneratedPart } from './generation-types.js';
import { describe, integerOption, numberOption, signalOption } from './names.js';
import type { RawGenerated } from './raw.js';
import { flattenIntegers } from './values.js';

/** Tokens of one text: batches are not run. */
export function sequenceOf(call: string, argument: string, tokens: unknown): Int32Array {
  const { shape, values } = flattenIntegers(call, argument, tokens);
  if (shape.length === 1) return values;
  throw new TrilError(call, argument, `must be one list, [T]; shape is ${shapeText(shape)}`);
}

/** The options of how tokens are drawn. */
export const drawOptions = ['maxTokens', 'temperature', 'topK', 'topP', 'minP', 'seed', 'stop'];

/** What tokens are sampled from, as the module takes it. */
export const samplingOf = (call: string, options: DrawOptions) =>
  [
    numberOption(call, 'temperature', options.temperature, 0.8),
    integerOption(call, 'topK', options.topK, 0, 0),
    numberOption(call, 'topP', options.topP, 1),
    numberOption(call, 'minP', options.minP, 0),
  ] as const;

/** How tokens are drawn, as the module takes it; `seed` where none is given. */
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

/** The texts of a model that are under way. */
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

  /** Gives the memory of all of them back. */
  dispose(): void {
    for (const text of this.#open) text.delete();
    this.#open.clear();
  }
}

/** The parts of a text with pauses in between, so that others have their turn; until `signal` aborts. */
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
