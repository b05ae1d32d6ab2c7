// Questions that can be asked by themselves, by their names: "chapter/question".
import { pages, type Questions } from '../chapters/pages';
import type Question from '../shell/Question.svelte';

export interface Found {
  /** What it is about. */
  readonly provide: () => unknown;
  readonly question: Questions[string];
  /** Asks one that is data. */
  readonly Asking: typeof Question;
}

/** Null where there is none of that name, or not any more. */
export async function questionOf(id: string): Promise<Found | null> {
  const [chapter, name] = id.split('/');
  if (!Object.hasOwn(pages, chapter)) return null;
  const [{ provide, questions = {} }, { default: Asking }] = await Promise.all([
    pages[chapter as keyof typeof pages](),
    import('../shell/Question.svelte'),
  ]);
  if (!provide || !Object.hasOwn(questions, name)) return null;
  return { provide, question: questions[name], Asking };
}
