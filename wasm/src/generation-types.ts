/** The options of sampling, with the same defaults for a loaded model, a trainer and `tril generate`. */
export interface DrawOptions {
  /** Maximum number of tokens (default 100). */
  readonly maxTokens?: number;
  /** Divisor of the logits; 0 takes the most likely token (default 0.8). */
  readonly temperature?: number;
  /** Number of the most likely tokens to draw from; 0 for all (default 0). */
  readonly topK?: number;
  /** Total probability of the most likely tokens to draw from, as few as possible; 1 for all (default 1). */
  readonly topP?: number;
  /** Minimum probability of a token, as a share of the largest; 0 for all (default 0). */
  readonly minP?: number;
  /** Seed of the draws (default 0; for a trainer its own seed plus the number of its steps). */
  readonly seed?: number;
  /** Text, or any of several, before which generation ends (default: none). */
  readonly stop?: string | readonly string[];
}

/** The next part of a text. */
export interface GeneratedPart {
  /** The token; missing where only text is left that was held back as a possible beginning of a stop text. */
  readonly token?: number;
  /** The next final part of the text; may be empty. */
  readonly text: string;
  /** Duration of its computation in milliseconds: the whole prompt for the first token, one token for the others. */
  readonly milliseconds: number;
}
