/** The options of learning word vectors; the defaults are word2vec.c's. */
export interface WordVectorSettings {
  /** Width of a vector (default 100). */
  readonly width?: number;
  /** Maximum number of words on either side of a word that count as its context (default 5). */
  readonly window?: number;
  /** Number of words drawn at random for each window (default 5). */
  readonly negative?: number;
  /** Number of times that the texts are read (default 5). */
  readonly epochs?: number;
  /** Number of occurrences below which a word is left out (default 5). */
  readonly minCount?: number;
  /** Frequency above which a word is subsampled; 0 subsamples none (default 0.001). */
  readonly sample?: number;
  /** Learning rate at the beginning; it falls evenly to 0 (default 0.025). */
  readonly learningRate?: number;
  /** Seed of all draws (default 1). */
  readonly seed?: number;
  /** Whether `Bank` and `bank` are two words (default false). */
  readonly keepCase?: boolean;
}

/** A text, or its bytes in UTF-8. */
export type WordText = string | Uint8Array;

/** The options of `wordVectors`. */
export interface WordVectorOptions extends WordVectorSettings {
  /** The texts to learn from. No window reaches from one text into another, or across a blank line. */
  readonly data: WordText | readonly WordText[];
}

/** The result of a step. */
export interface WordVectorStep {
  /** Number of the step, from 0. */
  readonly step: number;
  /** Number of words that it covered, without words dropped by `minCount`. */
  readonly words: number;
  /** Number of trained pairs: a word with one of its context, or with a random one. */
  readonly pairs: number;
  /** The mean loss of a pair, in nats. */
  readonly loss: number;
  readonly learningRate: number;
  /** Duration of the step in milliseconds. */
  readonly milliseconds: number;
}

/** A word, and the cosine of the angle between its vector and the queried one. */
export interface WordNeighbour {
  readonly word: string;
  /** The cosine, from -1 to 1. */
  readonly cosine: number;
}

/** @internal The properties of word vectors on both sides of a Worker. */
export interface WordVectorParts {
  readonly settings: Readonly<Required<WordVectorSettings>>;
  readonly words: readonly string[];
  readonly counts: readonly number[];
  readonly allSteps: number;
}
