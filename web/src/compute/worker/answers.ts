// How a chapter's lessons answer: what lessons/ are written against, knowing nothing of each other.
import type { Tril } from 'tril';
import type { LessonsTril } from 'tril/lessons';

/** How a chapter's questions are answered. Tensors made on the way are disposed of afterwards. */
export type Answers<Own, Loaded extends Tril = LessonsTril> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: Loaded, ask: Ask) => Answer
    : never;
};

/** What cannot be answered at once; tensors made on the way are its own affair. */
export type Later<Own> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: LessonsTril, ask: Ask) => Promise<Answer>
    : never;
};

/**
 * Work that takes long, says what it finds on the way, or holds something between what it is told: the Worker's end of
 * it. What is waited for is refused with `Cancelled` once nobody wants the work any more; then it only tidies up.
 */
export interface Session<Said = never, Told = never> {
  say(message: Said): void;
  /** What it was told since this was last called, in order. */
  told(): Told[];
  /** The next that it is told, whenever that is. */
  next(): Promise<Told>;
  /** Aborted once nobody wants the work any more. */
  readonly signal: AbortSignal;
  /** Lets the Worker hear and answer others: between any two pieces of the work, a tenth of a second at most. */
  turn(): Promise<void>;
}

/** How sessions are held, as { kind: { ask, said, told, answer } }; their tensors are their own affair. */
export type Held<Own, Loaded extends Tril = LessonsTril> = {
  readonly [K in keyof Own]: Own[K] extends {
    ask: infer Ask;
    said: infer Said;
    told: infer Told;
    answer: infer Answer;
  }
    ? (tril: Loaded, ask: Ask, session: Session<Said, Told>) => Promise<Answer>
    : never;
};

/** Why a session has ended that nobody wants any more. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
