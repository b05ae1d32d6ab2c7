// mpirun tril train: several processes train one model, and an error in one of them ends all.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIsas } from '../../wasm/toolchain/system.mjs';
import { program, tril } from './program.js';

const hasMpi =
  spawnSync('mpirun', ['--version']).status === 0 &&
  spawnSync(program, ['--help'], { encoding: 'utf8' }).stdout.includes('mpirun');
if (!hasMpi) console.log('No MPI, or a program without it: mpirun tril train is not tested.');

let runs = '';
beforeAll(() => {
  runs = mkdtempSync(join(tmpdir(), 'tril-processes-'));
  writeFileSync(
    join(runs, 'text.txt'),
    'the cat sat on the mat. the dog lay on the rug. '.repeat(40),
  );
});
afterAll(() => rmSync(runs, { recursive: true }));

const run = (name: string) => join(runs, name);
const small = [
  '--layers',
  '2',
  '--heads',
  '2',
  '--width',
  '16',
  '--context',
  '4',
  '--threads',
  '1',
];
const train = ['train', '--data', 'text.txt', ...small];
const environment = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: '1',
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
};
const ofMpirun = (count: number, args: string[]) => [
  '--oversubscribe',
  '--bind-to',
  'none',
  '-n',
  String(count),
  program,
  ...args,
];
const mpirun = (count: number, ...args: string[]) => mpirunOf(ofMpirun(count, args));
function mpirunOf(args: string[]) {
  const { status, stdout, stderr } = spawnSync('mpirun', args, {
    cwd: runs,
    env: environment,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, error: stderr };
}
const losses = (name: string) =>
  readFileSync(join(run(name), 'log.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[1]));

describe.skipIf(!hasMpi)('several processes', { timeout: 60_000 }, () => {
  // 4 windows of 4 tokens: a gradient is a sum of 16 terms, whose order changes it by 16 roundings of 2^-24, and ten
  // steps change it ten times as much.
  const bound = 10 * 16 * 2 ** -24;
  it.each([
    ['without dropout', []],
    ['with dropout', ['--dropout', '0.2']],
  ])('have the losses of one, %s', (name, options) => {
    const steps = [...train, ...options, '--batch', '4', '--steps', '10'];
    const { code, error } = tril(
      ...steps.map((each) => (each === 'text.txt' ? join(runs, each) : each)),
      '-o',
      run(`one ${name}`),
    );
    expect({ code }, error).toEqual({ code: 0 });
    const alone = losses(`one ${name}`);
    expect(alone).toHaveLength(10);
    for (const count of [1, 2, 4]) {
      const folder = `${count} ${name}`;
      const outcome = mpirun(count, ...steps, '-o', run(folder));
      expect(outcome.code, outcome.error).toBe(0);
      if (count > 1) expect(outcome.error).toContain(`${count} processes, 1 threads each\n`);
      expect(outcome.error.match(/step 10: loss/g)).toHaveLength(1); // the first process reports
      expect(readdirSync(run(folder)).sort()).toEqual(readdirSync(run(`one ${name}`)).sort());
      for (const [step, loss] of losses(folder).entries()) {
        expect(Math.abs(loss / alone[step]! - 1), `step ${step}`).toBeLessThan(bound);
      }
    }
  });

  // After each step all processes have the first one's parameters, and the program compares them at every checkpoint.
  it('have the same parameters on unlike processors', () => {
    const isas = findIsas();
    if (isas.length < 2) return;
    const options = ['--batch', '4', '--steps', '20', '--validate-every', '5', '--sample', '0'];
    const process = (isa: string, name: string) => [
      ...['-n', '1', '-x', `TRIL_FORCE_ISA=${isa}`, program, ...train, ...options],
      ...['-o', run(name)],
    ];
    const mixed = (first: string, second: string, name: string) =>
      mpirunOf([
        ...['--oversubscribe', '--bind-to', 'none'],
        ...[...process(first, name), ':', ...process(second, name)],
      ]);
    for (const [first, second] of [isas, [...isas].reverse()] as [string, string][]) {
      const { code, error } = mixed(first, second, `${first} ${second}`);
      expect(code, error).toBe(0);
    }
  });

  // srun --mpi=pmix starts processes without mpirun's variables.
  it('are known from MPI, not from what the launcher says of them', () => {
    const alone = ['env', '-u', 'OMPI_COMM_WORLD_SIZE', '-u', 'OMPI_COMM_WORLD_RANK'];
    const outcome = mpirunOf([
      ...['--oversubscribe', '--bind-to', 'none', '-n', '2', ...alone],
      ...[program, ...train, '--batch', '4', '--steps', '2', '-o', run('pmix')],
    ]);
    expect(outcome.code, outcome.error).toBe(0);
    expect(outcome.error).toContain('2 processes, 1 threads each\n');
    expect(outcome.error.match(/step 2: loss/g)).toHaveLength(1);
  });

  it('of which MPI does not know all end before anything is written', () => {
    const { status, stderr } = spawnSync(program, [...train, '-o', run('unknown')], {
      ...({ cwd: runs, encoding: 'utf8' } as const),
      env: { ...environment, SLURM_STEP_NUM_TASKS: '3' },
    });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^tril: was started as 3 processes or more, of which MPI knows 1: /m);
    expect(readdirSync(runs)).not.toContain('unknown');
  });

  it('alone need MPI: the program itself does not', () => {
    const { status, stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
    if (status !== 0) return; // not Linux
    expect(stdout).toContain('libc');
    expect(stdout).not.toContain('libmpi');
  });

  it('say what is wrong once, before anything is written', () => {
    const refused = (count: number, option: string, value: string) => {
      const others = train.filter((each, n) => each !== option && train[n - 1] !== option);
      const { code, error } = mpirun(count, ...others, '-o', run('refused'), option, value);
      expect(code).toBe(2);
      return error.split('\n').filter((line) => line.startsWith('tril: '));
    };
    expect(refused(2, '--width', '15')).toEqual(['tril: train: heads: 2 does not divide width 15']);
    expect(refused(4, '--batch', '2')).toEqual([
      'tril: Trainer::set_share: parts: must be from 1 to the 2 windows of a batch, is 4',
    ]);
    expect(readdirSync(runs)).not.toContain('refused');
  });

  it('tell of a loss that is not finite once', () => {
    const options = ['--batch', '2', '--steps', '9', '--learning-rate', '1e30'];
    const { code, error } = mpirun(2, ...train, ...options, '-o', run('nan'));
    expect(code, error).toBe(2);
    expect(
      error.match(/tril: the loss is \S+ in step \d: the gradient of \S+ went first/g),
    ).toHaveLength(1);
  });

  it('end when one of them dies, and leave a checkpoint to go on from', async () => {
    const options = [
      '--batch',
      '4',
      '--steps',
      '99999999',
      '--warmup',
      '0',
      '--validate-every',
      '20',
      '-o',
      run('dead'),
    ];
    const child = spawn('mpirun', ofMpirun(2, [...train, ...options]), {
      cwd: runs,
      env: environment,
    });
    let error = '';
    let killed = false;
    child.stderr.on('data', (part) => {
      error += part;
      if (killed || !error.includes('step 40:')) return;
      const second = descendants(child.pid!).find((pid) => isSecond(pid));
      expect(second).toBeDefined();
      killed = process.kill(second!, 'SIGKILL');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code, error).not.toBe(0);
    expect(error).toMatch(/rank 1 .*exited on signal 9/s);
    const resumed = tril(
      'train',
      '--resume',
      '-o',
      run('dead'),
      '--data',
      join(runs, 'text.txt'),
      '--steps',
      '41',
    );
    expect({ code: resumed.code }, resumed.error).toEqual({ code: 0 });
    expect(resumed.error).toMatch(/going on after step \d+/);
  });
});

/** All descendants of this process. */
function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return children
      .split(' ')
      .filter(Boolean)
      .map(Number)
      .flatMap((each) => [each, ...descendants(each)]);
  } catch {
    return [];
  }
}
const isSecond = (pid: number) =>
  readFileSync(`/proc/${pid}/environ`, 'utf8').includes('\0OMPI_COMM_WORLD_RANK=1\0');
