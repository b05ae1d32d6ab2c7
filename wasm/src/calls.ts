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

/** Everything that can be called on any loaded module: what `base-calls.ts` lists. */
export type Calls = Made<typeof base>;

/** What a module of `tril/lessons` adds: what `lesson-calls.ts` lists. */
export type LessonCalls = Made<typeof lessons>;

/** What a module of `tril/training` adds or takes more options in: what `training-calls.ts` lists. */
export type TrainingCalls = Made<typeof training>;

/** The calls of all factories of a list. */
export const callsOf = (factories: Readonly<Record<string, Factory>>, context: Context): object =>
  Object.assign({}, ...Object.values(factories).map((make) => make(context))) as object;

export const calls = (context: Context): Calls => callsOf(base, context) as Calls;
