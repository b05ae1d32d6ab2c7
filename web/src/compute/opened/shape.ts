// How large a model is, by its settings as Tril writes them: families name the same things differently.
type Config = Readonly<Record<string, unknown>>;

export interface Shape {
  /** "gpt2", "llama" or "qwen2". */
  readonly family: string;
  readonly layers: number;
  readonly heads: number;
  /** Of keys and values: fewer than heads where these share them. */
  readonly keyHeads: number;
  readonly width: number;
  readonly headWidth: number;
  /** Of feed-forward. */
  readonly hidden: number;
  /** Feed-forward has a gate. */
  readonly gated: boolean;
  /** Tokens that it can read at once. */
  readonly context: number;
  readonly vocabulary: number;
}

export function shapeOf(config: Config): Shape {
  const number = (...names: string[]) =>
    names.map((name) => config[name]).find((value) => typeof value === 'number') as number;
  const width = number('n_embd', 'hidden_size');
  const heads = number('n_head', 'num_attention_heads');
  const family = String(config['model_type']);
  return {
    family,
    layers: number('n_layer', 'num_hidden_layers'),
    ...{ heads, keyHeads: number('num_key_value_heads') ?? heads },
    ...{ width, headWidth: width / heads },
    hidden: number('n_inner', 'intermediate_size') ?? 4 * width,
    gated: family !== 'gpt2',
    context: number('n_positions', 'max_position_embeddings'),
    vocabulary: number('vocab_size'),
  };
}

/** Numbers that a traced text may come to, so that it fits into memory beside the weights. */
const most = 2 ** 26;
const widest = 64;

/** How many tokens of a text are shown at the most. */
export const placesOf = ({ layers, vocabulary, context }: Shape): number =>
  Math.max(1, Math.min(context - 1, widest, Math.floor(most / (layers * vocabulary))));
