import { find, isHidden, isInput, planOf, type Graph, type Step } from './plan.js';

/** The TeX of a name: `W_Q` is a W with an index, and a name of several letters is a word. */
function nameTex(name: string): string {
  const [head = '', ...rest] = name.split('_').filter(Boolean);
  const word = (text: string) => (text.length === 1 ? text : `\\mathrm{${text}}`);
  const [letter, digits] = /^([A-Za-z])(\d+)$/.exec(head)?.slice(1) ?? [head, ''];
  const index = [digits, ...rest].filter(Boolean).map((part) => word(part!));
  return index.length > 0 ? `${word(letter!)}_{${index.join(', ')}}` : word(letter!);
}

function sideOf({ node, operation, options, inputs, shape }: Step): string {
  const args = inputs.map((each) => (isHidden(each) ? sideOf(each) : nameTex(each.node.name)));
  if (node.operation === 'input') return nameTex(node.name);
  return operation.tex(args, { options, inputs: inputs.map((each) => each.shape), output: shape });
}

/**
 * Returns a line of a graph as TeX, `\mathrm{scores} = \frac{Q K^{\top}}{\sqrt{D}}`, or without a `node` all lines,
 * aligned. Values without a name are written in place.
 *
 * @throws TrilError for an unknown node
 *
 * @example
 * ```ts
 * import { formula, graph } from 'tril/graph';
 *
 * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
 * formula(gram, 'G'); // 'G = X X^{\\top}'
 * formula(gram); // '\\begin{aligned}\nG &= X X^{\\top}\n\\end{aligned}'
 * formula(gram, 'H'); // throws TrilError: formula: node: unknown node "H"
 * ```
 */
export function formula(graph: Graph, node?: string): string {
  const call = 'formula';
  const plan = planOf(call, graph);
  const line = (step: Step, sign: string) => `${nameTex(step.node.name)} ${sign} ${sideOf(step)}`;
  if (node !== undefined) {
    const step = find(call, 'node', plan, node);
    return isInput(step) || isHidden(step) ? sideOf(step) : line(step, '=');
  }
  const steps = [...plan.values()].filter((step) => !isInput(step) && !isHidden(step));
  const lines = steps.map((step) => line(step, '&='));
  return `\\begin{aligned}\n${lines.join(' \\\\\n')}\n\\end{aligned}`;
}
