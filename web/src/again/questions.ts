// Questions that can be asked by themselves, by name: "chapter/question".
import { pages, type Questions } from '../chapters/pages';
import type Question from '../shell/Question.svelte';

export interface Found {
  /** Provides the chapter's state. */
  readonly provide: () => unknown;
  readonly question: Questions[string];
  /** The component that asks a question given as data. */
  readonly Asking: typeof Question;
}

/** Null if there is no question of that name any more. */
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
