// tril train: its safeguards against losing good results, whatever happens to a run.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLocale } from '../../wasm/toolchain/locales.mjs';
import { failure, program, tril, write } from './program.js';
import { even, inRun, run, runs, small, trainOn } from './runs.js';

const text = 'the cat sat on the mat. the dog lay on the rug. '.repeat(40);
const train = (name: string, ...more: string[]) => trainOn(text, name, ...more);

/** The step at which a file of a run was written. */
function stepOf(name: string, file: string) {
  const bytes = inRun(name, file);
  const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE())).toString());
  return Number(header.__metadata__['trainer.done']);
}
const losses = (name: string) =>
  inRun(name, 'log.csv')
    .toString()
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[1]));

/** Starts a run that goes on until it is stopped, and waits until its output contains `says`. */
async function started(name: string, says: string, args = ['--steps', '9999999']) {
  writeFileSync(join(runs, 'text.txt'), text);
  const data = ['train', '--data', join(runs, 'text.txt'), ...small, ...even];
  const child = spawn(program, [...data, ...args, '-o', run(name)]);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await new Promise<void>((resolve, reject) => {
    let error = '';
    child.stderr.on('data', (part) => {
      error += part;
      if (error.includes(says)) resolve();
    });
    child.on('close', () => reject(new Error(error)));
  });
  return { child, ended };
}

describe('a run that diverges', () => {
  const often = ['--steps', '60', '--validate-every', '5', '--sample', '0'];

  it('keeps the last state with a sane loss, and the one before', () => {
    expect(train('tame', ...often).code).toBe(0);
    expect(stepOf('tame', 'checkpoint.safetensors')).toBe(60);
    expect(stepOf('tame', 'checkpoint-before.safetensors')).toBe(55);
    write('text.txt', text);
    // The rate rises from zero: the first steps learn, and the loss grows for long before it becomes NaN, if it ever
    // does.
    const rising = ['--optimizer', 'sgd', '--clip', '0', '--lowest-rate', '1e-2', '--warmup', '55'];
    const { code, error } = tril(
      ...['train', '--data', 'text.txt', ...small, ...often, ...rising],
      ...['--learning-rate', '10', '-o', run('rising')],
    );
    expect(code, error).toBe(2);
    expect(error).toMatch(/\n {2}not kept: the loss on the texts is \S+, and was \d\.\d{4}; /);
    const step = stepOf('rising', 'checkpoint.safetensors');
    expect(step).toBeGreaterThan(0);
    expect(stepOf('rising', 'checkpoint-before.safetensors')).toBe(step - 5);
    const all = losses('rising');
    expect(Math.max(...all.slice(step))).toBeGreaterThan(10 * all[0]!); // finite, but useless
    for (const loss of all.slice(0, step)) expect(loss).toBeLessThanOrEqual(all[0]!);
    expect(error).toMatch(new RegExp(`\\ntril: .* step ${step}\\n$`));
  });
});

describe('--keep', () => {
  it('is made up for where a run ended between the checkpoint and it', () => {
    const options = ['--steps', '4', '--validate-every', '2', '--keep', '2', '4'];
    expect(train('keeps', ...options).code).toBe(0);
    const file = join(run('keeps'), 'step-4.safetensors');
    const kept = inRun('keeps', 'step-4.safetensors');
    rmSync(file);
    const { code, error } = tril('train', '--resume', '-o', run('keeps'));
    expect({ code }, error).toEqual({ code: 0 });
    expect(inRun('keeps', 'step-4.safetensors').equals(kept)).toBe(true);
  });

  it('goes on with the run', () => {
    expect(train('later', '--steps', '2', '--keep', '3').code).toBe(0);
    expect(tril('train', '--resume', '-o', run('later'), '--steps', '4').code).toBe(0);
    expect(existsSync(join(run('later'), 'step-3.safetensors'))).toBe(true);
  });
});

it('goes on from texts whose names are no UTF-8', () => {
  const script = `printf '%s' "$1" > $'caf\\xe9.txt' && "$0" train --data $'caf\\xe9.txt' "\${@:2}"`;
  const options = { cwd: runs, encoding: 'utf8' } as const;
  const args = [...small, '--steps', '2', '-o', run('bytes')];
  const first = spawnSync('bash', ['-c', script, program, text, ...args], options);
  expect(first.status, first.stderr).toBe(0);
  const resume = ['train', '--resume', '-o', run('bytes'), '--steps', '3'];
  const second = spawnSync(program, resume, options);
  expect(second.status, second.stderr).toBe(0);
});

describe('two runs in one folder', () => {
  it('are refused, and the second may begin when the first is dead', async () => {
    const { child, ended } = await started('both', 'step 0:');
    const says = `${run('both')}: process ${child.pid} on ${hostname()} trains in this folder; it must end first`;
    expect(failure('train', '--resume', '-o', run('both'))).toBe(says);
    expect(failure('train', '--data', join(runs, 'text.txt'), '-o', run('both'))).toBe(says);
    const checkpoint = join(run('both'), 'checkpoint.safetensors');
    await expect.poll(() => existsSync(checkpoint), { timeout: 60_000 }).toBe(true);
    child.kill('SIGKILL');
    await ended;
    const resumed = tril('train', '--resume', '-o', run('both'), '--steps', '1');
    expect({ code: resumed.code }, resumed.error).toEqual({ code: 0 });
    expect(readdirSync(run('both'))).not.toContain('.lock');
  });
});

it('goes on without a terminal where nohup has said so', async () => {
  writeFileSync(join(runs, 'text.txt'), text);
  const args = ['train', '--data', join(runs, 'text.txt'), ...small, '--steps', '2000'];
  const command = ['-c', 'trap "" HUP; exec "$0" "$@"', program, ...args, '-o', run('nohup')];
  const child = spawn('bash', command);
  child.stderr.once('data', () => child.kill('SIGHUP'));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(0);
});

// Digits, decimal points and letters are the same in every locale.
const locales = ['de_DE.UTF-8', 'tr_TR.UTF-8'].filter((name) => findLocale(name));
it.each(locales)('does in %s what it does elsewhere', { timeout: 60_000 }, (locale) => {
  writeFileSync(join(runs, 'text.txt'), text);
  const once = (name: string, env: Record<string, string>) => {
    const call = (...args: string[]) => {
      const options = { cwd: runs, encoding: 'utf8', env: { ...process.env, ...env } } as const;
      const { status, stdout, stderr } = spawnSync(program, args, options);
      expect(status, stderr).toBe(0);
      return stdout;
    };
    const options = ['--learning-rate', '0.0125', '--dropout', '0.1', '--family', 'llama'];
    const data = ['--data', 'text.txt', ...small, ...options, '--steps', '1001'];
    call('train', ...data, '--validate-every', '1001', '--sample', '0', '-o', name);
    call('train', '--resume', '-o', name, '--steps', '1002');
    const told = call('generate', '--model', name, '--prompt', 'the ', '--temperature', '0.5');
    return [told, inRun(name, 'checkpoint.safetensors'), inRun(name, 'config.json').toString()];
  };
  const there = { LC_ALL: locale, ...findLocale(locale) };
  expect(once(locale, there)).toEqual(once(`C ${locale}`, { LC_ALL: 'C' }));
});
