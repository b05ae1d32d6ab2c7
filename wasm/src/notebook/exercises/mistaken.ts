// Recognises the usual mistakes in a wrong program: they are edits of the right graph, and their values are compared.
import { TrilError } from '../../error.js';
import { edit, type Graph, type GraphEdit, type NodeNumbers } from '../../graph/index.js';
import type { Tril } from '../../load.js';
import { isClose, isPlain } from './compare.js';
import type { Exercise, Mistake } from './exercise.js';
import { valuesOf } from './right.js';
import { computedOf, type Trial } from './trial.js';
import type { Verdict } from './verdict.js';

/** The values of a case with a mistake; null where shapes do not allow it. */
function mistaken(
  tril: Tril,
  trial: Trial,
  edits: readonly GraphEdit[],
): { graph: Graph; values: Record<string, NodeNumbers> } | null {
  return tril.scope(() => {
    try {
      const graph = edit(trial.graph, edits);
      return { graph, values: valuesOf(tril, graph, trial.inputs) };
    } catch (error) {
      if (error instanceof TrilError) return null;
      throw error;
    }
  });
}

/** The node read instead of a removed one. */
const insteadOf = (graph: Graph, { remove, instead }: { remove: string; instead?: string }) =>
  instead ?? graph.nodes.find(({ name }) => name === remove)!.inputs[0]!;

/** The node of a result in an edited graph. */
function resultNode(graph: Graph, edits: readonly GraphEdit[], result: string): string {
  let name = result;
  for (const each of edits) {
    if ('remove' in each && each.remove === name) name = insteadOf(graph, each);
  }
  return name;
}

/**
 * The line of a mistake: for a removed step the line before it; else the line of the first different value, or of the
 * result.
 */
function lineOfMistake(
  trial: Trial,
  edits: readonly GraphEdit[],
  { graph, values }: { graph: Graph; values: Readonly<Record<string, NodeNumbers>> },
): number | undefined {
  const [first] = edits;
  const changed = graph.nodes.find(({ name }) => {
    return !trial.right[name] || !isClose(values[name]!, trial.right[name]);
  });
  const wanted = [
    first && 'remove' in first ? trial.right[insteadOf(trial.graph, first)] : undefined,
    changed && values[changed.name],
    trial.found[0],
  ];
  const made = computedOf(trial);
  for (const value of wanted) {
    if (!value || isPlain(value)) continue;
    const line = made.find((each) => isClose(each.value, value))?.line;
    if (line !== undefined) return line;
  }
  return made.find(({ node }) => node === trial.nodes[0])?.line;
}

/** The verdict where a mistake explains all cases. */
export function asMistake(
  tril: Tril,
  exercise: Exercise,
  trials: readonly Trial[],
  mistake: Mistake,
): Verdict | null {
  let shown: Verdict | null = null;
  for (const trial of trials) {
    const edits = mistake.edits(trial.of);
    const wrong = mistaken(tril, trial, edits);
    if (!wrong) continue;
    const expected = exercise.results.map(
      (name) => wrong.values[resultNode(trial.graph, edits, name)]!,
    );
    if (!expected.every((each, i) => isClose(trial.found[i]!, each))) return null;
    if (shown || expected.every((each, i) => isClose(each, trial.wanted[i]!))) continue;
    const line = lineOfMistake(trial, edits, wrong);
    shown = {
      kind: 'mistake',
      message: `${line === undefined ? '' : `Line ${line}: `}${mistake.says}.`,
      mistake: mistake.id,
      ...(line !== undefined && { line }),
      case: trial.of.name,
    };
  }
  return shown;
}
