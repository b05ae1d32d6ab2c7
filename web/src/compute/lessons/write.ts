// Programs that are written on the page: run line by line, and judged. The interpreter is fetched when it is first asked for.
import { TrilError, type Tril } from 'tril';
import { shapes, type Graph } from 'tril/graph';
import type { ProgramError, ProgramLine, Verdict } from 'tril/notebook';
import type { Later } from '../answers';
import { numbersOf, type NodeValues } from './graph';

/** What an exercise asks for, as the package has it. */
export interface ExerciseText {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly skeleton: string;
  readonly hints: readonly string[];
  /** The function's name, and its arguments. */
  readonly name: string;
  readonly parameters: readonly string[];
  /** The shapes of what it returns, in the case whose numbers are shown. */
  readonly wanted: readonly (readonly number[])[];
}

export interface Ran {
  readonly error: ProgramError | null;
  readonly lines: readonly ProgramLine[];
  readonly graph: Graph;
  /** Of all nodes, or, where there are too many numbers, of those that there is room for. */
  readonly values: NodeValues;
  /** The nodes that were returned for an exercise. */
  readonly results: readonly string[];
  readonly verdict: Verdict | null;
}

export interface WriteLessons {
  exercises: { ask: object; answer: readonly ExerciseText[] };
  /** A file's program, of a notebook's cells one after another; or why there is none. */
  program: {
    ask: { readonly name: string; readonly text: string };
    answer: { readonly code: string; readonly problem?: string };
  };
  written: { ask: { readonly exercise: string | null; readonly code: string }; answer: Ran };
}

type Notebook = typeof import('tril/notebook');
let notebook: Notebook | undefined;
export const loadNotebook = async (): Promise<Notebook> =>
  (notebook ??= await import('tril/notebook'));

/** A loop that never ends is stopped within a second; and of numbers no more than these leave the Worker. */
const limits = { steps: 200_000, elements: 5_000_000 };
const mostNumbers = 400_000;

/** Once the interpreter is there, at once: as pages are made. */
const withNotebook = <Answer>(answer: (notebook: Notebook) => Answer) =>
  (notebook ? answer(notebook) : loadNotebook().then(answer)) as Promise<Answer>;

function textOf({ id, title, task, skeleton, hints, ...rest }: Notebook['exercises'][number]) {
  const { name, parameters, results, cases, graph } = rest;
  const all = shapes(graph(cases[0]), {});
  const wanted = results.map((result) => all[result]);
  return { id, title, task, skeleton, hints, name, parameters, wanted };
}

export const writeLater: Later<WriteLessons> = {
  exercises: () => withNotebook(({ exercises }) => exercises.map(textOf)),

  program: (_, { name, text }) =>
    withNotebook(({ notebookProgram }) => {
      try {
        return { code: /\.ipynb$/iu.test(name) ? notebookProgram(text).code : text };
      } catch (error) {
        if (!(error instanceof TrilError)) throw error;
        return { code: '', problem: error.message };
      }
    }),

  written: (tril: Tril, { exercise, code }: WriteLessons['written']['ask']) =>
    withNotebook(({ runProgram, runExercise, checkExercise }) =>
      tril.scope((): Ran => {
        const run = exercise
          ? runExercise(tril, exercise, code, { limits })
          : runProgram(tril, code, { limits });
        const { error, lines, graph, tensors, values: found } = run;
        const values: Record<string, NodeValues[string]> = {};
        let left = mostNumbers;
        for (const { name } of graph.nodes) {
          const tensor = tensors[name];
          if (tensor.size > left) continue;
          left -= tensor.size;
          values[name] = numbersOf(tensor);
        }
        const result = found._result;
        const returned = result?.node ? [result] : (result?.items ?? []);
        return {
          ...{ error, lines, graph, values },
          results: returned.flatMap(({ node }) => (node === undefined ? [] : [node])),
          verdict: exercise ? checkExercise(tril, exercise, code, { limits }) : null,
        };
      }),
    ),
};
