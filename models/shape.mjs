// What a config.json calls differently by its family.

/** How large a model is. */
export function shapeOf(config) {
  const width = config.n_embd ?? config.hidden_size;
  const heads = config.n_head ?? config.num_attention_heads;
  const family = String(config.model_type).replace(/^tril-masked-/, '');
  return {
    family,
    layers: config.n_layer ?? config.num_hidden_layers,
    heads,
    kvHeads: config.num_key_value_heads ?? heads,
    width,
    headWidth: config.head_dim ?? width / heads,
    projectionBiases: config.attention_bias === true || family === 'gpt2' || family === 'qwen2',
    hidden: config.n_inner ?? config.intermediate_size ?? 4 * width,
    gated: family !== 'gpt2',
    context: config.n_positions ?? config.max_position_embeddings,
    vocabulary: config.vocab_size,
  };
}
