// The state of chapter "Learn" as its address holds it: #learn?rate=10&steps=3&task=fixed&seed=7&...
import { gradientOf, stageIds, type StageId } from '../compute/shared/handmade/learn-head';
import { changeIds } from '../compute/shared/training/changes';
import { taskIds } from '../compute/shared/training/tasks';
import type { Cell } from './cell';
import { cell, choice, codecOf, number, oneOf, whole, yes, type StateOf } from './fields';

/** The numbers of the forward pass, and their gradients. */
const gradientIds = stageIds.map(gradientOf);
const learnIds = ['x', ...stageIds, 'said', 'loss', ...gradientIds] as const;
export type LearnCell = Cell<(typeof learnIds)[number]>;

/** The stage of a number or of its gradient; null for a number without a stage. */
export function stageOf(id: LearnCell['matrix']): StageId | null {
  const name = gradientIds.includes(id as never) ? id.slice(1) : id;
  return stageIds.find((stage) => stage === name) ?? null;
}

/** Length of a step, as a multiple of the gradient; the last is too long. */
export const rates = [1, 3, 10, 30] as const;
export const mostSteps = 40;
/** Maximum change of one number, in both directions. */
export const farthest = 3;
/** Number of the last step; steps identify the frames of a training. */
export const lastStep = 200;
export const headCount = 4;

const fields = {
  rate: oneOf(rates, 3),
  steps: whole(0, mostSteps, 0),
  /** Every number of the head, not only those of the current step. */
  all: yes(false),
  pin: cell(learnIds),
  /** Change of the pinned number. */
  nudge: number(-farthest, farthest, 1),
  task: choice(taskIds, 'induction'),
  seed: whole(1, 999, 1),
  /** The enlarged head, counted layer by layer. */
  head: whole(1, headCount, 3),
  /** The step shown; the last one follows the training. */
  at: whole(0, lastStep, lastStep),
  /** The change in "What if", and the seed of both its trainings. */
  change: choice(changeIds, 'mask'),
  pair: whole(1, 999, 1),
};

export type LearnState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
