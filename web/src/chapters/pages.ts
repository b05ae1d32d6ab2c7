// The chapters' pages, for code that shows a part of one. Each is loaded on demand, as a unit: in pieces, every chapter
// would be more files for all its readers.
import type { Component } from 'svelte';
import type { AnyQuestion } from '../shell/question';
import type { ChapterId } from '.';

/** Questions by name; one that is more than data is a component. */
export type Questions = Readonly<Record<string, AnyQuestion | Component>>;

export interface ChapterPage {
  readonly default: Component;
  /** Provides the context of its questions, as its page does. */
  readonly provide?: () => unknown;
  /** Questions that can be asked by themselves. */
  readonly questions?: Questions;
}

export const pages: Readonly<Record<ChapterId, () => Promise<ChapterPage>>> = {
  attend: () => import('./attend/Page.svelte'),
  average: () => import('./average/Page.svelte'),
  mask: () => import('./mask/Page.svelte'),
  heads: () => import('./heads/Page.svelte'),
  learn: () => import('./learn/Page.svelte'),
  meaning: () => import('./meaning/Page.svelte'),
  model: () => import('./model/Page.svelte'),
  multiply: () => import('./multiply/Page.svelte'),
  block: () => import('./block/Page.svelte'),
  towers: () => import('./towers/Page.svelte'),
  longer: () => import('./longer/Page.svelte'),
  check: () => import('./check/Page.svelte'),
  write: () => import('./write/Page.svelte'),
};
