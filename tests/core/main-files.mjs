// The test files that `npm test` compiles: tests of this machine's kernels, layers and models. The rest, of readers,
// tokenizers, costs and further training, belongs to `npm run test:all`.
const names = `
  activations* additive* allocation attention* compare context decoder_block* decoding_session dropout elementary
  elementwise* empty* exp feed_forward* forced_isa foundation gated* generation hidden* isa key_value_cache layer
  linear* losses mask* matmul* multi_head* norms* npy online* onnx* optimizers overlap positions precision q8_0
  query_key* readme reduce rotary* safetensors score* shapes softmax* tokenizer trainer transformer* weight
`;

/** The list for CMake. */
export const mainFiles = names
  .trim()
  .split(/\s+/u)
  .map((name) => `${name}_test.cc`)
  .join(';');
