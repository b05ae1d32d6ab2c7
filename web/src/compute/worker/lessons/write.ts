// Programs written on the page: run line by line, and judged. The interpreter is loaded on demand.
import { TrilError, type Tril } from 'tril';
import { shapes, type Graph } from 'tril/graph';
import type {
  ProgramCell,
  ProgramCounts,
  ProgramError,
  ProgramLine,
  ProgramRun,
  Verdict,
  WrittenExercise,
} from 'tril/notebook';
import type { Later } from '../answers';
import type { Time } from '../../shared/steady';
import { timeOfEach } from '../timing';
import { numbersOf, type NodeValues } from './graph';
import { exerciseOfForm, type ExerciseForm } from './write-form';

/** The statement of an exercise, from the package. */
export interface ExerciseText {
  readonly id: string;
  readonly title: string;
  readonly task: string;
  readonly skeleton: string;
  readonly hints: readonly string[];
  /** The function's name, and its parameters. */
  readonly name: string;
  readonly parameters: readonly string[];
  /** The shapes of its results, in the case whose numbers are shown. */
  readonly wanted: readonly (readonly number[])[];
  /** Its time can be measured, beside that of `tril.attention`. */
  readonly timed: boolean;
}

export interface RanCell extends ProgramCell {
  /** It begins with a line `# %%`, which does not come from the notebook. */
  readonly marked: boolean;
}

export interface Ran {
  readonly error: ProgramError | null;
  readonly lines: readonly ProgramLine[];
  /** Cells of a program that begin with `# %%`. */
  readonly cells?: readonly RanCell[];
  readonly graph: Graph;
  /** Values of all nodes, or, if there are too many numbers, of as many nodes as fit. */
  readonly values: NodeValues;
  /** The nodes that were returned for an exercise. */
  readonly results: readonly string[];
  readonly verdict: Omit<Verdict, 'run'> | null;
  readonly counts: ProgramCounts;
}

/**
 * A program on 1024 tokens: its operations, its time, and the bytes of its arrays, beside those of `tril.attention` on
 * the same numbers.
 */
export interface Mine {
  readonly problem?: string;
  readonly counts?: ProgramCounts;
  readonly mine?: Time & { readonly bytes: number };
  readonly beside?: Time & { readonly bytes: number };
}

interface Problem {
  readonly problem: string;
}

export interface WriteLessons {
  exercises: { ask: object; answer: readonly ExerciseText[] };
  /** The exercise of a link. */
  made: { ask: { readonly made: string }; answer: ExerciseText | Problem };
  /** The part of a link that contains an exercise written in the form. */
  making: { ask: ExerciseForm; answer: { readonly made: string } | Problem };
  /** The program in a file, with the cells of a notebook in sequence; or the problem with it. */
  program: {
    ask: { readonly name: string; readonly text: string };
    answer: { readonly code: string; readonly problem?: string };
  };
  /** `made`: the exercise of a link, instead of one of the package's. */
  written: {
    ask: { readonly exercise: string | null; readonly made?: string; readonly code: string };
    answer: Ran;
  };
  mine: { ask: { readonly exercise: string; readonly code: string }; answer: Mine };
}

type Notebook = typeof import('tril/notebook');
let notebook: Notebook | undefined;
export const loadNotebook = async (): Promise<Notebook> =>
  (notebook ??= await import('tril/notebook'));

/** Limits: an endless loop is stopped within a second, and at most this many numbers leave the Worker. */
const limits = { steps: 200_000, elements: 5_000_000 };
const mostNumbers = 400_000;

/** Synchronous once the interpreter is loaded, as prerendering requires. */
const withNotebook = <Answer>(answer: (notebook: Notebook) => Answer) =>
  (notebook ? answer(notebook) : loadNotebook().then(answer)) as Promise<Awaited<Answer>>;

type Exercise = Notebook['exercises'][number];
const plainText = ({
  id,
  title,
  task,
  skeleton,
  hints,
  name,
  parameters,
}: Exercise | WrittenExercise) => ({
  ...{ id, title, task, skeleton, hints, name, parameters },
});
function textOf(exercise: Exercise): ExerciseText {
  const all = shapes(exercise.graph(exercise.cases[0]), {});
  const wanted = exercise.results.map((result) => all[result]);
  return { ...plainText(exercise), wanted, timed: exercise.beside !== undefined };
}

/** The exercise of the last link. */
let last: { readonly made: string; readonly exercise: WrittenExercise } | undefined;
async function madeExercise({ readExerciseLink }: Notebook, made: string) {
  if (last?.made !== made) last = { made, exercise: await readExerciseLink(`#?made=${made}`) };
  return last.exercise;
}

/** The answer, or the package's message about the problem. */
async function orProblem<Answer>(answer: () => Promise<Answer>): Promise<Answer | Problem> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof TrilError)) throw error;
    return { problem: `${error.argument}: ${error.problem}` };
  }
}

/** A notebook as a program whose cells begin with `# %%`. */
function cellsOf({ notebookProgram }: Notebook, text: string): string {
  const { code, cells } = notebookProgram(text);
  const lines = code.split('\n');
  return cells
    .map(({ line, lines: count }) =>
      ['# %%', ...lines.slice(line - 1, line - 1 + count)].join('\n'),
    )
    .join('\n');
}

/** The part of a run that leaves the Worker. */
function plain(all: Notebook, run: ProgramRun, code: string): Omit<Ran, 'verdict'> {
  const { error, lines, graph, tensors } = run;
  const source = code.split('\n');
  const cells = run.cells?.map((cell) => ({
    ...cell,
    marked: all.beginsCell(source[cell.line - 1]),
  }));
  const values: Record<string, NodeValues[string]> = {};
  let left = mostNumbers;
  for (const { name } of graph.nodes) {
    const tensor = tensors[name];
    if (tensor.size > left) continue;
    left -= tensor.size;
    values[name] = numbersOf(tensor);
  }
  return {
    ...{ error, lines, graph, values, counts: all.countsOf(run), ...(cells && { cells }) },
    results: all.resultNodes(run) ?? [],
  };
}

export const writeLater: Later<WriteLessons> = {
  exercises: () => withNotebook(({ exercises }) => exercises.map(textOf)),

  made: (_, { made }) =>
    withNotebook((all) =>
      orProblem(async () => ({
        ...{ ...plainText(await madeExercise(all, made)), wanted: [], timed: false },
      })),
    ),

  making: (tril, form) =>
    withNotebook((all) =>
      orProblem(async () => {
        const exercise = exerciseOfForm(form);
        const made = (await all.exerciseLink(exercise)).replace('#?made=', '');
        const { kind, message } = all.checkExercise(tril, exercise, exercise.program, { limits });
        return kind === 'right' ? { made } : { problem: message };
      }),
    ),

  program: (_, { name, text }) =>
    withNotebook((all) => {
      try {
        return { code: /\.ipynb$/iu.test(name) ? cellsOf(all, text) : text };
      } catch (error) {
        if (!(error instanceof TrilError)) throw error;
        return { code: '', problem: error.message };
      }
    }),

  written: (tril: Tril, { exercise, made, code }: WriteLessons['written']['ask']) =>
    withNotebook((all) => {
      const judged = (of: string | WrittenExercise): Ran =>
        tril.scope(() => {
          const { run, ...verdict } = all.checkExercise(tril, of, code, { limits, withRun: true });
          return { ...plain(all, run!, code), verdict };
        });
      if (made) return madeExercise(all, made).then(judged);
      if (exercise) return judged(exercise);
      const program = code.split('\n').some(all.beginsCell) ? all.splitCells(code) : code;
      return tril.scope((): Ran => ({
        ...plain(all, all.runProgram(tril, program, { limits }), code),
        verdict: null,
      }));
    }),

  mine: (tril, { exercise, code }) =>
    withNotebook(({ runExercise, countsOf, exercises }) =>
      tril.scope((): Mine => {
        const run = () => runExercise(tril, exercise, code, { large: true });
        const held = () => tril.memory().bytes;
        const before = held();
        const { error, counts, inputs, bytes } = tril.scope(() => {
          const made = run();
          const all = held() - before;
          const given = Object.fromEntries(
            made.graph.nodes
              .filter(({ operation }) => operation === 'input')
              .map(({ name }) => [name, made.tensors[name]]),
          );
          const taken = Object.values(given).reduce((sum, { size }) => sum + 4 * size, 0);
          return { error: made.error, counts: countsOf(made), inputs: given, bytes: all - taken };
        });
        if (error) return { problem: `${error.kind}: ${error.message}` };
        const { beside: attend } = exercises.find(({ id }) => id === exercise)!;
        const start = held();
        const besideBytes = tril.scope(() => {
          attend!(tril, inputs);
          return held() - start;
        });
        const alone = (work: () => unknown) => () => tril.scope(() => void work());
        const [mine, beside] = timeOfEach([alone(run), alone(() => attend!(tril, inputs))]);
        return { counts, mine: { ...mine, bytes }, beside: { ...beside, bytes: besideBytes } };
      }),
    ),
};
