// Exercises by what the command line calls them.
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TrilError } from '../dist/error.js';
import { exerciseOf } from '../dist/notebook/exercises/run.js';
import { exercises } from '../dist/notebook/index.js';

export { exercises };
export const ids = exercises.map(({ id }) => id);

/** The exercise of an id, or the default export of a module. @throws TrilError where there is none */
export async function findExercise(name) {
  if (!['.js', '.mjs'].includes(extname(name))) return exerciseOf('tril', name);
  const reason = (problem) => new TrilError('tril', 'exercise', `${name}: ${problem}`);
  const module = await import(pathToFileURL(resolve(name)).href).catch((error) => {
    throw reason(error.message);
  });
  const own = module.default;
  if (typeof own?.id === 'string' && typeof own.graph === 'function') return own;
  throw reason('its default export is no exercise');
}
