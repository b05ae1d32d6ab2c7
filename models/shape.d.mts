/** How large a model is. */
export interface Shape {
  /** Its model_type: "gpt2", "llama", ... */
  readonly family: string;
  readonly layers: number;
  readonly heads: number;
  /** Of keys and values: fewer than heads where these share them. */
  readonly kvHeads: number;
  readonly width: number;
  readonly headWidth: number;
  /** All linear layers have biases. */
  readonly biases: boolean;
  /** Queries, keys and values have biases. */
  readonly projectionBiases: boolean;
  /** Of feed-forward. */
  readonly hidden: number;
  /** Feed-forward has a gate. */
  readonly gated: boolean;
  readonly activation: 'silu' | 'gelu';
  /** Keys that a query sees at most, in as many layers as are `windowed`. */
  readonly window: number;
  readonly windowed: number;
  /** Tokens that it can read at once. */
  readonly context: number;
  readonly vocabulary: number;
}

/** By what its family calls its settings. */
export function shapeOf(config: Readonly<Record<string, unknown>>): Shape;
