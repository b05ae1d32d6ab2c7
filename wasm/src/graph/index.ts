/**
 * A computation that is declared once, as a small graph of plain data, and read in many ways: computed, explained cell by cell,
 * exported as a program, counted, set as a formula, changed.
 *
 * @module tril/graph
 */
export { graph } from './build.js';
export type { Calls, GraphOperand, Value } from './calls.js';
export type { Graph, GraphValues, Node } from './plan.js';
export { run } from './run.js';
export { shapes } from './shapes.js';
export type { Size, Sizes } from './sizes.js';
