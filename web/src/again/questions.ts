// Questions that can be asked by themselves, by their names: "chapter/question".
import type { Component } from 'svelte';
import { pages } from '../chapters/pages';

export interface Found {
  /** What it is about. */
  readonly provide: () => unknown;
  readonly Question: Component;
}

/** Null where there is none of that name, or not any more. */
export async function questionOf(id: string): Promise<Found | null> {
  const [chapter, name] = id.split('/');
  if (!Object.hasOwn(pages, chapter)) return null;
  const { provide, questions = {} } = await pages[chapter as keyof typeof pages]();
  if (!provide || !Object.hasOwn(questions, name)) return null;
  return { provide, Question: questions[name] };
}
