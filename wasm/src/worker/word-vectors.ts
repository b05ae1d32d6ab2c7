// Word vectors that live in the Worker: the same calls as promises, and a run as a stream of reports.
import type { WordVectorStep } from '../word-vector-types.js';
import { reportsOf } from './learner.js';
import { remote } from './remote.js';

/** The options of a run of word vectors. */
export interface WordRunOptions {
  /** Number of steps (default: all that are left). */
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

/** `WordVectors` that live in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteWordVectors extends remote('wordVectors') {
  /**
   * Trains, and reports after every `every` steps. The Worker continues when the next report is requested, so
   * leaving the loop leaves the vectors in the state of the last report.
   *
   * @throws TrilError as `step`, and the reason of `signal` where that aborts: the steps before it are done then
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

  /** `RemoteWordVectors 5 words`. */
  override toString(): string {
    return `RemoteWordVectors ${this.words.length} words`;
  }
}
