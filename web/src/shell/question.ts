// A question as data: what it is asked with by turns, what the core is asked, and what its answers make of it.
// Question.svelte asks it.
import type { Kind, Lessons } from '../compute/lesson-protocol';
import type { Guess } from '../figures/guess';
import type { OpenChapter } from './chapter.svelte';

/** What the core is asked: a kind of question, and null while there is nothing to be asked. */
export type Asking = { [K in Kind]: readonly [kind: K, ask: Lessons[K]['ask'] | null] }[Kind];

type Answers<Asks extends readonly Asking[]> = {
  readonly [I in keyof Asks]:
    Lessons[Asks[I][0]]['answer'] | (null extends Asks[I][1] ? null : never);
};

/** Where the visitor is. */
export interface Moment<State, Case> {
  readonly model: OpenChapter<State>;
  readonly state: State;
  /** How often another one was asked for. */
  readonly turn: number;
  /** What it is asked with at this turn. */
  readonly given: Case;
  /** The visitor has made a guess. */
  readonly guessed: boolean;
}

/** As it is asked. */
export interface Asked {
  readonly question: string;
  readonly options: readonly Guess[];
  /** Null while it is being found out. */
  readonly right: readonly string[] | null;
  /** Leads to the cell, or to the state, that answers. */
  readonly see?: () => void;
  /** Hears that the visitor has made a guess. */
  readonly choose?: () => void;
}

export interface Question<State, Case, Asks extends readonly Asking[]> {
  /** By what name it is asked again another day: "chapter/question". */
  readonly card?: string;
  /** The name of the cover, where it stands on one. */
  readonly veil?: string;
  /** Its numbers, by turns. */
  readonly cases?: readonly Case[];
  /** There is no other one to be asked. */
  readonly once?: boolean;
  /** What is said until the right answer is known. */
  readonly waiting?: string;
  /** Always questions of the same kinds. */
  readonly asks?: (moment: Moment<State, Case>) => Asks;
  /** Of answers that belong together; null where there is nothing to be guessed. */
  readonly found: (moment: Moment<State, Case>, ...answers: Answers<Asks>) => Asked | null;
}

/** Any of them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyQuestion = Question<any, any, any>;

/** Questions of a chapter with such a state. */
export const questionsOf =
  <State>() =>
  <Case = undefined, const Asks extends readonly Asking[] = []>(
    question: Question<State, Case, Asks>,
  ): Question<State, Case, Asks> =>
    question;
