/** The options of sampling, with the same defaults for a loaded model, a trainer and `tril generate`. */
export interface DrawOptions {
  /** Maximum number of tokens (default 100). */
  readonly maxTokens?: number;
  /** Divisor of the logits; with 0 the most likely token is taken (default 0.8). */
  readonly temperature?: number;
  /** Number of the most likely tokens to draw from; 0 for all (default 0). */
  readonly topK?: number;
  /** Only the fewest of the most likely tokens that together have this probability; 1 for all (default 1). */
  readonly topP?: number;
  /** Only tokens of at least this share of the largest probability; 0 for all (default 0). */
  readonly minP?: number;
  /** Seed of the draws (default 0; of a trainer its own seed plus the number of its steps). */
  readonly seed?: number;
  /** Ends before this text, or any of these (default: none). */
  readonly stop?: string | readonly string[];
}

/** The next part of a text. */
export interface GeneratedPart {
  /** The token; missing where only text is left that was held back as a possible beginning of a stop text. */
  readonly token?: number;
  /** The next part of the text that is final; may be empty. */
  readonly text: string;
  /** Duration of its computation in milliseconds: the whole prompt for the first token, one token for the others. */
  readonly milliseconds: number;
}
