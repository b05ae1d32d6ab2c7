// Types of the answers to a chapter's lessons: the files in lessons/ depend on these, and not on each other.
import type { Tril } from 'tril';
import type { LessonsTril } from 'tril/lessons';

/** Functions that answer a chapter's questions. Their tensors are disposed of afterwards. */
export type Answers<Own, Loaded extends Tril = LessonsTril> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: Loaded, ask: Ask) => Answer
    : never;
};

/**
 * The Worker's side of work that takes long, reports progress, or keeps something between commands. Its promises are
 * rejected with `Cancelled` once nobody wants the work any more; then it only cleans up.
 */
export interface Session<Said = never, Told = never> {
  say(message: Said): void;
  /** The commands since the last call, in order. */
  told(): Told[];
  /** The next command, whenever it arrives. */
  next(): Promise<Told>;
  /** Aborted once nobody wants the work any more. */
  readonly signal: AbortSignal;
  /**
   * Lets the Worker receive messages and answer others: called between pieces of work of at most a tenth of a second.
   */
  turn(): Promise<void>;
}

type Part<One> = One extends { part: infer Part } ? Part : never;
type Told<One> = One extends { told: infer Told } ? Told : never;

/** Functions that answer later, some of them as sessions with parts; they dispose of their own tensors. */
export type Later<Own, Loaded extends Tril = LessonsTril> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: Loaded, ask: Ask, session: Session<Part<Own[K]>, Told<Own[K]>>) => Promise<Answer>
    : never;
};

/** The reason for the end of a session that nobody wants any more. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
