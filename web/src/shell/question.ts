// A question as data: its numbers, the queries to the core about them, and the question that follows from the core's
// answers. Question.svelte asks it.
import type { Kind, Lessons } from '../compute/shared/lesson-protocol';
import type { Guess } from '../figures/guess';
import type { OpenChapter } from './chapter.svelte';

/** A query to the core: its kind, and its data, or null while there is nothing to ask. */
export type Asking = { [K in Kind]: readonly [kind: K, ask: Lessons[K]['ask'] | null] }[Kind];

type Answers<Asks extends readonly Asking[]> = {
  readonly [I in keyof Asks]:
    Lessons[Asks[I][0]]['answer'] | (null extends Asks[I][1] ? null : never);
};

/** The visitor's situation. */
export interface Moment<State, Case> {
  readonly model: OpenChapter<State>;
  readonly state: State;
  /** Number of times that the visitor has asked for another question. */
  readonly turn: number;
  /** The numbers of this turn. */
  readonly given: Case;
  /** The visitor has made a guess. */
  readonly guessed: boolean;
}

/** A question with its answers. */
export interface Asked {
  readonly question: string;
  readonly options: readonly Guess[];
  /** The right answers; null until they are computed. */
  readonly right: readonly string[] | null;
  /** Leads to the cell, or to the state, that answers. */
  readonly see?: () => void;
  /** Called when the visitor has made a guess. */
  readonly choose?: () => void;
}

export interface Question<State, Case, Asks extends readonly Asking[]> {
  /** Name under which it is repeated on another day: "chapter/question". */
  readonly card?: string;
  /** Name of the cover on which it stands, if there is one. */
  readonly veil?: string;
  /** Its numbers, by turns. */
  readonly cases?: readonly Case[];
  /** There are no other numbers, so no other question can be asked. */
  readonly once?: boolean;
  /** Text until the right answer is known. */
  readonly waiting?: string;
  /** The queries, always of the same kinds. */
  readonly asks?: (moment: Moment<State, Case>) => Asks;
  /** The question that follows from these answers; null if there is nothing to guess. */
  readonly found: (moment: Moment<State, Case>, ...answers: Answers<Asks>) => Asked | null;
}

/** Any question. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyQuestion = Question<any, any, any>;

/** Questions of a chapter with this type of state. */
export const questionsOf =
  <State>() =>
  <Case = undefined, const Asks extends readonly Asking[] = []>(
    question: Question<State, Case, Asks>,
  ): Question<State, Case, Asks> =>
    question;
