// A question as data: its numbers, what the core is asked about them, and the question that follows from the core's answers.
// Question.svelte asks it.
import type { Kind, Lessons } from '../compute/shared/lesson-protocol';
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
  /** How often the visitor has asked for another one. */
  readonly turn: number;
  /** The numbers of this turn. */
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
  /** The name by which it is asked again on another day: "chapter/question". */
  readonly card?: string;
  /** The name of the cover that it stands on, if it does. */
  readonly veil?: string;
  /** Its numbers, by turns. */
  readonly cases?: readonly Case[];
  /** It has no other numbers, so no other one can be asked. */
  readonly once?: boolean;
  /** What the page says until the right answer is known. */
  readonly waiting?: string;
  /** Always questions of the same kinds. */
  readonly asks?: (moment: Moment<State, Case>) => Asks;
  /** The question that follows from these answers; null where there is nothing to guess. */
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
