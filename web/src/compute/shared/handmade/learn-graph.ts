// The head of chapter "Learn" as a graph, and its backward pass stage by stage: each gradient is made of the one after it.
import { graph, type Calls, type Value } from 'tril/graph';
import { targets, vocabulary } from './learn-head';

const shapes = { x: ['T', 'C'], wq: ['D', 'C'], wk: ['D', 'C'], wv: ['V', 'C'] } as const;
type Given = Readonly<Record<keyof typeof shapes, Value>>;

function forward(c: Calls, { x, wq, wk, wv }: Given) {
  const [q, k, v] = [wq, wk, wv].map((weight) => c.linear(x, weight));
  const scores = c.divide(c.matmul(q, c.transpose(k)), c.sqrt('D'));
  const weights = c.softmax(c.mask(scores));
  return { q, k, v, scores, weights, output: c.matmul(weights, v) };
}

/** From weights to the scores of the next words. */
export const headGraph = graph(shapes, (given, c) => forward(c, given));

/** 1 at the words that do come, [T, V]. */
export const comes = targets.map((target) => vocabulary.map((_, word) => Number(word === target)));

/** `right` is 1 at the words that do come, and else 0. The last values are the weights after the step. */
export const stepGraph = graph({ ...shapes, right: ['T', 'V'], rate: [1] }, (given, c) => {
  const { x, right, rate } = given;
  const made = forward(c, given);
  const { q, k, v, weights, output } = made;
  const said = c.softmax(output);
  const places = targets.map((target, row) => row * vocabulary.length + target);
  const hits = c.take(c.reshape(said, ['T*V']), { indices: places });
  const loss = c.negate(c.log(c.reshape(hits, [targets.length, 1])));

  const doutput = c.divide(c.subtract(said, right), 'T');
  const [dweights, dv] = [
    c.matmul(doutput, c.transpose(v)),
    c.matmul(c.transpose(weights), doutput),
  ];
  const average = c.sum(c.multiply(weights, dweights), { axis: -1, keepDims: true });
  const dscores = c.multiply(weights, c.subtract(dweights, average));
  const root = c.sqrt('D');
  const dq = c.divide(c.matmul(dscores, k), root);
  const dk = c.divide(c.matmul(c.transpose(dscores), q), root);
  const [dwq, dwk, dwv] = [dq, dk, dv].map((gradient) => c.matmul(c.transpose(gradient), x));
  const gradients = { doutput, dweights, dv, dscores, dq, dk, dwq, dwk, dwv };
  const after = (weight: Value, gradient: Value) => c.subtract(weight, c.multiply(gradient, rate));
  return {
    ...{ ...made, said, loss, ...gradients },
    nextwq: after(given.wq, dwq),
    nextwk: after(given.wk, dwk),
    nextwv: after(given.wv, dwv),
  };
});
