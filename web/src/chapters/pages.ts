// The chapters' pages, for who shows a part of one: each is fetched when it is asked for, whole, since in pieces every chapter
// would be more files for all its readers.
import type { Component } from 'svelte';
import type { AnyQuestion } from '../shell/question';
import type { ChapterId } from '.';

/** By name; what is more than data is a component of its own. */
export type Questions = Readonly<Record<string, AnyQuestion | Component>>;

export interface ChapterPage {
  readonly default: Component;
  /** What its questions are about, as on its page when it is opened. */
  readonly provide?: () => unknown;
  /** Those that can be asked by themselves. */
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
