// Data of the chapter's files that are known when the page is built.
import type { SensesAbout, SensesView, WordsAbout, WordsView } from './protocol';

export interface Made {
  /** The view of the full vectors with which the chapter opens. */
  readonly view: WordsView;
  readonly about: WordsAbout;
  /** Sizes in bytes by the names of files in models/. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Number of layers of the encoder; null if there is none. */
  readonly layers: number | null;
  /** The years of the speeches in the share; null if they could not be downloaded. */
  readonly years: readonly number[] | null;
}

/** The encoder's positions of the chapter's opening word in each of its sentences. */
export interface MadeSenses {
  readonly view: SensesView;
  readonly about: SensesAbout;
}
