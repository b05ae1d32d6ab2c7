// tril train: a run that stops halfway leaves complete files, and --resume continues from them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program, tril, write } from './program.js';
import { even, inRun, run, runs, small, trainOn } from './runs.js';

const text = 'the cat sat on the mat. the dog lay on the rug. '.repeat(40);
const train = (name: string, ...more: string[]) => trainOn(text, name, ...more);
const resume = (name: string, ...more: string[]) =>
  tril('train', '--resume', '-o', run(name), ...more);

/** Expects the parameters in a checkpoint to be those of the model beside it, after this many steps. */
function expectSame(name: string, steps: number) {
  const tensors = (file: Buffer) => {
    const begin = 8 + Number(file.readBigUInt64LE());
    const { __metadata__: metadata, ...rest } = JSON.parse(file.subarray(8, begin).toString());
    const bytes = (tensor: string) =>
      file.subarray(...(rest[tensor].data_offsets as [number, number]).map((at) => begin + at));
    return { metadata, names: Object.keys(rest), bytes };
  };
  const model = tensors(inRun(name, 'model.safetensors'));
  const checkpoint = tensors(inRun(name, 'checkpoint.safetensors'));
  expect(checkpoint.metadata['trainer.done']).toBe(String(steps));
  for (const each of model.names) {
    expect(checkpoint.bytes(each).equals(model.bytes(each)), each).toBe(true);
  }
  expect(readdirSync(run(name)).filter((file) => file.includes('.tril-part'))).toEqual([]);
}

describe('a loss that is not finite', () => {
  const wild = (name: string, rate: string, ...more: string[]) => {
    write('text.txt', text);
    const options = ['--learning-rate', rate, '--lowest-rate', rate, '--warmup', '0', ...more];
    return tril(
      'train',
      '--data',
      'text.txt',
      ...small,
      '--steps',
      '9',
      ...options,
      '-o',
      run(name),
    );
  };

  it('ends the run, and the checkpoint stays that of the last state that was good', () => {
    const { code, out, error } = wild('nan', '1e30');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    const says =
      /\ntril: the loss is \S+ in step (\d): the gradient of \S+ went first; (\S+) is from step 0\n$/;
    const [, step, file] = says.exec(error) ?? [];
    expect(file, error).toBe(join(run('nan'), 'checkpoint.safetensors'));
    expect(Number(step)).toBeGreaterThan(0);
    expectSame('nan', 0);
    expect(inRun('nan', 'log.csv').toString().trim().split('\n')).toHaveLength(1 + Number(step));
    // The resumed run fails at the same step.
    const again = resume('nan');
    expect(again.code).toBe(2);
    expect(again.error).toContain(`in step ${step}: `);
  });

  it('leaves the checkpoint before where the state has numbers that are not finite', () => {
    const { code, error } = wild('infinite', '1e39'); // exceeds a float
    expect(code).toBe(2);
    expect(error).toMatch(
      /\ntril: the loss is \S+ in step \d: .* went first; \S+ is from step 0\n$/,
    );
    expectSame('infinite', 0);
  });
});

describe('no room left', () => {
  it('for the model: the checkpoint has all of it, and is kept', () => {
    expect(train('full', '--steps', '2').code).toBe(0);
    const before = inRun('full', 'checkpoint.safetensors');
    const model = join(run('full'), 'model.safetensors');
    rmSync(model);
    symlinkSync('/dev/full', model);
    const { code, error } = resume('full', '--steps', '4');
    expect({ code }, error).toEqual({ code: 2 });
    expect(error).toMatch(/\ntril: \S+model\.safetensors: No space left on device\n$/);
    expect(inRun('full', 'checkpoint.safetensors').equals(before)).toBe(true);
    rmSync(model);
    expect(resume('full', '--steps', '4').code).toBe(0);
    expectSame('full', 4);
  });

  it('for the log: nothing is trained', () => {
    mkdirSync(run('log'));
    symlinkSync('/dev/full', join(run('log'), 'log.csv'));
    const { code, error } = train('log', '--steps', '2');
    expect({ code }, error).toEqual({ code: 2 });
    expect(error).toMatch(/tril: \S+log\.csv: No space left on device\n$/);
    rmSync(join(run('log'), 'log.csv'));
    expect(train('log', '--steps', '2').code).toBe(0);
    expectSame('log', 2);
  });

  it('for the log of a run that goes on: the same, whatever kind of file it is', () => {
    expect(train('device', '--steps', '2').code).toBe(0);
    const log = join(run('device'), 'log.csv');
    const becomes = (make: () => unknown) => {
      rmSync(log);
      make();
      return resume('device', '--steps', '4');
    };
    const full = becomes(() => symlinkSync('/dev/full', log));
    expect(full.code, full.error).toBe(2);
    expect(full.error).toMatch(/^tril: \S+log\.csv: No space left on device\n$/);
    const pipe = becomes(() => spawnSync('mkfifo', [log]));
    expect(pipe.code, pipe.error).toBe(2);
    expect(pipe.error).toMatch(
      /^tril: \S+log\.csv: is a pipe, from which its first steps cannot be read again\n$/,
    );
    expectSame('device', 2);
    expect(becomes(() => symlinkSync('/dev/null', log)).code).toBe(0);
    expectSame('device', 4);
  });

  /** Runs `tril` with a limit on the size of files, in KiB; exceeding it is an error, not a signal. */
  const limited = (kilobytes: number, ...args: string[]) => {
    const command = 'trap "" XFSZ; ulimit -f "$0"; exec "$@"';
    const options = { cwd: runs, encoding: 'utf8' } as const;
    return spawnSync('bash', ['-c', command, `${kilobytes}`, program, ...args], options);
  };

  it('for the checkpoint: the one before is kept', () => {
    expect(train('limit', '--steps', '2').code).toBe(0);
    const size = (file: string) => statSync(join(run('limit'), file)).size;
    const kilobytes = Math.floor(size('checkpoint.safetensors') / 1024);
    expect(size('model.safetensors')).toBeLessThan(kilobytes * 1024);
    writeFileSync(join(runs, 'text.txt'), text);
    const data = ['--data', join(runs, 'text.txt')];
    const { status, stderr } = limited(
      ...[kilobytes, 'train', '--resume', '-o', run('limit'), '--steps', '4', ...data],
    );
    expect({ status }, stderr).toEqual({ status: 2 });
    expect(stderr).toMatch(/\ntril: \S+checkpoint\.safetensors: File too large\n$/);
    expectSame('limit', 2);
    expect(resume('limit', '--steps', '4').code).toBe(0);
    expectSame('limit', 4);
  });

  it('for lines of the log: the run ends where it is seen, and goes on from the checkpoint', () => {
    writeFileSync(join(runs, 'text.txt'), text);
    // About 70 bytes per step exceed the files of such a small model.
    const tiny = [
      '--layers',
      '1',
      '--heads',
      '1',
      '--width',
      '2',
      '--context',
      '4',
      '--batch',
      '1',
    ];
    const options = ['--steps', '2000', '--validate-every', '1000', '--sample', '0'];
    const data = ['--data', join(runs, 'text.txt')];
    const { status, stderr } = limited(
      ...[32, 'train', ...data, ...tiny, ...options, '-o', run('lines')],
    );
    expect({ status }, stderr).toEqual({ status: 2 });
    expect(stderr).toMatch(/\ntril: \S+log\.csv: cannot be written\n$/);
    expectSame('lines', 0);
    expect(resume('lines', '--steps', '200').code).toBe(0);
    expectSame('lines', 200);
    expect(inRun('lines', 'log.csv').toString().trim().split('\n')).toHaveLength(201);
  });
});

describe('a run that ended between its two files', () => {
  it('has a model of the same step as its checkpoint as soon as it goes on', () => {
    expect(train('older', '--steps', '2').code).toBe(0);
    const model = inRun('older', 'model.safetensors');
    expect(resume('older', '--steps', '4').code).toBe(0);
    const newer = inRun('older', 'model.safetensors');
    writeFileSync(join(run('older'), 'model.safetensors'), model);
    expect(resume('older', '--steps', '4').code).toBe(0);
    expect(inRun('older', 'model.safetensors').equals(newer)).toBe(true);
    expectSame('older', 4);
  });
});

// The program `script` of util-linux, which runs a program on a terminal.
const hasScript = spawnSync('script', ['--version']).status === 0;
describe.skipIf(!hasScript)('on a terminal', () => {
  it('a bar says how far the steps are, and is taken away', () => {
    writeFileSync(join(runs, 'text.txt'), text);
    const options = [...small, ...even, '--steps', '3000', '--sample', '0', '-o', run('bar')];
    const command = [program, 'train', '--data', join(runs, 'text.txt'), ...options];
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const { stdout } = spawnSync('script', ['-qec', quoted, '/dev/null'], {
      ...({ encoding: 'utf8', input: '' } as const),
    });
    const shown = stdout.replaceAll('\x1b[K', '<clear>');
    // The first step draws a bar, and then each step at least a tenth of a second later.
    expect(shown).toMatch(
      /\r<clear>\[\.{20}\] 1\/3000 loss \d\.\d{4}, \S+( k)? tokens\/s, .* left/,
    );
    const lines = shown.split(/\r?\n/).filter((line) => line.includes('validation loss'));
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.at(-1)).toMatch(/: 3000 steps, validation loss /);
    // A line that stays comes after the bar has been removed.
    for (const line of lines) expect(line.split('<clear>').at(-1)).not.toContain('[');
    const piped = spawnSync(program, ['train', '--resume', '-o', run('bar'), '--steps', '3010'], {
      encoding: 'utf8',
    });
    expect(piped.stderr).not.toContain('\x1b');
    expect(piped.status).toBe(0);
  });
});
