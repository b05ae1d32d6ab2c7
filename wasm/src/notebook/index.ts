/**
 * Programs in a subset of Python with NumPy's and PyTorch's names, run by the core; every number can be traced to
 * its sources.
 *
 * @module tril/notebook
 */
export type { ProgramLimits } from './arrays/record.js';
export { runProgram, type Given, type ProgramOptions } from './run-program.js';
export type {
  LineValue,
  ProgramCell,
  ProgramError,
  ProgramLine,
  ProgramRun,
  ProgramValue,
} from './program-run.js';
export { checkExercise, type CheckOptions } from './exercises/check.js';
export type { Departure } from './exercises/departure.js';
export type { Verdict } from './exercises/verdict.js';
export { runExercise, type RunExerciseOptions } from './exercises/run.js';
export { resultNodes } from './exercises/trial.js';
export { countsOf, type ProgramCounts } from './exercises/counts.js';
export { exercises } from './exercises/index.js';
export { attentionSteps } from './exercises/steps.js';
export { exerciseLink, readExercise, readExerciseLink } from './exercises/link.js';
export type {
  AnyExercise,
  Exercise,
  ExerciseCase,
  ExerciseInput,
  Mistake,
  WrittenExercise,
} from './exercises/exercise.js';
export { cellOf, notebookProgram, type NotebookCell, type NotebookProgram } from './ipynb.js';
export { beginsCell, splitCells } from './split-cells.js';
