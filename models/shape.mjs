// What a config.json calls differently by its family.

/** Layers, heads, context and vocabulary of a model. */
export function shapeOf(config) {
  return {
    layers: config.n_layer ?? config.num_hidden_layers,
    heads: config.n_head ?? config.num_attention_heads,
    context: config.n_positions ?? config.max_position_embeddings,
    vocabulary: config.vocab_size,
  };
}
