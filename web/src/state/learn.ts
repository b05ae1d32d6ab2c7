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

/** The stage of a number or of its gradient; null for what has none. */
export function stageOf(id: LearnCell['matrix']): StageId | null {
  const name = gradientIds.includes(id as never) ? id.slice(1) : id;
  return stageIds.find((stage) => stage === name) ?? null;
}

/** How long a step is, as a multiple of the gradient; the last is too long. */
export const rates = [1, 3, 10, 30] as const;
export const mostSteps = 40;
/** How far one number may be nudged, either way. */
export const farthest = 3;
/** Frames of a training are told apart by their steps. */
export const lastStep = 200;
export const headCount = 4;

const fields = {
  rate: oneOf(rates, 3),
  steps: whole(0, mostSteps, 0),
  /** Every number of the head, not only those that a step is about. */
  all: yes(false),
  pin: cell(learnIds),
  /** Of the number that is pinned. */
  nudge: number(-farthest, farthest, 1),
  task: choice(taskIds, 'induction'),
  seed: whole(1, 999, 1),
  /** Which head is large, layer by layer. */
  head: whole(1, headCount, 3),
  /** What is looked at; the last one follows the training. */
  at: whole(0, lastStep, lastStep),
  /** What is changed in "What if", and the seed of both its trainings. */
  change: choice(changeIds, 'mask'),
  pair: whole(1, 999, 1),
};

export type LearnState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
