// One product in two orders, and weights with softmax and with feature maps, as chapter "Longer" shows them.
import { graph, type Graph, type Value } from 'tril/graph';

export type FeatureMap = 'elu_plus_one' | 'identity';

const sizes = { Q: ['T', 'D'], K: ['S', 'D'], V: ['S', 'E'] } as const;

const ordersGraph = (map: FeatureMap): Graph =>
  graph(sizes, ({ Q, K, V }, c): Record<string, Value> => {
    const scores = c.matmul(Q, c.transpose(K));
    const pairs = c.matmul(c.transpose(K), V);
    const mapped = (x: Value) =>
      map === 'identity' ? x : c.where(c.less(x, 0), c.exp(x), c.add(x, 1));
    const products = c.matmul(mapped(Q), c.transpose(mapped(K)));
    return {
      ...{ scores, pairs, left: c.matmul(scores, V), right: c.matmul(Q, pairs) },
      soft: c.softmax(c.divide(scores, c.sqrt('D'))),
      features: c.divide(products, c.sum(products, { axis: -1, keepDims: true })),
    };
  });

export const ordersGraphs = {
  elu_plus_one: ordersGraph('elu_plus_one'),
  identity: ordersGraph('identity'),
};
