// A training step as a case: Tril's part in it, and the initial state of peers.

/** Tokens and targets of a batch, `[batch, context]` each, with no two rows alike. */
function batchOf({ batch, context, vocabulary }) {
  const text = Int32Array.from({ length: batch * context + 1 }, (_, i) => (i * 7919) % vocabulary);
  return { tokens: text.subarray(0, -1), targets: text.subarray(1) };
}

/**
 * @param {object} tril of `tril/training`
 * @returns `run`, a step; `arrays`, the initial state of a peer; `expected`, the loss and the gradient's norm of the
 * first step, before it
 */
export function openTraining(tril, about) {
  const { layers, heads, width, context, vocabulary, batch } = about;
  const { tokens, targets } = batchOf(about);
  const model = { family: 'gpt2', layers, heads, width, context, vocabulary };
  const trainer = tril.trainer({ model, batch });
  const parameters = trainer.parameters();
  const arrays = { tokens, targets };
  for (const [name, tensor] of Object.entries(parameters)) {
    arrays[name] = tensor.read();
    tensor.dispose();
  }
  const run = () => trainer.step({ tokens, targets });
  const { loss, gradientNorm } = run();
  const release = () => trainer.dispose();
  return { run, arrays, expected: Float32Array.of(loss, gradientNorm), release };
}
