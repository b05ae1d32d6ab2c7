// How a chapter's lessons answer: what lessons/ are written against, knowing nothing of each other.
import type { Tril } from 'tril';

/** How a chapter's questions are answered. Tensors made on the way are disposed of afterwards. */
export type Answers<Own> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: Tril, ask: Ask) => Answer
    : never;
};

/** What cannot be answered at once; tensors made on the way are its own affair. */
export type Later<Own> = {
  readonly [K in keyof Own]: Own[K] extends { ask: infer Ask; answer: infer Answer }
    ? (tril: Tril, ask: Ask) => Promise<Answer>
    : never;
};
