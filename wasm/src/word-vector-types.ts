/** How vectors of words are learned; what is not given is as word2vec.c has it. */
export interface WordVectorSettings {
  /** Numbers in each vector; 100 unless given. */
  readonly width?: number;
  /** The most words on either side of a word that count as near it; 5 unless given. */
  readonly window?: number;
  /** Words drawn at random for each window; 5 unless given. */
  readonly negative?: number;
  /** How often the texts are read; 5 unless given. */
  readonly epochs?: number;
  /** Words that occur less often are left out; 5 unless given. */
  readonly minCount?: number;
  /** Words more frequent than this share are thinned out; 0.001 unless given. With 0 none. */
  readonly sample?: number;
  /** The rate at the beginning, from which it falls evenly to nothing; 0.025 unless given. */
  readonly learningRate?: number;
  /** The seed of all draws; 1 unless given. */
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
  /** How many words of the texts it went over, without those that `minCount` leaves out. */
  readonly words: number;
  /** How many pairs were learned: a word and one around it, or one that was drawn. */
  readonly pairs: number;
  /** The mean loss of a pair, in nats. */
  readonly loss: number;
  readonly learningRate: number;
  /** The time that it took. */
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
