/** How vectors of words are learned; what is not given is as word2vec.c has it. */
export interface WordVectorSettings {
  /** Of the vectors; 100 unless given. */
  readonly width?: number;
  /** The most words to each side that a word is told from; 5 unless given. */
  readonly window?: number;
  /** Words drawn at random to tell one from; 5 unless given. */
  readonly negative?: number;
  /** Times over the texts; 5 unless given. */
  readonly epochs?: number;
  /** Words that occur less often are left out; 5 unless given. */
  readonly minCount?: number;
  /** Words more frequent than this share are thinned out; 0.001 unless given. With 0 none. */
  readonly sample?: number;
  /** At the beginning; it falls evenly to nothing; 0.025 unless given. */
  readonly learningRate?: number;
  /** Of all that is drawn; 1 unless given. */
  readonly seed?: number;
  /** `Bank` and `bank` are two words; false unless given. */
  readonly keepCase?: boolean;
}

/** A text, or its bytes in UTF-8. */
export type WordText = string | Uint8Array;

/** What `wordVectors` is made from. */
export interface WordVectorOptions extends WordVectorSettings {
  /** What is learned from. No window reaches from one text into another, or across a blank line. */
  readonly data: WordText | readonly WordText[];
}

/** What a step was. */
export interface WordVectorStep {
  /** Its number, from 0. */
  readonly step: number;
  /** Of the texts that it went over; those that are left out are not counted. */
  readonly words: number;
  /** That were learned: a word and one around it, or one that was drawn. */
  readonly pairs: number;
  /** Their mean, in nats. */
  readonly loss: number;
  readonly learningRate: number;
  /** That it took. */
  readonly milliseconds: number;
}

/** A word, and the cosine of the angle between its vector and what was asked for. */
export interface WordNeighbour {
  readonly word: string;
  /** From -1 to 1. */
  readonly cosine: number;
}

/** @internal What of word vectors is the same on both sides of a Worker. */
export interface WordVectorParts {
  readonly settings: Readonly<Required<WordVectorSettings>>;
  readonly words: readonly string[];
  readonly counts: readonly number[];
  readonly allSteps: number;
}
