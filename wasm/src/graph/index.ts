/**
 * Computations as small graphs of plain data. A graph is declared once and read in many ways: computed, explained cell
 * by cell, exported as a program, counted, written as a formula, changed.
 *
 * @module tril/graph
 */
export { graph } from './build.js';
export type {
  AxisOptions,
  Calls,
  GraphAttentionOptions,
  GraphOperand,
  HeadsOptions,
  MaskOptions,
  NormOptions,
  Parts,
  RuleOptions,
  Value,
} from './calls.js';
export type { Cell } from './cells.js';
export { cost, type GraphCost, type NodeCost } from './cost.js';
export { edit, type GraphEdit } from './edit.js';
export { formula } from './formula.js';
export { gradients, type GradientsOptions } from './gradients.js';
export type { Graph, GraphNumbers, GraphValues, Node, NodeNumbers } from './plan.js';
export { program, programLanguages, type ProgramLanguage, type ProgramOptions } from './program.js';
export { run } from './run.js';
export { shapes } from './shapes.js';
export { sources, type SourcesOptions } from './sources.js';
export type { Size, Sizes } from './sizes.js';
export { unfold } from './unfold.js';
export { why, whyText, type Reason, type ReasonCell, type WhyOptions } from './why.js';
