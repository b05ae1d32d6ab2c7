// What the figures of chapter "Meaning" and the Worker tell each other. Only plain data crosses.
import type { Line, Reads, Sense, Separation } from '../../../../../models/meaning.mjs';
import type { Loading, Shipped } from '../../worker/fetched';
import type { CostData, MatrixData } from '../../page/protocol';

export interface Neighbour {
  readonly word: string;
  readonly cosine: number;
}

/** From the second word to the first. */
export type Direction = readonly [to: string, from: string];
/** a is to b as c is to ... */
export type Analogy = readonly [a: string, b: string, c: string];

/** What is asked of word vectors. */
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
  /** Near which of the words: 0 the word itself, then those beside it. */
  readonly near: number;
  /** One of those that are asked for. */
  readonly asked: boolean;
}

export interface WordsView {
  readonly query: WordsQuery;
  /** Words that are asked for and have no vector. */
  readonly unknown: readonly string[];
  readonly neighbours: readonly Neighbour[];
  readonly map: readonly Place[];
  /** Of the squared distances from the middle of the map: what its axes hold. */
  readonly share: number;
  /** Of the word with each of those beside it. */
  readonly cosines: readonly Neighbour[];
  /** The nearest of each; null where a word has no vector. */
  readonly analogies: readonly (readonly Neighbour[] | null)[];
  /** Of the cosines of a word with all others. */
  readonly cost: CostData;
}

export type WordsSource = 'all' | 'share';

export interface WordsAbout {
  readonly words: number;
  readonly width: number;
  /** None where nothing is learned. */
  readonly steps: number;
}

export interface WordsStep {
  readonly step: number;
  readonly loss: number;
  /** Words a second. */
  readonly rate: number;
}

export type WordsSaid =
  | Loading
  | { readonly what: 'begun'; readonly about: WordsAbout }
  | { readonly what: 'view'; readonly view: WordsView; readonly steps: readonly WordsStep[] };
export type WordsTold = 'go' | 'wait' | WordsQuery;

/** A word in the text: what tells its senses apart, if anything is said to. */
export interface SensesQuery {
  readonly word: string;
  readonly cues: readonly (readonly string[])[];
  /** A sentence of the visitor's own; it need not have the word. */
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
  /** How often the word stands in the text. */
  readonly occurrences: number;
  readonly paths: readonly Path[];
  /** What the encoder reads of each. */
  readonly reads: readonly Reads[];
  /** Where the visitor's own word lands; `nearer`, layer by layer: its mean cosine with each sense. */
  readonly own: (Path & { readonly nearer: readonly (readonly [number, number])[] }) | null;
  /** Layer by layer; none where the rule tells too few apart. */
  readonly separation: readonly (Separation | null)[];
  /** Of what the dots of a layer differ by: what the map holds. */
  readonly shares: readonly number[];
  readonly milliseconds: number;
  /** Of one sentence of as many tokens as the context has. */
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

/** Sentences of the visitor's, and which of them is looked at. */
export interface SentencesQuery {
  readonly sentences: readonly string[];
  readonly pick: number;
}

/** A token of the sentence that is looked at. */
export interface PooledToken {
  readonly text: string;
  /** What pooling takes from it: of the mean, the share of the vector along itself; of the largest, that of its elements. */
  readonly share: number;
}

export interface SentencesView {
  readonly query: SentencesQuery;
  /** Of each sentence, along the two directions in which they differ most. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Of the squared distances from the middle: what the map holds. */
  readonly share: number;
  /** Of every two sentences, [N, N]. */
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
      /** By their paths in the encoder's folder. */
      readonly files: Readonly<Record<string, File>>;
      readonly query: SentencesQuery;
    };
    said: SentencesSaid;
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
    said: WordsSaid;
    told: WordsTold;
    answer: never;
  };
  senses: {
    ask: {
      readonly files: Readonly<Record<string, Shipped>>;
      readonly text: Shipped;
      readonly query: SensesQuery;
    };
    said: SensesSaid;
    told: SensesQuery;
    answer: never;
  };
}
