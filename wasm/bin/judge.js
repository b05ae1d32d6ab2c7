// Judges programs, in a process of its own, so that one that takes all of the memory or of the time ends no other.
import { checkExercise } from '../dist/notebook/index.js';
import { loadTril } from '../dist/node.js';
import { findExercise } from './exercises.js';

/** What a program may use in each case: less than by default, since others wait behind it. */
const limits = { steps: 1e6, elements: 1e7 };

/** Statements that may be left out: figures, files and the like, of which a homework has a few. */
const mostLeftOut = 50;

/** A line that goes on with the statement before it. */
const goesOn = /^(?:$|[\s)\]}#]|(?:else|elif|except|finally)\b)/;

/** Leaves out the statement at the margin that a line is part of: its first line, or 0 where that defines something. */
function leaveOut(lines, line) {
  let [begin, end] = [line - 1, line];
  while (begin > 0 && goesOn.test(lines[begin])) --begin;
  while (end < lines.length && goesOn.test(lines[end])) ++end;
  if (goesOn.test(lines[begin]) || /^(?:def|class)\b|^@/.test(lines[begin])) return 0;
  lines.fill('', begin, end);
  return begin + 1;
}

/** As `checkExercise`, without the statements beside functions that do not run here, by their lines; a notebook goes on behind them, too. */
function judge(tril, exercise, code) {
  const lines = code.split('\n');
  const check = () => checkExercise(tril, exercise, lines.join('\n'), { limits });
  const whole = check();
  const without = [];
  let verdict = whole;
  while (verdict.kind === 'error' && without.length < mostLeftOut) {
    const line = leaveOut(lines, verdict.line);
    if (line === 0) return whole;
    without.push(line);
    verdict = check();
  }
  return ['error', 'missing'].includes(verdict.kind) ? whole : { ...verdict, without };
}

const loading = loadTril();
// Why it cannot be loaded each answer says.
loading.then(
  () => process.send('ready'),
  () => undefined,
);

async function answer({ exercise, code }) {
  try {
    const { departure, ...verdict } = judge(await loading, await findExercise(exercise), code);
    if (!departure) return verdict;
    const { line, result, place, found, wanted } = departure;
    return { ...verdict, departure: { line, result, place, found, wanted } };
  } catch (error) {
    return { kind: 'error', message: `It cannot be judged: ${error.message}` };
  }
}

process.on('message', (question) => void answer(question).then((verdict) => process.send(verdict)));
