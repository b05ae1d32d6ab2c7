// Word vectors that live in the Worker: the same calls as promises, and a run as a stream of reports.
import type { WordNeighbour, WordVectorSettings, WordVectorStep } from '../word-vector-types.js';
import type { ReferenceOf } from './held-kinds.js';
import { RemoteObject, type Line, type RemoteTensor } from './remote.js';
import { reportsOf } from './runs.js';

/** The options of a run of word vectors. */
export interface WordRunOptions {
  /** Number of steps (default: those that are left). */
  readonly steps?: number;
  /** Number of steps from one report to the next (default 1). */
  readonly every?: number;
  /** Ends the run before its next step. */
  readonly signal?: AbortSignal;
}

/** The report of a run: its last step, and all steps since the previous report. */
export interface WordVectorReport extends WordVectorStep {
  readonly steps: readonly WordVectorStep[];
}

/** `WordVectors` that live in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteWordVectors extends RemoteObject {
  /** All settings, with what was not given. */
  readonly settings: Readonly<Required<WordVectorSettings>>;
  /** All words, the most frequent first. */
  readonly words: readonly string[];
  /** Number of occurrences of each word. */
  readonly counts: readonly number[];
  /** Number of steps of the settings. */
  readonly allSteps: number;

  /** @internal Remote word vectors are made by the calls of a Worker. */
  constructor(line: Line, reference: ReferenceOf<'wordVectors'>) {
    super(line, reference);
    const { settings, words, counts, allSteps } = reference.constants;
    this.settings = Object.freeze(settings);
    this.words = Object.freeze(words);
    this.counts = Object.freeze(counts);
    this.allSteps = allSteps;
  }

  /**
   * Trains, and reports after every `every` steps. The Worker goes on when the next report is asked for, so leaving
   * the loop leaves the vectors in the state of the last report.
   *
   * @throws TrilError as `step`, and what `signal` is aborted with: the steps before it are done then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd', training: true });
   * const data = ['cat dog hen. '.repeat(300), 'one two six. '.repeat(300)];
   * const vectors = await remote.wordVectors({ data, width: 8, sample: 0 });
   * const done: number[] = [];
   * for await (const { step } of vectors.run({ every: 2 })) done.push(step);
   * done; // [1, 3, 4]
   * remote.close();
   * ```
   */
  run(options: WordRunOptions = {}): AsyncGenerator<WordVectorReport, void, undefined> {
    const take = (count: number, signal: AbortSignal | undefined) =>
      this.askUntil(signal, 'steps', count) as Promise<WordVectorStep[]>;
    return reportsOf(take, options, async () => Math.max(0, this.allSteps - (await this.done())));
  }

  /** Takes a step, over the next 10 000 words of the texts. */
  async step(): Promise<WordVectorStep> {
    return this.ask('step') as Promise<WordVectorStep>;
  }

  /** Takes `count` steps. */
  async steps(count: number): Promise<WordVectorStep[]> {
    return this.ask('steps', count) as Promise<WordVectorStep[]>;
  }

  /** Number of steps done once all earlier calls are. */
  async done(): Promise<number> {
    return this.ask('done') as Promise<number>;
  }

  /** A copy of all vectors, `[words, width]`. */
  async vectors(): Promise<RemoteTensor> {
    return this.ask('vectors') as Promise<RemoteTensor>;
  }

  /** The words nearest to one. */
  async similar(word: string, count?: number): Promise<WordNeighbour[]> {
    return this.ask('similar', word, count) as Promise<WordNeighbour[]>;
  }

  /** The words that are to `c` as `b` is to `a`. */
  async analogy(a: string, b: string, c: string, count?: number): Promise<WordNeighbour[]> {
    return this.ask('analogy', a, b, c, count) as Promise<WordNeighbour[]>;
  }

  /** The bytes of a .safetensors file. */
  async save(): Promise<Uint8Array> {
    return this.ask('save') as Promise<Uint8Array>;
  }

  /** `RemoteWordVectors 5 words`. */
  override toString(): string {
    return `RemoteWordVectors ${this.words.length} words`;
  }
}
