// Judges programs, in a process of its own, so that one that takes all of the memory or of the time ends no other.
import { checkExercise } from '../dist/notebook/index.js';
import { loadTril } from '../dist/node.js';
import { findExercise } from './exercises.js';

/** What a program may use in each case: less than by default, since others wait behind it. */
const limits = { steps: 1e6, elements: 1e7 };

const loading = loadTril();

async function answer({ exercise, code }) {
  try {
    return checkExercise(await loading, await findExercise(exercise), code, { limits });
  } catch (error) {
    return { kind: 'error', message: `It cannot be judged: ${error.message}` };
  }
}

process.on('message', (question) => void answer(question).then((verdict) => process.send(verdict)));
