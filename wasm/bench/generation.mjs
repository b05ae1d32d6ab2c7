// Text generation as a case: Tril's part in it, and the inputs of peers.

/** Weights by the names in files of Llama's family: uniform numbers with a deviation of 0.02. */
function weightsOf({ layers, width, hidden, vocabulary }) {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed / 2 ** 32 - 0.5) * 0.07;
  };
  const weights = {};
  const matrix = (name, rows, cols) => {
    weights[name] = { shape: [rows, cols], data: Float32Array.from({ length: rows * cols }, next) };
  };
  const norm = (name) => {
    weights[name] = { shape: [width], data: new Float32Array(width).fill(1) };
  };
  matrix('model.embed_tokens.weight', vocabulary, width);
  for (let n = 0; n < layers; n += 1) {
    const at = `model.layers.${n}.`;
    norm(`${at}input_layernorm.weight`);
    for (const part of 'qkvo') matrix(`${at}self_attn.${part}_proj.weight`, width, width);
    norm(`${at}post_attention_layernorm.weight`);
    for (const part of ['gate', 'up']) matrix(`${at}mlp.${part}_proj.weight`, hidden, width);
    matrix(`${at}mlp.down_proj.weight`, width, hidden);
  }
  norm('model.norm.weight');
  return weights;
}

/**
 * The files of a Llama-like model with random weights and a context of `context` tokens, by Hugging Face's names.
 * @param {object} tril of `tril/training`
 */
export function llamaFiles(tril, sizes, context, dtype = 'float32') {
  const { layers, heads, width, hidden, vocabulary } = sizes;
  const weights = weightsOf(sizes);
  const config = {
    ...{ model_type: 'llama', num_hidden_layers: layers, num_attention_heads: heads },
    ...{ hidden_size: width, intermediate_size: hidden, vocab_size: vocabulary },
    ...{ max_position_embeddings: context, rms_norm_eps: 1e-5, rope_theta: 10000 },
    ...{ tie_word_embeddings: true, hidden_act: 'silu' },
  };
  const file = tril.scope(() => {
    const entries = Object.entries(weights);
    const tensors = entries.map(([name, { shape, data }]) => [name, tril.tensor(shape, data)]);
    return tril.writeSafetensors(Object.fromEntries(tensors), { dtype });
  });
  const text = new TextEncoder().encode(JSON.stringify(config));
  return { weights, files: { 'config.json': text, 'model.safetensors': file } };
}

/** Tokens with which peers are checked before they are timed, by the logits after them. */
const trialOf = (vocabulary) => Array.from({ length: 12 }, (_, n) => (n * n * 37 + 5) % vocabulary);

/**
 * @returns `run`, which writes all tokens; `arrays`, the inputs of a peer: `weights`, and tokens to check it with;
 * `expected`, the logits after these
 */
export async function openGeneration(tril, about) {
  const { tokens, vocabulary } = about;
  const trial = trialOf(vocabulary);
  const { weights, files } = llamaFiles(tril, about, tokens + 1);
  const model = await tril.loadModel(files);
  const run = async () => {
    const written = [];
    for await (const { token } of model.generate([1], { maxTokens: tokens, temperature: 0 })) {
      if (token !== undefined) written.push(token);
    }
    return written;
  };
  const { logits } = model.forward(trial);
  const expected = logits.read().slice(-vocabulary);
  logits.dispose();
  return { run, arrays: { weights, trial }, expected, release: () => model.dispose() };
}
