// One attention head as a graph, step by step as chapter "Attend" shows it.
import { graph, type Graph, type Value } from 'tril/graph';

const sizes = { X: ['T', 'C'], W_Q: ['D', 'C'], W_K: ['D', 'C'], W_V: ['E', 'C'] } as const;

const headGraph = (causal: boolean): Graph =>
  graph(sizes, ({ X, W_Q, W_K, W_V }, c): Record<string, Value> => {
    const [Q, K, V] = [W_Q, W_K, W_V].map((weight) => c.linear(X, weight));
    const scores = c.matmul(Q, c.transpose(K));
    const scaled = c.divide(scores, c.sqrt('D'));
    const masked = causal ? c.mask(scaled) : scaled;
    const weights = c.softmax(masked);
    const output = c.matmul(weights, V);
    return { Q, K, V, scores, scaled, ...(causal && { masked }), weights, output };
  });

/** Without a mask there is no value `masked`. */
export const attendGraphs = { causal: headGraph(true), unmasked: headGraph(false) };
