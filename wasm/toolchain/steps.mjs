// Named steps with their times on the terminal, and their full output in build/logs/.
//
//   [2/5] System packages ... ok (3 s)
//
// A step that fails prints the end of its log and advice, by throwing StepError.

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const logFolder = join(root, 'build', 'logs');

const children = new Set();

/** An explained failure: `advice` is what to do, `log` a file to read. */
export class StepError extends Error {
  constructor(message, { advice = '', log = '' } = {}) {
    super(message);
    this.advice = advice;
    this.log = log;
  }
}

export function seconds(milliseconds) {
  const s = milliseconds / 1000;
  if (s >= 60) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return s < 9.95 ? `${s.toFixed(1)} s` : `${Math.round(s)} s`;
}

/**
 * Runs a command to its end, with its output in the log; rejects with StepError unless it exits with 0. With `capture`
 * resolves to its output on stdout, with `allowFailure` to its exit code. Ends it after `minutes`: a hanging command
 * must not block everything else.
 */
export function run(
  command,
  args,
  { log, cwd = root, env, advice, capture, allowFailure, minutes } = {},
) {
  mkdirSync(logFolder, { recursive: true });
  const path = join(logFolder, `${log ?? 'setup'}.log`);
  const output = openSync(path, 'w');
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', capture ? 'pipe' : output, output],
      detached: true, // its own process group, so that all of it can be ended
    });
    children.add(child);
    let late = false;
    const limit =
      minutes &&
      setTimeout(() => {
        late = true;
        endGroup(child, 'SIGKILL');
      }, minutes * 60_000);
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    const settle = (problem, code) => {
      if (!children.delete(child)) return;
      clearTimeout(limit);
      closeSync(output);
      if (!problem) resolve(capture ? text : (code ?? 0));
      else reject(new StepError(problem, { advice, log: path }));
    };
    const shown = [command, ...args].join(' ');
    child.on('error', (error) => settle(`${shown}: ${error.message}`));
    child.on('close', (code, signal) => {
      if (code === 0 || (allowFailure && code !== null)) settle('', code);
      else if (late) settle(`${shown}: not done after ${minutes} minutes`);
      else settle(`${shown}: ${signal ? `ended by ${signal}` : `exit code ${code}`}`);
    });
  });
}

/** The last lines of a log, without terminal colours. */
export function tail(path, lines = 25) {
  try {
    const escape = String.fromCharCode(27);
    const text = readFileSync(path, 'utf8').replace(new RegExp(`${escape}\\[[0-9;]*m`, 'g'), '');
    return text.trimEnd().split('\n').slice(-lines).join('\n');
  } catch {
    return '';
  }
}

/**
 * Runs the steps in order; each is { name, work }. `work` may return a note for its line, or
 * { failed: true, note } when the steps after it can go on.
 */
export async function runSteps(steps) {
  const width = Math.max(...steps.map((step) => step.name.length));
  for (const [index, { name, work }] of steps.entries()) {
    const label = `[${index + 1}/${steps.length}] ${`${name} `.padEnd(width + 4, '.')} `;
    process.stdout.write(label);
    const begin = performance.now();
    const ticking =
      process.stdout.isTTY &&
      setInterval(() => {
        process.stdout.write(`\r${label}${seconds(performance.now() - begin)}  `);
      }, 1000);
    const finish = (text) => {
      clearInterval(ticking);
      process.stdout.write(`${process.stdout.isTTY ? `\r\x1b[K${label}` : ''}${text}\n`);
    };
    try {
      const answer = await work();
      const note = typeof answer === 'string' ? answer : answer?.note;
      const time = seconds(performance.now() - begin);
      finish(`${answer?.failed ? 'FAILED' : 'ok'} (${time}${note ? `, ${note}` : ''})`);
    } catch (error) {
      finish('FAILED');
      throw error;
    }
  }
}

function endGroup(child, signal = 'SIGTERM') {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has just ended by itself.
  }
}

/** Runs `body` as a program: explains a failure, ends with its exit code, leaves no child behind. */
export async function main(body) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      for (const child of children) endGroup(child);
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    explain(error);
    process.exitCode = 1;
  }
}

export function explain(error) {
  if (!(error instanceof StepError)) {
    console.error(error);
    return;
  }
  if (error.log) console.error(`\n${tail(error.log)}\n`);
  console.error(error.message);
  if (error.log) console.error(`The whole output: ${relative(process.cwd(), error.log)}`);
  if (error.advice) console.error(`What to do: ${error.advice}`);
}
