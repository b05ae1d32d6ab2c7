// Which questions can be asked by themselves, chapter by chapter: a chapter is fetched when it is its turn, whole, since in
// pieces every chapter would be more files for all its readers.
import type { Component } from 'svelte';

interface Questions {
  /** What its questions are about, as on its page when it is opened. */
  readonly provide: () => unknown;
  readonly questions: Readonly<Record<string, Component>>;
}

const all: Readonly<Record<string, () => Promise<Questions>>> = {
  multiply: () => import('../chapters/multiply/Page.svelte'),
  average: () => import('../chapters/average/Page.svelte'),
  attend: () => import('../chapters/attend/Page.svelte'),
  mask: () => import('../chapters/mask/Page.svelte'),
  heads: () => import('../chapters/heads/Page.svelte'),
  block: () => import('../chapters/block/Page.svelte'),
  towers: () => import('../chapters/towers/Page.svelte'),
  longer: () => import('../chapters/longer/Page.svelte'),
  check: () => import('../chapters/check/Page.svelte'),
};

export interface Found {
  readonly provide: () => unknown;
  readonly Question: Component;
}

/** Null where there is none of that name, or not any more. */
export async function questionOf(id: string): Promise<Found | null> {
  const [chapter, name] = id.split('/');
  if (!Object.hasOwn(all, chapter)) return null;
  const { provide, questions } = await all[chapter]();
  if (!Object.hasOwn(questions, name)) return null;
  return { provide, Question: questions[name] };
}
