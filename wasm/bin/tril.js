#!/usr/bin/env node
// The command `tril`: judges programs and notebooks that were written for exercises, as `checkExercise` does.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TrilError } from '../dist/error.js';
import { checkName } from '../dist/names.js';
import { cellOf, notebookProgram } from '../dist/notebook/index.js';
import { exercises, findExercise, ids } from './exercises.js';

const help = `tril check-notebook FILE... [--exercise ID] [--seconds N] [--json]

Runs programs (.py) and notebooks (.ipynb) and judges the functions in them that were written for an exercise.

  --exercise ID   one exercise, or several if it is given several times (default: all whose function a file
                  defines). There are:
                  ${ids.slice(0, 6).join(', ')},
                  ${ids.slice(6).join(', ')}.
                  Or an exercise of your own: a link that the page has made, a file (.json), or the path of a
                  module (.mjs, .js) whose default export is one.
  --seconds N     stops a submission after N seconds (default 120); its work is counted as well, which stops
                  most endless programs much sooner
  --json          prints an array of { file, exercise, kind, message, line, cell, mistake, digits, departure }
  --help          prints this

Exit codes: 0 all is right, 1 a submission is wrong, 2 wrong usage, or a file that cannot be read.`;

const options = {
  exercise: { type: 'string', multiple: true, default: [] },
  seconds: { type: 'string', default: '120' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

/** Files, exercises and options. @throws TrilError or parseArgs's errors for wrong usage */
function readUsage(args) {
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const known = Object.keys(options).map((name) => `--${name}`);
  for (const { kind, name, rawName } of tokens) {
    if (kind !== 'option' || Object.hasOwn(options, name)) continue;
    checkName('tril', 'option', 'option', rawName, known);
  }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [command, ...files] = positionals;
  if (values.help) return values;
  const missing = (what) => new TrilError('tril', what, `no ${what}; see tril --help`);
  if (command === undefined) throw missing('command');
  checkName('tril', 'command', 'command', command, ['check-notebook']);
  if (files.length === 0) throw missing('file');
  const seconds = Number(values.seconds);
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw new TrilError('tril', 'seconds', `must be a number up to 86400, is "${values.seconds}"`);
  }
  return { ...values, files, seconds };
}

/** The process that judges, begun when it is asked, and again after it was ended. */
class Judge {
  static megabytes = 512;
  #process;
  /** The module is loaded: until then no time is taken. */
  #isReady = false;

  constructor(seconds) {
    this.seconds = seconds;
  }

  /** The verdict on a program. */
  ask(exercise, code) {
    this.#process ??= fork(fileURLToPath(new URL('judge.js', import.meta.url)), {
      execArgv: [`--max-old-space-size=${Judge.megabytes}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const judge = this.#process;
    return new Promise((resolve) => {
      const end = (verdict) => {
        clearTimeout(timer);
        judge.removeAllListeners();
        resolve(verdict);
      };
      const stop = (why) => {
        judge.removeAllListeners().kill('SIGKILL');
        [this.#process, this.#isReady] = [undefined, false];
        end({ kind: 'error', message: `It was stopped: ${why}.` });
      };
      let timer;
      const begin = () => {
        this.#isReady = true;
        const why = `it takes more than ${this.seconds} s`;
        timer = setTimeout(() => stop(why), this.seconds * 1000);
      };
      if (this.#isReady) begin();
      judge.on('message', (message) => (message === 'ready' ? begin() : end(message)));
      // Node aborts where its memory is full.
      judge.once('exit', (code, signal) => {
        const isFull = signal !== null || code > 128;
        stop(
          isFull ? `it takes more than ${Judge.megabytes} MB of memory` : 'it ended its process',
        );
      });
      judge.once('error', (error) => stop(error.message));
      judge.send({ exercise, code });
    });
  }

  close() {
    this.#process?.disconnect();
  }
}

/** The program in a file, with its cells where it is a notebook. @throws Error where it cannot be read */
function readSubmission(file) {
  const ending = extname(file).toLowerCase();
  if (!['.py', '.ipynb'].includes(ending)) throw new Error('it is neither .py nor .ipynb');
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  return ending === '.py' ? { code: text } : notebookProgram(text);
}

/** Where a line is: in a notebook, in which cell. */
const placeOf = ({ cells }, line) => (cells && cellOf({ cells }, line)) ?? { line };
const asText = ({ cell, line }) => (cell ? `cell ${cell}, line ${line}` : `line ${line}`);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The message of a verdict, in which lines are those of cells, and what of the program was left out. */
function messageOf(submission, { kind, message, without = [] }) {
  const lines = kind === 'different' ? /\b(l)ine (\d+)/gi : /^(L)ine (\d+)/;
  const text = message.replace(lines, (_, letter, number) => {
    const place = asText(placeOf(submission, Number(number)));
    return letter === 'L' ? capital(place) : place;
  });
  if (without.length === 0) return text;
  const first = asText(placeOf(submission, Math.min(...without)));
  const others = without.length === 1 ? '' : ` and ${without.length - 1} more`;
  return `${text} Left out, since it does not run here: ${first}${others}.`;
}

const defines = (code, { name }) =>
  new RegExp(`^(def\\s+${name}\\s*\\(|${name}\\s*=[^=])`, 'm').test(code);

/** An exercise, and what `findExercise` finds it by. */
const named = ({ id }, name = id) => ({ id, name });

/** The verdicts on one file. */
async function check(judge, file, chosen) {
  let submission;
  try {
    submission = readSubmission(file);
  } catch (error) {
    const message = `It cannot be read: ${error.problem ?? error.message}`;
    return [{ file, exercise: null, kind: 'unreadable', message }];
  }
  const { code } = submission;
  const defined = exercises.filter((exercise) => defines(code, exercise));
  const verdicts = [];
  for (const { id, name } of chosen.length > 0 ? chosen : defined.map((each) => named(each))) {
    const verdict = await judge.ask(name, code);
    const { kind, line, mistake, digits } = verdict;
    const placed = (at) => (at === undefined ? {} : placeOf(submission, at));
    const departure = verdict.departure && {
      ...verdict.departure,
      ...placed(verdict.departure.line),
    };
    const message = messageOf(submission, verdict);
    verdicts.push({
      file,
      exercise: id,
      kind,
      message,
      ...placed(line),
      mistake,
      digits,
      departure,
    });
  }
  if (verdicts.length > 0) return verdicts;
  const message = 'It defines no function of an exercise.';
  return [{ file, exercise: null, kind: 'missing', message }];
}

const asLine = ({ file, exercise, message }) =>
  [file, ...(exercise === null ? [] : [exercise]), message]
    .join(': ')
    .replace(/\s*\p{Cc}+\s*/gu, ' ');

async function main() {
  const { help: asked, files, exercise, json, seconds } = readUsage(process.argv.slice(2));
  if (asked) {
    console.log(help);
    return 0;
  }
  const chosen = [];
  for (const name of exercise) chosen.push(named(await findExercise(name), name));
  const judge = new Judge(seconds);
  const verdicts = [];
  for (const file of files) {
    const found = await check(judge, file, chosen);
    verdicts.push(...found);
    if (!json) for (const verdict of found) console.log(asLine(verdict));
  }
  judge.close();
  if (json) console.log(JSON.stringify(verdicts, null, 2));
  if (verdicts.some(({ kind }) => kind === 'unreadable')) return 2;
  return verdicts.every(({ kind }) => kind === 'right') ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof TrilError || String(error.code).startsWith('ERR_PARSE_ARGS');
  console.error(`tril: ${isUsage ? (error.problem ?? error.message) : error.stack}`);
  process.exitCode = 2;
}
