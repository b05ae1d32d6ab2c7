// tril train: the files in its folder, resumed runs with the same bits, and errors.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, program, tril, write } from './program.js';
import { even, inRun, run, runs, small, trainOn } from './runs.js';

const text = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
const train = (name: string, ...more: string[]) => trainOn(text, name, ...more);

/** Names, types and shapes in a .safetensors file. */
function tensors(file: Buffer) {
  const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE())).toString());
  const { __metadata__: metadata, ...rest } = header;
  return { metadata, rest };
}
/** The losses in the log, without times. */
const losses = (name: string) =>
  inRun(name, 'log.csv')
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(',').slice(0, -1).join(','));
const kept = (name: string) =>
  readdirSync(run(name))
    .sort()
    .map((file) => [file, inRun(name, file).toString('base64')]);

describe('a run', () => {
  it('leaves a model that other libraries open, and a log', () => {
    const { code, out, error } = train('gpt2', '--steps', '60', '--validate-every', '30', '--json');
    expect({ code }, error).toEqual({ code: 0 });
    const report = JSON.parse(out);
    expect(report).toMatchObject({ folder: run('gpt2'), steps: 60 });
    expect(report.validation_loss).toBeLessThan(4);
    expect(error).toMatch(
      /^\S+( k)? parameters, \d+ tokens in the vocabulary, .* to validate on\n/,
    );
    expect(error).toMatch(/\nstep 0: validation loss 5\.\d{4}\nstep 30: loss \d\.\d{4}, /);
    expect(error).toMatch(/\nstep 60: loss .*tokens\/s\n {2}".*"\n$/);
    const config = JSON.parse(inRun('gpt2', 'config.json').toString());
    const sizes = { n_layer: 1, n_head: 2, n_embd: 16, n_inner: 64, n_positions: 8 };
    expect(config).toMatchObject({ model_type: 'gpt2', ...sizes, vocab_size: report.vocabulary });
    const { rest, metadata } = tensors(inRun('gpt2', 'model.safetensors'));
    expect(metadata).toEqual({ format: 'pt' });
    expect(rest['wte.weight'].shape).toEqual([report.vocabulary, 16]);
    expect(rest['h.0.attn.c_attn.weight'].shape).toEqual([16, 48]);
    expect(rest['h.0.mlp.c_proj.weight'].shape).toEqual([64, 16]);
    expect(JSON.parse(inRun('gpt2', 'tokenizer.json').toString()).model.type).toBe('BPE');
    const log = losses('gpt2');
    expect(log[0]).toBe('step,loss,validation_loss,gradient_norm,learning_rate');
    expect(log).toHaveLength(61);
    const first = Number(log[1]!.split(',')[1]);
    expect(Number(log[60]!.split(',')[1])).toBeLessThan(first - 1);
    expect(Number(log[60]!.split(',')[2])).toBe(report.validation_loss);
  });

  it.each(['bytes', 'words', 'bpe'])('takes the tokenizer %s', (tokenizer) => {
    const more = tokenizer === 'bpe' ? ['--vocabulary', '270'] : [];
    const { code, error } = train(tokenizer, '--tokenizer', tokenizer, '--steps', '2', ...more);
    expect({ code }, error).toEqual({ code: 0 });
  });

  it('validates on texts of their own, and keeps them apart from the others', () => {
    const bytes = Buffer.from(text);
    const cut = bytes.length - Math.floor(bytes.length / 10);
    write('first.txt', bytes.subarray(0, 1000));
    write('second.txt', bytes.subarray(1000, cut));
    write('last.txt', bytes.subarray(cut));
    const options = ['--steps', '6', '--validate-every', '3', ...small, ...even];
    const apart = (name: string, ...more: string[]) =>
      tril('train', '--data', 'first.txt', 'second.txt', '-o', run(name), ...options, ...more);
    const { code, error } = apart('apart', '--validation', 'last.txt');
    expect({ code }, error).toEqual({ code: 0 });
    // Without the option the validation data are the last tenth.
    expect(train('together', '--steps', '6', '--validate-every', '3').code).toBe(0);
    expect(losses('apart')).toEqual(losses('together'));
    expect(inRun('apart', 'model.safetensors').equals(inRun('together', 'model.safetensors'))).toBe(
      true,
    );
    // Several files are all used.
    const doubled = apart('doubled', '--validation', 'last.txt', 'first.txt', '--json');
    expect(JSON.parse(doubled.out).validation_loss).not.toBe(
      Number(losses('apart').at(-1)!.split(',')[2]),
    );
    // A resumed run finds the same files, and refuses others in their place.
    const resume = (...more: string[]) =>
      tril('train', '--resume', '-o', run('apart'), '--steps', '8', ...more);
    const other = resume('--validation', 'first.txt');
    expect(other.code).not.toBe(0);
    expect(other.error).toContain('first.txt: the texts are not those of');
    expect(resume().code).toBe(0);
    expect(losses('apart')).toHaveLength(9);
  });

  // The package's own test compares JavaScript's trainer with the same losses. The file has the results of a processor
  // with AVX-512; others add in another order (see tests/wasm/trainer.test.ts for the bound).
  it('has the losses of the golden file', () => {
    expect(train('golden', '--steps', '20').code).toBe(0);
    const log = readFileSync(new URL('../golden/training/log.csv', import.meta.url), 'utf8');
    const numbers = (lines: readonly string[]) =>
      lines.slice(1).map((line) => line.split(',').map(Number));
    const expected = numbers(log.trim().split('\n'));
    let drift = 0;
    for (const [n, [step, loss, , , rate]] of numbers(losses('golden')).entries()) {
      const [number, wanted, , norm, wantedRate] = expected[n]!;
      expect([step, rate]).toEqual([number, wantedRate]);
      const rounded = 40 * 24 * 2 ** -24;
      expect(Math.abs(loss! - wanted!)).toBeLessThan(rounded * wanted! + drift);
      drift += rate! * Math.sqrt(7584) * rounded * norm!;
    }
    expect(losses('golden')).toHaveLength(21);
  });

  it('of the family llama has its names', () => {
    const { code, error } = train('llama', '--family', 'llama', '--kv-heads', '1', '--steps', '2');
    expect({ code }, error).toEqual({ code: 0 });
    const { rest } = tensors(inRun('llama', 'model.safetensors'));
    expect(rest['model.layers.0.self_attn.k_proj.weight'].shape).toEqual([8, 16]);
    expect(rest['model.layers.0.mlp.gate_proj.weight'].shape).toEqual([48, 16]);
    const config = JSON.parse(inRun('llama', 'config.json').toString());
    expect(config).toMatchObject({ model_type: 'llama', num_key_value_heads: 1 });
  });

  it('keeps the model after given steps, in half the bytes where that is asked for', () => {
    const more = ['--steps', '4', '--keep', '0', '3', '--dtype', 'float16'];
    const { code, error } = train('halves', ...more);
    expect({ code }, error).toEqual({ code: 0 });
    expect(train('whole', '--steps', '4').code).toBe(0);
    const files = readdirSync(run('halves')).filter((file) => file.startsWith('step-'));
    expect(files.sort()).toEqual(['step-0.safetensors', 'step-3.safetensors']);
    const names = ['model.safetensors', ...files];
    const halves = names.map((file) => tensors(inRun('halves', file)).rest['wte.weight']);
    const whole = tensors(inRun('whole', 'model.safetensors')).rest['wte.weight'];
    for (const half of halves) {
      expect(half).toMatchObject({ dtype: 'F16', shape: whole.shape });
      expect(2 * half.data_offsets[1]).toBe(whole.data_offsets[1]);
    }
    const type = (name: string) => JSON.parse(inRun(name, 'config.json').toString()).torch_dtype;
    expect(['halves', 'whole'].map(type)).toEqual(['float16', 'float32']);
    expect(new Set(names.map((file) => inRun('halves', file).toString('base64'))).size).toBe(3);
    const [rounded, exact] = ['halves', 'whole'].map((name) => {
      const args = ['--prompt', 'the', '--temperature', '0', '--max-tokens', '4'];
      return tril('generate', '--model', run(name), ...args);
    });
    expect(rounded).toEqual(exact);
  });

  it('learns hidden tokens', () => {
    const { code, error } = train('masked', '--objective', 'masked', '--steps', '60');
    expect({ code }, error).toEqual({ code: 0 });
    expect(JSON.parse(inRun('masked', 'config.json').toString())).toMatchObject({
      ...{ model_type: 'tril-masked-gpt2', architectures: ['TrilForMaskedLM'] },
    });
    expect(tril('train', '--resume', '-o', run('masked'), '--steps', '62').code).toBe(0);
  });
});

describe('--resume', () => {
  it('goes on with the same bits, on another number of threads', () => {
    const sgd = ['--optimizer', 'sgd', '--momentum', '0.9'];
    for (const [family, ...own] of [['gpt2'], ['llama'], ['qwen2', ...sgd]] as const) {
      const options = ['--family', family, ...own, '--validate-every', '4', '--dropout', '0.1'];
      expect(train(`whole-${family}`, ...options, '--steps', '13').code).toBe(0);
      expect(train(`part-${family}`, ...options, '--steps', '5', '--threads', '3').code).toBe(0);
      const { code, error } = tril(
        'train',
        '--resume',
        '-o',
        run(`part-${family}`),
        '--steps',
        '13',
      );
      expect({ code }, error).toEqual({ code: 0 });
      for (const file of ['checkpoint.safetensors', 'model.safetensors']) {
        expect(inRun(`part-${family}`, file).equals(inRun(`whole-${family}`, file))).toBe(true);
      }
      // The run that ended at step 5 was validated there.
      const part = losses(`part-${family}`);
      part[5] = part[5]!.replace(/^([^,]*,[^,]*),[^,]*,/, '$1,,');
      expect(part).toEqual(losses(`whole-${family}`));
    }
  });

  // Ctrl-C, the signal at shutdown, and the signal when a terminal closes.
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'goes on after %s, which writes a checkpoint',
    async (signal) => {
      write('text.txt', text);
      writeFileSync(join(runs, 'text.txt'), text);
      const options = ['train', '--data', join(runs, 'text.txt'), ...small, ...even];
      const [stopped, unstopped] = [`stopped-${signal}`, `unstopped-${signal}`];
      const child = spawn(program, [...options, '--steps', '9999999', '-o', run(stopped)]);
      let error = '';
      let signalled = false;
      child.stderr.on('data', (part) => {
        error += part;
        if (!signalled && error.includes('step 0:')) signalled = child.kill(signal);
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect({ code }, error).toEqual({ code: 130 });
      const line =
        /\nstopped after step (\d+) of 9999999; to go on: tril train --resume -o (.*)\n$/;
      const [, done, folder] = line.exec(error) ?? [];
      expect(folder).toBe(run(stopped));
      const steps = String(Number(done) + 2);
      const resumed = tril('train', '--resume', '-o', run(stopped), '--steps', steps);
      expect(resumed.code, resumed.error).toBe(0);
      expect(tril(...options, '--steps', steps, '-o', run(unstopped)).code).toBe(0);
      for (const file of ['checkpoint.safetensors', 'model.safetensors']) {
        expect(inRun(stopped, file).equals(inRun(unstopped, file))).toBe(true);
      }
    },
  );

  it('refuses what is not what the checkpoint has, and changes nothing', () => {
    expect(train('kept', '--steps', '2').code).toBe(0);
    const before = kept('kept');
    const resume = (...more: string[]) => failure('train', '--resume', '-o', run('kept'), ...more);
    const file = join(run('kept'), 'checkpoint.safetensors');
    expect(resume('--width', '32')).toBe(`${file}: model.width: is 32, and in the checkpoint 16`);
    expect(resume('--seed', '3')).toBe(`${file}: trainer.seed: is 3, and in the checkpoint 1337`);
    expect(resume('--tokenizer', 'words')).toBe(`${file}: --tokenizer is chars, not words`);
    expect(resume('--family', 'llama')).toBe(`${file}: --family is gpt2, not llama`);
    write('other.txt', `${text}!`);
    expect(resume('--data', 'other.txt')).toBe(`other.txt: the texts are not those of ${file}`);
    expect(failure('train', '--data', 'text.txt', '-o', run('kept'))).toBe(
      `${file}: there is a run in this folder; --resume goes on with it`,
    );
    expect(failure('train', '--resume', '-o', run('none'))).toMatch(/No such file or directory$/);
    expect(kept('kept')).toEqual(before);
  });
});

describe('what goes wrong', () => {
  const refused = (...args: string[]) => failure('train', '-o', run('refused'), ...args);

  it('before anything is written', () => {
    write('text.txt', text);
    write('empty.txt', '');
    write('short.txt', 'abc def');
    write('latin1.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    expect(refused()).toMatch(/^--data is required/);
    expect(refused('--data', 'none.txt')).toBe('none.txt: No such file or directory');
    expect(refused('--data', 'empty.txt')).toBe('empty.txt: holds no text to learn from');
    expect(refused('--data', 'text.txt', '--validation', 'empty.txt')).toBe(
      'empty.txt: holds no text to validate on',
    );
    expect(refused('--data', 'text.txt', '--validation', 'none.txt')).toBe(
      'none.txt: No such file or directory',
    );
    expect(refused('--data', 'short.txt')).toBe(
      'short.txt: too short: 7 tokens to train on and 0 to validate on, and a context of 64 needs ' +
        '65 of each',
    );
    expect(refused('--data', 'latin1.txt')).toBe(
      'latin1.txt: is not UTF-8; --tokenizer bytes takes any file',
    );
    const data = ['--data', 'text.txt'];
    expect(refused(...data, '--heads', '3')).toMatch(/heads: 3 does not divide width 128$/);
    expect(refused(...data, '--learning-rate', '0')).toMatch(/learning_rate: .*above 0/);
    expect(refused(...data, '--batch', '0')).toMatch(/batch: must be from 1/);
    expect(refused(...data, '--steps', '0')).toMatch(/--steps/);
    expect(refused(...data, '--tokenizer', 'letters')).toMatch(/letters/);
    expect(refused(...data, '--keep', '-1')).toMatch(/--keep/);
    expect(refused(...data, '--dtype', 'float8')).toMatch(/--dtype.*float8/);
    expect(refused(...data, '--optimizer', 'adam')).toMatch(/--optimizer.*adam/);
    expect(refused(...data, '--momentum', '0.9')).toMatch(/momentum: is sgd's, and this is adamw$/);
    expect(refused(...data, '--beta1', '1')).toMatch(/beta1: .*below 1/);
    expect(refused(...data, '--epsilon', '-1')).toMatch(/eps: .*at least 0/);
    expect(readdirSync(runs)).not.toContain('refused');
  });
});
