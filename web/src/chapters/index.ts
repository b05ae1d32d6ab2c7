// The chapters there are, in order. Each is loaded when it is opened, so that the first figure of any is
// soon there.
import type { Component } from 'svelte';

export interface Chapter {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: Component }>;
}

export const chapters: readonly Chapter[] = [
  { id: 'multiply', number: 1, title: 'Multiply', load: () => import('./multiply/Page.svelte') },
  { id: 'average', number: 2, title: 'Average', load: () => import('./average/Page.svelte') },
  { id: 'attend', number: 3, title: 'Attend', load: () => import('./attend/Page.svelte') },
  { id: 'mask', number: 4, title: 'Mask', load: () => import('./mask/Page.svelte') },
  { id: 'heads', number: 5, title: 'Heads', load: () => import('./heads/Page.svelte') },
  { id: 'block', number: 6, title: 'Block', load: () => import('./block/Page.svelte') },
  { id: 'towers', number: 7, title: 'Two towers', load: () => import('./towers/Page.svelte') },
  { id: 'longer', number: 8, title: 'Longer', load: () => import('./longer/Page.svelte') },
  { id: 'check', number: 9, title: 'Check', load: () => import('./check/Page.svelte') },
];

const first = 'attend';

/** The chapter of that name; where there is none, the one that the page opens with. */
export function chapterOf(id: string): Chapter {
  return chapters.find((chapter) => chapter.id === id) ?? chapterOf(first);
}
