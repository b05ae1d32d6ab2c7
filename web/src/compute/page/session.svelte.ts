// A running thing in a Worker: it sends parts until it ends, fails or is cancelled, and takes commands meanwhile.
import { isSame } from './kept';
import type { Begun, Channel, Outcome } from './line';
import type { Failure } from './protocol';
import type { MeaningSessions } from '../shared/meaning/protocol';
import type { MeasureSessions } from '../shared/measure-protocol';
import type { OpenedParts, OpenedSession } from '../shared/opened/protocol';
import type { TrainingSessions } from '../shared/training/protocol';
import text from '$texts/shell.yaml';

interface Kinds
  extends MeasureSessions, TrainingSessions, MeaningSessions, OpenedSession, OpenedParts {}

export type SessionKind = keyof Kinds;
export type Ask<K extends SessionKind> = Kinds[K]['ask'];
export type Part<K extends SessionKind> = Kinds[K]['part'];
export type Answer<K extends SessionKind> = Kinds[K]['answer'];
export type Told<K extends SessionKind> = Kinds[K] extends { told: infer Told } ? Told : never;

/** The reason why there is no answer. For a missing file it is advice to the visitor, not the file's name. */
export const whyOf = ({ offline, message }: Failure): string => (offline ? text.offline : message);

type Usual = 'idle' | 'running' | 'finished' | 'cancelled' | 'failed';

/** `State`: the states of its kind, among them those of the usual ones that it enters. */
export class Session<K extends SessionKind, State extends string = Usual> {
  state = $state.raw('idle' as State);
  /** What the parts and the answer belong to. */
  asked = $state.raw<Ask<K> | null>(null);
  parts = $state.raw<readonly Part<K>[]>([]);
  answer = $state.raw<Answer<K> | null>(null);
  error = $state.raw<Failure | null>(null);

  readonly #kind: K;
  readonly #channel: Channel;
  #begun: Begun<unknown> | null = null;

  constructor(kind: K, channel: Channel) {
    this.#kind = kind;
    this.#channel = channel;
  }

  /** The reason of the failure. */
  get failure(): string {
    return this.error ? whyOf(this.error) : '';
  }
  protected get isOpen(): boolean {
    return this.#begun !== null;
  }

  /** The results belong to something else. */
  isOfAnother(ask: Ask<K> | null): boolean {
    return this.asked !== null && !isSame(this.asked, ask);
  }

  /** Cancels what is running, and starts anew. */
  begin(ask: Ask<K>): void {
    this.cancel();
    this.clear(ask);
    this.launch(ask);
  }

  /** The results so far stay. */
  cancel(): void {
    this.#begun?.cancel();
  }

  reset(): void {
    this.cancel();
    this.clear(null);
    this.state = 'idle' as State;
  }

  protected clear(asked: Ask<K> | null): void {
    this.asked = asked;
    this.parts = [];
    this.answer = null;
  }

  protected launch(ask: Ask<K>, state = 'running' as State): void {
    this.cancel();
    this.state = state;
    let over = false;
    const settle = (outcome: Outcome) => {
      over = true;
      this.#begun = null;
      this.settle(outcome as Outcome<Answer<K>>);
    };
    const begun = this.#channel.begin(this.#kind, ask, settle, (part) =>
      this.hear(part as Part<K>),
    );
    if (!over) this.#begun = begun;
  }

  protected tell(message: Told<K>): void {
    this.#begun?.tell(message);
  }

  protected hear(part: Part<K>): void {
    this.parts = [...this.parts, part];
  }

  protected settle(outcome: Outcome<Answer<K>>): void {
    this.state = (outcome.what === 'answer' ? 'finished' : outcome.what) as State;
    if (outcome.what === 'answer') this.answer = outcome.answer;
    if (outcome.what === 'failed') this.error = outcome.failure;
  }
}
