// What chapter "Heads" computes, as graphs: a layer of heads, the maps of its matrices divided otherwise, and two layers.
import { graph, type Calls, type Value } from 'tril/graph';
import { divisions, headWidth, heads, inputs } from './heads-circuit';

const width = heads * headWidth;
const shapes = { X: ['T', inputs], W_in: [3 * width, inputs], W_O: [inputs, width] } as const;

/** Queries, keys and values of all heads side by side, [T, H D]. */
function projected(c: Calls, X: Value, weight: Value) {
  const [Q, K, V] = c.split(c.linear(X, weight), 3, { axis: -1 });
  return { Q, K, V };
}

/** What so many heads make of them, [H, T, ...], on the way to their results side by side. */
function attended(c: Calls, { Q, K, V }: ReturnType<typeof projected>, count: number) {
  const apart = (x: Value) => c.transpose(c.reshape(x, ['T', count, width / count]), [1, 0, 2]);
  const [q, k, v] = [apart(Q), apart(K), apart(V)];
  const scores = c.divide(c.matmul(q, c.transpose(k, [0, 2, 1])), c.sqrt(width / count));
  const masked = c.mask(scores);
  const weights = c.softmax(masked);
  const blends = c.matmul(weights, v);
  const concat = c.reshape(c.transpose(blends, [1, 0, 2]), ['T', width]);
  return { q, k, v, scores, masked, weights, blends, concat };
}

export const layerGraph = graph(shapes, ({ X, W_in, W_O }, c) => {
  const all = projected(c, X, W_in);
  const made = attended(c, all, heads);
  return { ...all, ...made, output: c.linear(made.concat, W_O) };
});

/** Adds to each name what the value is of. */
const named = (values: Readonly<Record<string, Value>>, of: number) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}_${of}`, value]));

export const mapsGraph = graph({ X: shapes.X, W_in: shapes.W_in }, ({ X, W_in }, c) => {
  const all = projected(c, X, W_in);
  const maps = divisions.map((count) => {
    const { q, k, weights } = attended(c, all, count);
    return named({ q, k, weights }, count);
  });
  return Object.assign(all, ...maps) as Record<string, Value>;
});

/** What the heads of the first layer write comes on top of X. */
export const circuitGraph = graph({ ...shapes, W_2: shapes.W_in }, ({ X, W_in, W_O, W_2 }, c) => {
  const first = attended(c, projected(c, X, W_in), heads);
  const Y = c.add(X, c.linear(first.concat, W_O));
  return {
    ...named(first, 1),
    Y,
    ...named(attended(c, projected(c, Y, W_2), heads), 2),
  };
});
