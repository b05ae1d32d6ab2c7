// The page's client of the lessons' Worker, one for all chapters: questions and sessions by kind.
import { browser } from '$app/environment';
import { getContext, setContext, untrack } from 'svelte';
import { asks } from './asking';
import { isSame, Kept } from './kept';
import type { Kind, Lessons, SessionKind, Sessions } from '../shared/lesson-protocol';
import { Line, type Begun, type Outcome } from './line';
import { made } from './made';
import { startTrainingWorker, startWorker } from './start-worker';
import type { Failure, Loaded } from './protocol';

/** Questions about times have another answer each time; all other questions with equal content share one answer. */
const takesTime = (kind: Kind) => kind === 'race' || /^time$|Times?$/u.test(kind);

export class LessonClient {
  loaded = $state.raw<Loaded | null>(null);
  /** The reason why nothing is computed until the visitor tries again: two failures, or the visitor has stopped it. */
  ended = $state.raw<'failed' | 'stopped' | null>(null);
  /** A query has waited for long without a message. */
  slow = $state(false);
  /** Number of retries: queries without an answer are asked again. */
  tries = $state(0);

  #broken = $state.raw<Failure | null>(null);
  /** The reason why the newest question of each kind has no answer, the latest last. */
  #refused = $state.raw<readonly (Failure & { readonly kind: Kind })[]>([]);
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
  readonly #kept = new Kept<Lessons[Kind]['answer']>(32);

  /** The reason why something on the page could not be computed. */
  get failure(): (Failure & { readonly kind?: Kind }) | null {
    return this.#broken ?? this.#refused.at(-1) ?? null;
  }

  /** Some question has no answer yet. */
  get busy(): boolean {
    return this.#line.busy;
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

  /** Calls `hear` with the answer, or null if there is none. */
  ask<K extends Kind>(
    kind: K,
    ask: Lessons[K]['ask'],
    hear: (answer: Lessons[K]['answer'] | null) => void,
  ): Pick<Begun, 'cancel'> {
    const others = () => this.#refused.filter((one) => one.kind !== kind);
    const accept = (answer: Lessons[K]['answer'] | null) => {
      if (answer !== null && others().length < this.#refused.length) this.#refused = others();
      hear(answer);
    };
    const begin = (then: typeof hear) =>
      this.#line.begin(kind, ask, (outcome) => {
        if (outcome.what === 'failed' && !this.#line.failure) {
          this.#refused = [...others(), { ...outcome.failure, kind }];
        }
        then(outcome.what === 'answer' ? (outcome.answer as Lessons[K]['answer']) : null);
      });
    if (takesTime(kind)) return begin(accept);
    return this.#kept.ask([kind, ask], begin, accept as never);
  }

  /**
   * Opens a session: `said` receives its messages, and `hear` its end. With `holds` the session only keeps something,
   * and nobody waits for its end.
   */
  open<K extends SessionKind>(
    kind: K,
    ask: Sessions[K]['ask'],
    said: (message: Sessions[K]['said']) => void,
    hear: (outcome: Outcome<Sessions[K]['answer']>) => void,
    holds = false,
  ): Begun<Sessions[K]['told']> {
    const [ends, hears] = [hear as (outcome: Outcome) => void, said as (message: unknown) => void];
    return this.#line.begin(kind, ask, ends, hears, holds);
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

/** The value of `make`, which stays the same object as long as its content is equal. */
export function unchanging<T>(make: () => T): () => T {
  let last: T;
  const now = $derived.by(() => {
    const next = make();
    return isSame(next, last) ? last : (last = next);
  });
  return () => now;
}

/** The answer to a changing question: it stays until the next one is there. */
export class Answer<K extends Kind> {
  now = $state.raw<Lessons[K]['answer'] | null>(null);
  /** The question of the current answer. */
  asked = $state.raw<Lessons[K]['ask'] | null>(null);

  readonly #client = useLessons();
  readonly #kind: K;
  #begun: Pick<Begun, 'cancel'> | null = null;
  /** The question to be answered, in its newest version. */
  #wanted: Lessons[K]['ask'] | null = null;
  /**
   * The newest question asked meanwhile. Only this one is sent when the Worker is free, so that a slider never queues
   * up.
   */
  #next: Lessons[K]['ask'] | null = null;
  /** The question that has failed. */
  #left: Lessons[K]['ask'] | null = null;

  /** `ask` returns the question, or null if there is nothing to ask: then the last answer stays. */
  constructor(kind: K, ask: () => Lessons[K]['ask'] | null) {
    this.#kind = kind;
    if (!browser) this.#make(ask());
    $effect(() => {
      const question = ask();
      if (question !== null) untrack(() => this.put(question));
    });
    $effect(() => {
      if (this.#client.tries === 0) return;
      untrack(() => this.#left !== null && this.put(this.#left));
    });
    $effect(() => () => {
      this.#next = null;
      this.#begun?.cancel();
    });
  }

  /** Answers during prerendering, where there is no Worker, and effects do not run. */
  #make(question: Lessons[K]['ask'] | null): void {
    this.asked = question;
    this.now = question && made.answer(this.#kind, question);
  }

  /** Asks an additional question. A question equal to the last is not asked again, unless it had no answer. */
  put(question: Lessons[K]['ask']): void {
    const isNew = this.#left !== null || !isSame(question, this.#wanted);
    this.#wanted = question;
    if (isNew) {
      this.#next = question;
      this.#send();
    } else if (!this.#begun) this.asked = question;
  }

  #send(): void {
    if (this.#begun || this.#next === null) return;
    const question = this.#next;
    this.#next = null;
    let over = false;
    const begun = this.#client.ask(this.#kind, question, (answer) => {
      over = true;
      this.#begun = null;
      this.#left = answer === null ? question : null;
      if (answer !== null) {
        this.now = answer;
        this.asked = this.#next === null ? this.#wanted : question;
      }
      this.#send();
    });
    if (!over) this.#begun = begun;
  }
}

/** The values of a graph, as they change. */
export class GraphAnswer extends Answer<'graph'> {
  constructor(ask: () => Lessons['graph']['ask']) {
    super('graph', ask);
  }

  /** The last answered question with its values: everything shown is read from this. */
  get found() {
    return this.now && this.asked && { graph: this.asked.graph, values: this.now };
  }
}

/** The answer to a question that takes long: a newer question cancels the one before, and so can the visitor. */
export class LongAnswer<
  K extends SessionKind,
  Ask extends Sessions[K]['ask'] = Sessions[K]['ask'],
> {
  now = $state.raw<Sessions[K]['answer'] | null>(null);
  /** The question of the current answer. */
  asked = $state.raw<Ask | null>(null);
  /** The last message before the next answer. */
  said = $state.raw<Sessions[K]['said'] | null>(null);
  state = $state.raw<'idle' | 'running' | 'answered' | 'failed' | 'cancelled'>('idle');
  failure = $state.raw<Failure | null>(null);

  readonly #client = useLessons();
  readonly #kind: K;
  readonly #post: (ask: Ask) => Sessions[K]['ask'];
  #begun: Begun | null = null;
  #question: Ask | null = null;

  /**
   * `ask` returns the question, or null if there is nothing to ask; `post` converts it to the message for the Worker.
   */
  constructor(
    kind: K,
    ask: () => Ask | null,
    post: (ask: Ask) => Sessions[K]['ask'] = (all) => all,
  ) {
    this.#kind = kind;
    this.#post = post;
    $effect(() => {
      this.#question = ask();
      untrack(() => (this.#question === null ? this.cancel() : this.again()));
    });
    $effect(() => {
      if (this.#client.tries === 0) return;
      untrack(() => this.state !== 'answered' && this.again());
    });
    $effect(() => () => this.#begun?.cancel());
  }

  cancel(): void {
    this.#begun?.cancel();
  }

  /** Asks the current question once more. */
  again(): void {
    const question = this.#question;
    if (question === null) return;
    this.#begun?.cancel();
    this.state = 'running';
    this.said = null;
    this.failure = null;
    this.#begun = this.#client.open(
      this.#kind,
      this.#post(question),
      (message) => (this.said = message),
      (outcome) => {
        this.state = outcome.what === 'answer' ? 'answered' : outcome.what;
        if (outcome.what === 'failed') this.failure = outcome.failure;
        if (outcome.what !== 'answer') return;
        this.now = outcome.answer;
        this.asked = question;
      },
    );
  }
}

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
