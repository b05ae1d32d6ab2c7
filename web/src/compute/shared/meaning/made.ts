// What is known of the chapter's files when the page is built.
import type { SensesAbout, SensesView, WordsAbout, WordsView } from './protocol';

export interface Made {
  /** What the full vectors say of what the chapter opens with. */
  readonly view: WordsView;
  readonly about: WordsAbout;
  /** Bytes by the names of files in models/. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Of the encoder; null where there is none. */
  readonly layers: number | null;
  /** The years of the speeches in the share; null where they could not be fetched. */
  readonly years: readonly number[] | null;
}

/** Where the encoder puts the word that the chapter opens with, in each of its sentences. */
export interface MadeSenses {
  readonly view: SensesView;
  readonly about: SensesAbout;
}
