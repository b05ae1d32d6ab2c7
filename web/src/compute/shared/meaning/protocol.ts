// Messages between the figures of chapter "Meaning" and the Worker. Only plain data crosses.
import type { Line, Reads, Sense, Separation } from '../../../../../models/meaning.mjs';
import type { Loading, Shipped } from '../../worker/fetched';
import type { CostData, MatrixData } from '../../page/protocol';

export interface Neighbour {
  readonly word: string;
  readonly cosine: number;
}

/** The direction from the second word to the first. */
export type Direction = readonly [to: string, from: string];
/** a is to b as c is to ... */
export type Analogy = readonly [a: string, b: string, c: string];

/** A query about word vectors. */
export interface WordsQuery {
  readonly word: string;
  /** Words whose neighbours are on the map as well. */
  readonly beside: readonly string[];
  /** The axes of the map; null: the two principal components. */
  readonly axes: readonly [across: Direction, up: Direction] | null;
  readonly analogies: readonly Analogy[];
}

export interface Place {
  readonly word: string;
  readonly x: number;
  readonly y: number;
  /** Index of the word whose neighbour it is: 0 the word itself, then those beside it. */
  readonly near: number;
  /** The word is part of the query. */
  readonly asked: boolean;
}

export interface WordsView {
  readonly query: WordsQuery;
  /** Queried words without a vector. */
  readonly unknown: readonly string[];
  readonly neighbours: readonly Neighbour[];
  readonly map: readonly Place[];
  /** The map's share of the squared distances from its centre. */
  readonly share: number;
  /** Cosines between the word and each of those beside it. */
  readonly cosines: readonly Neighbour[];
  /** The nearest words of each analogy; null if a word has no vector. */
  readonly analogies: readonly (readonly Neighbour[] | null)[];
  /** Cost of the cosines of a word with all others. */
  readonly cost: CostData;
}

export type WordsSource = 'all' | 'share';

export interface WordsAbout {
  readonly words: number;
  readonly width: number;
  /** 0 if nothing is learned. */
  readonly steps: number;
}

export interface WordsStep {
  readonly step: number;
  readonly loss: number;
  /** Words per second. */
  readonly rate: number;
}

export type WordsSaid =
  | Loading
  | { readonly what: 'begun'; readonly about: WordsAbout }
  | { readonly what: 'view'; readonly view: WordsView; readonly steps: readonly WordsStep[] };
export type WordsTold = 'go' | 'wait' | WordsQuery;

/** A word in the text, and the words that tell its senses apart, if any are given. */
export interface SensesQuery {
  readonly word: string;
  readonly cues: readonly (readonly string[])[];
  /** A sentence of the visitor's own, which need not contain the word. */
  readonly sentence: string;
}

/** One dot, layer by layer. */
export interface Path {
  readonly sense: Sense;
  readonly line: Line;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface SensesView {
  readonly query: SensesQuery;
  /** Number of occurrences of the word in the text. */
  readonly occurrences: number;
  readonly paths: readonly Path[];
  /** The encoder's input for each occurrence. */
  readonly reads: readonly Reads[];
  /** The path of the visitor's own word; `nearer`, layer by layer: its mean cosine with each sense. */
  readonly own: (Path & { readonly nearer: readonly (readonly [number, number])[] }) | null;
  /** Layer by layer; null if the rule assigns too few occurrences. */
  readonly separation: readonly (Separation | null)[];
  /** The map's share of the variance of the dots, layer by layer. */
  readonly shares: readonly number[];
  readonly milliseconds: number;
  /** Cost of one sentence as long as the context. */
  readonly cost: CostData;
}

export interface SensesAbout {
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly context: number;
  readonly vocabulary: number;
}

export type SensesSaid =
  | Loading
  | { readonly what: 'open'; readonly about: SensesAbout }
  | { readonly what: 'reading'; readonly done: number; readonly all: number }
  | { readonly what: 'view'; readonly view: SensesView };

/** The visitor's sentences, and the selected one. */
export interface SentencesQuery {
  readonly sentences: readonly string[];
  readonly pick: number;
}

/** A token of the selected sentence. */
export interface PooledToken {
  readonly text: string;
  /**
   * Its share in the pooling: for the mean, the share of the vector along itself; for the maximum, the share of
   * elements.
   */
  readonly share: number;
}

export interface SentencesView {
  readonly query: SentencesQuery;
  /** Coordinates of each sentence, along the two directions in which they differ most. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The map's share of the squared distances from its centre. */
  readonly share: number;
  /** Cosines of all pairs of sentences, [N, N]. */
  readonly cosines: MatrixData;
  readonly tokens: readonly PooledToken[];
  readonly milliseconds: number;
}

export interface SentencesAbout {
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly parameters: number;
  readonly pooling: 'mean' | 'cls' | 'max';
  readonly normalised: boolean;
  readonly maxTokens: number;
}

export type SentencesSaid =
  | Loading
  | { readonly what: 'open'; readonly about: SentencesAbout }
  | { readonly what: 'view'; readonly view: SentencesView };

export interface MeaningSessions {
  sentences: {
    ask: {
      /** Files by their paths in the encoder's folder. */
      readonly files: Readonly<Record<string, File>>;
      readonly query: SentencesQuery;
    };
    part: SentencesSaid;
    told: SentencesQuery;
    answer: never;
  };
  words: {
    ask: {
      readonly source: WordsSource;
      readonly seed: number;
      readonly file: Shipped;
      readonly query: WordsQuery;
    };
    part: WordsSaid;
    told: WordsTold;
    answer: never;
  };
  senses: {
    ask: {
      readonly files: Readonly<Record<string, Shipped>>;
      readonly text: Shipped;
      readonly query: SensesQuery;
    };
    part: SensesSaid;
    told: SensesQuery;
    answer: never;
  };
}
