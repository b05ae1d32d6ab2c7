// Any computation that is declared as a graph: one message has the graph and its inputs, the answer all of its values.
import { run, type Graph, type GraphValues, type NodeNumbers } from 'tril/graph';
import type { Tensor } from 'tril';
import type { Answers } from '../answers';

/** Numbers by the names of nodes. */
export type NodeValues = Readonly<Record<string, NodeNumbers>>;

/** A node's numbers, which leave the Worker. */
export const numbersOf = (tensor: Tensor): NodeNumbers => ({
  shape: tensor.shape,
  data: tensor.read(),
});

/** The numbers of all values of a run. */
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
