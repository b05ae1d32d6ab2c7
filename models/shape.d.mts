/** How large a model is. */
export interface Shape {
  /** "gpt2", "llama", "qwen2" or "qwen3". */
  readonly family: string;
  readonly layers: number;
  readonly heads: number;
  /** Of keys and values: fewer than heads where these share them. */
  readonly kvHeads: number;
  readonly width: number;
  readonly headWidth: number;
  /** Queries, keys and values have biases. */
  readonly projectionBiases: boolean;
  /** Of feed-forward. */
  readonly hidden: number;
  /** Feed-forward has a gate. */
  readonly gated: boolean;
  /** Tokens that it can read at once. */
  readonly context: number;
  readonly vocabulary: number;
}

/** By what its family calls its settings. */
export function shapeOf(config: Readonly<Record<string, unknown>>): Shape;
