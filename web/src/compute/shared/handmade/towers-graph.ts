// The attentions of chapter "Two towers" as graphs: scaled dot-product attention, which both towers use, and additive
// attention, whose scores come from a small network. `sees` is 1 where a query may look, else 0.
import { graph } from 'tril/graph';

export const attentionGraph = graph(
  { Q: ['T', 'D'], K: ['S', 'D'], V: ['S', 'D'], sees: ['T', 'S'] },
  ({ Q, K, V, sees }, c) => {
    const scores = c.mask(c.divide(c.matmul(Q, c.transpose(K)), c.sqrt('D')), sees);
    const weights = c.softmax(scores);
    return { M: c.mask(0, sees), scores, weights, heads: c.matmul(weights, V) };
  },
);

/** The last column of Q is ones, for the network's bias. */
export const additiveGraph = graph(
  { Q: ['T', 'E'], K: ['S', 'D'], w_q: ['A', 'E'], w_k: ['A', 'D'], v: ['A'], sees: ['T', 'S'] },
  ({ Q, K, w_q, w_k, v, sees }, c) => {
    const [queries, keys] = [c.linear(Q, w_q), c.linear(K, w_k)];
    const units = c.tanh(c.add(c.reshape(queries, ['T', 1, 'A']), keys));
    const scores = c.mask(c.sum(c.multiply(v, units), { axis: -1 }), sees);
    return { queries, keys, scores, weights: c.softmax(scores) };
  },
);
