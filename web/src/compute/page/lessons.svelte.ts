// The page's client of the lessons' Worker, one for all chapters: questions and sessions by kind.
import { browser } from '$app/environment';
import { getContext, setContext } from 'svelte';
import { asks } from './asking';
import { Kept } from './kept';
import type { Kind, Lessons } from '../shared/lesson-protocol';
import { Line, type Begun, type Channel, type Outcome } from './line';
import { startTrainingWorker, startWorker } from './start-worker';
import type { Failure, Loaded } from './protocol';

/** Questions about times have another answer each time; all other questions with equal content share one answer. */
const takesTime = (kind: string) => kind === 'race' || /^time$|Times?$/u.test(kind);

export class LessonClient implements Channel {
  loaded = $state.raw<Loaded | null>(null);
  /** The reason why nothing is computed until the visitor tries again: two failures, or the visitor has stopped it. */
  ended = $state.raw<'failed' | 'stopped' | null>(null);
  /** A query has waited for long without a message. */
  slow = $state(false);
  /** Number of retries: queries without an answer are asked again. */
  tries = $state(0);

  #broken = $state.raw<Failure | null>(null);
  /** The reason why the newest question of each kind has no answer, the latest last. */
  #refused = $state.raw<readonly (Failure & { readonly kind: string })[]>([]);
  readonly #line = new Line(
    (again) => this.#start(again),
    () => this.#look(),
  );
  /** The open chapter trains, so there is a training Worker that answers its questions. */
  #trains = false;
  /** Questions go to the training Worker. */
  #joined = false;
  #settled: (() => void)[] = [];
  /** Enough for the figures and questions of one chapter. */
  readonly #kept = new Kept(32);

  /** The reason why something on the page could not be computed. */
  get failure(): (Failure & { readonly kind?: string }) | null {
    return this.#broken ?? this.#refused.at(-1) ?? null;
  }

  /** Starts the Worker, if there is none; `trains` tells whether the chapter trains. */
  start(trains: boolean): void {
    this.#trains = trains;
    if (this.#joined && !trains) this.#line.move();
    else this.#line.start();
  }

  /**
   * A chapter that trains needs only the training module if no other chapter has started the common Worker, unless it
   * has failed.
   */
  #start(again: boolean) {
    this.#joined = this.#trains && !again;
    return this.#joined ? startTrainingWorker() : startWorker(again);
  }

  /** Stops showing failed questions. */
  forget(): void {
    this.#refused = [];
  }

  /** Keeps answers, and the reasons why newest questions have none; sessions go straight to the Worker. */
  begin(...[kind, ask, hear, said, holds]: Parameters<Channel['begin']>): Begun<unknown> {
    if (said) return this.#line.begin(kind, ask, hear, said, holds);
    const others = () => this.#refused.filter((one) => one.kind !== kind);
    const accept = (outcome: Outcome) => {
      if (outcome.what === 'answer' && others().length < this.#refused.length) {
        this.#refused = others();
      }
      hear(outcome);
    };
    const begin = (then: typeof hear) =>
      this.#line.begin(kind, ask, (outcome) => {
        if (outcome.what === 'failed' && !this.#line.failure) {
          this.#refused = [...others(), { ...outcome.failure, kind }];
        }
        then(outcome);
      });
    return takesTime(kind) ? begin(accept) : this.#kept.ask([kind, ask], begin, accept);
  }

  /** Calls `hear` with the answer, or null if there is none. */
  ask<K extends Kind>(
    kind: K,
    ask: Lessons[K]['ask'],
    hear: (answer: Lessons[K]['answer'] | null) => void,
  ): void {
    this.begin(kind, ask, (outcome) =>
      hear(outcome.what === 'answer' ? (outcome.answer as Lessons[K]['answer']) : null),
    );
  }

  /** Settles when all questions asked so far are answered, or known to have no answer. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#settled.push(resolve));
  }

  whenIdle(work: () => void): () => void {
    return this.#line.whenIdle(work);
  }

  stop(): void {
    this.#line.stop();
  }

  tryAgain(): void {
    this.forget();
    this.#line.tryAgain();
    this.tries += 1;
  }

  #look(): void {
    const { loaded, failure, stopped, slow, busy, asking } = this.#line;
    asks(this, asking);
    this.loaded = loaded ?? this.loaded;
    this.#broken = failure;
    this.ended = failure ? 'failed' : stopped ? 'stopped' : null;
    this.slow = slow;
    if (busy) return;
    this.#settled.splice(0).forEach((settle) => settle());
  }
}

let client: LessonClient | null = null;
const theClient = () => (client ??= new LessonClient());

/** Started with the page: the package is loaded while the chapter's code is still on its way. */
export const startLessonWorker = (trains: boolean) => theClient().start(trains);

const key = Symbol('lessons');

export function provideLessons(trains: boolean): LessonClient {
  const lessons = setContext(key, theClient());
  lessons.forget();
  if (browser) lessons.start(trains);
  return lessons;
}

export function useLessons(): LessonClient {
  return getContext<LessonClient>(key);
}
