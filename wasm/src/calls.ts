import * as base from './base-calls.js';
import type { Context } from './context.js';
import type * as lessons from './lesson-calls.js';
import type * as training from './training-calls.js';

type Factory = (context: Context) => object;
type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;
/** All calls that these factories make. */
type Made<Factories extends Record<keyof Factories, Factory>> = Intersection<
  ReturnType<Factories[keyof Factories]>
>;

/** The calls of every loaded module: those of `base-calls.ts`. */
export type Calls = Made<typeof base>;

/** The calls that a module of `tril/lessons` adds: those of `lesson-calls.ts`. */
export type LessonCalls = Made<typeof lessons>;

/**
 * The calls that a module of `tril/training` adds, or takes more options in: those of
 * `training-calls.ts`.
 */
export type TrainingCalls = Made<typeof training>;

/** The calls of all factories of a list. */
export const callsOf = (factories: Readonly<Record<string, Factory>>, context: Context): object =>
  Object.assign({}, ...Object.values(factories).map((make) => make(context))) as object;

export const calls = (context: Context): Calls => callsOf(base, context) as Calls;
