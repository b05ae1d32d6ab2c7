// Any computation declared as a graph: one message contains the graph and its inputs, and the answer all of its values.
import { run, type Graph, type GraphValues, type NodeNumbers } from 'tril/graph';
import type { Tensor } from 'tril';
import type { Answers } from '../answers';

/** Values by the names of nodes. */
export type NodeValues = Readonly<Record<string, NodeNumbers>>;

/** A node's values as plain data, which can leave the Worker. */
export const numbersOf = (tensor: Tensor): NodeNumbers => ({
  shape: tensor.shape,
  data: tensor.read(),
});

/** All values of a run as plain data. */
export const allNumbers = (values: GraphValues): NodeValues =>
  Object.fromEntries(Object.entries(values).map(([name, tensor]) => [name, numbersOf(tensor)]));

export interface GraphLessons {
  graph: { ask: { readonly graph: Graph; readonly inputs: NodeValues }; answer: NodeValues };
}

export const graphAnswers: Answers<GraphLessons> = {
  graph(tril, { graph, inputs }) {
    const given = Object.entries(inputs).map(([name, { shape, data }]) => {
      return [name, tril.tensor(shape, data)] as const;
    });
    return allNumbers(run(tril, graph, Object.fromEntries(given)));
  },
};
