// The names in a config.json that depend on the family, as the core writes them: with every setting.

/** The sizes of a model. */
export function shapeOf(config) {
  const width = config.n_embd ?? config.hidden_size;
  const heads = config.n_head ?? config.num_attention_heads;
  const family = String(config.model_type).replace(/^tril-masked-/, '');
  const layers = config.n_layer ?? config.num_hidden_layers;
  const plain = ['gpt2', 'gpt_neox', 'starcoder2'].includes(family);
  const biases = (plain && config.use_bias !== false) || config.mlp_bias === true;
  const window = config.sliding_window ?? 0;
  const isLocal = (type) => type === 'sliding_attention';
  const act = config.activation_function ?? config.hidden_activation ?? config.hidden_act;
  return {
    family,
    layers,
    heads,
    kvHeads: config.num_key_value_heads ?? heads,
    width,
    headWidth: config.head_dim ?? width / heads,
    biases,
    projectionBiases:
      biases ||
      config.attention_bias === true ||
      config.use_qkv_bias === true ||
      family === 'qwen2',
    hidden: config.n_inner ?? config.intermediate_size ?? 4 * width,
    gated: !plain,
    activation: act.startsWith('gelu') ? 'gelu' : 'silu',
    window,
    windowed: window ? (config.layer_types?.filter(isLocal).length ?? layers) : 0,
    context: config.n_positions ?? config.max_position_embeddings,
    vocabulary: config.vocab_size,
  };
}
