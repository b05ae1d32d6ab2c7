// Exercises by what the command line calls them.
import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TrilError } from '../dist/error.js';
import { exerciseOf } from '../dist/notebook/exercises/run.js';
import { exercises, readExercise, readExerciseLink } from '../dist/notebook/index.js';

export { exercises };
export const ids = exercises.map(({ id }) => id);

/** What a sentence says of an exercise: a link is long. */
const shown = (name) => (name.length > 60 ? `${name.slice(0, 57)}...` : name);

/** The exercise of an id, of a link, of a file of JSON, or the default export of a module. @throws TrilError where there is none */
export async function findExercise(name) {
  const reason = (problem) => new TrilError('tril', 'exercise', `${shown(name)}: ${problem}`);
  try {
    if (/[#?&]made=/.test(name)) return await readExerciseLink(name);
    if (extname(name) === '.json') return readExercise(readFileSync(name, 'utf8'));
  } catch (error) {
    if (!(error instanceof TrilError)) throw reason(error.message);
    throw reason(`${error.argument}: ${error.problem}`);
  }
  if (!['.js', '.mjs'].includes(extname(name))) return exerciseOf('tril', name);
  const module = await import(pathToFileURL(resolve(name)).href).catch((error) => {
    throw reason(error.message);
  });
  const own = module.default;
  const isOwn = typeof own?.graph === 'function' || typeof own?.program === 'string';
  if (typeof own?.id === 'string' && isOwn) return own;
  throw reason('its default export is no exercise');
}
