// A value in brackets is taken literally by every option with several values: CLI11 would read a list.
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { failure, read, report, tril, write } from './program.js';
import { run, trainOn } from './runs.js';

const values = ['[x]', '[a, b]', '[]', '[', ']', '{}', '[[a],[b]]'];
const encoder = fileURLToPath(new URL('../golden/models/minilm', import.meta.url));

beforeAll(() => {
  for (const value of values) write(value, `of ${value}. `.repeat(40));
});

describe('a sentence', () => {
  it.each(values)('%s', (value) => {
    const texts = (...given: string[]) => report('embed', '--model', encoder, ...given).texts;
    expect(texts(value)).toEqual([value]);
    expect(texts('look', value, 'and', value)).toEqual(['look', value, 'and', value]);
  });
});

describe('a tokenizer', () => {
  const specials = () =>
    JSON.parse(String(read('t.json'))).added_tokens.map(
      (each: { content: string }) => each.content,
    );

  it.each(values)('is trained on %s', (value) => {
    const train = ['tokenizer', '-o', 't.json', '--kind', 'chars', '--train'];
    report(...train, value);
    const alone = read('t.json');
    report(...train, value, value);
    expect(read('t.json')).toEqual(alone);
    expect(failure(...train, value, `[-${value}]`)).toBe(`[-${value}]: No such file or directory`);
  });

  it.each(values.filter((value) => value.length > 1))('has the token %s', (value) => {
    const train = ['tokenizer', '--train', '[x]', '-o', 't.json'];
    report(...train, '--special', value, '--special', '[PAD],[UNK]');
    expect(specials()).toEqual([value, '[PAD],[UNK]']);
    report(...train, `--special=${value}`);
    expect(specials()).toEqual([value]);
  });
});

describe('word vectors', () => {
  it.each(values)('of %s', (value) => {
    const learn = ['vectors', '--epochs', '1', '-o', 'w.safetensors', '--data'];
    expect(tril(...learn, '[x]', value).code).toBe(0);
    expect(failure(...learn, value, `[-${value}]`)).toBe(`[-${value}]: No such file or directory`);
    write('w.txt', `${value.replaceAll(' ', '')} 1 2\nto 2 1\nbe 3 1\n`);
    const ask = ['vectors', '--vectors', 'w.txt', '--analogy'];
    const word = value.replaceAll(' ', '');
    expect(report(...ask, word, 'to', word)).toMatchObject([{ word: 'be' }]);
    expect(failure(...ask, 'to', `${value}]`, 'be')).toContain(
      `"${value}]" is none of the 3 words`,
    );
  });
});

describe('a model', () => {
  const options = ['--layers', '1', '--heads', '2', '--width', '16', '--context', '8'];

  it.each(values)('is trained on %s', (value) => {
    const train = ['train', ...options, '--steps', '1', '--sample', '0'];
    const on = (name: string, ...more: string[]) => tril(...train, '-o', run(name), ...more);
    const name = `run${values.indexOf(value)}`;
    const { code, error } = on(name, '--data', '[x]', value, '--validation', '[', value);
    expect({ code }, error).toEqual({ code: 0 });
    const missing = `[-${value}]`;
    const said = `tril: ${missing}: No such file or directory\n`;
    expect(on('none', '--data', '[x]', missing).error).toBe(said);
    expect(on('none', '--data', '[x]', '--validation', missing).error).toBe(said);
    const lora = ['--from', run(name), '--lora', '2', '--data', '[x]', '--lora-targets', value];
    expect(tril('train', '-o', run('none'), ...lora).error).toContain(
      `targets: "${value}" is no matrix of a layer`,
    );
  });

  it('stops before each', () => {
    const text = 'p[x]q[a, b]r[]s{}t'.repeat(40);
    expect(trainOn(text, 'stop', '--steps', '400').code).toBe(0);
    const go = ['generate', '--model', run('stop'), '--prompt', 'p', '--temperature', '0'];
    const whole = report(...go).text as string;
    for (const stop of ['[x]', '[a, b]', '[]', '[', ']', '{}']) {
      expect(whole).toContain(stop);
      expect(report(...go, '--stop', stop)).toMatchObject({
        text: whole.slice(0, whole.indexOf(stop)),
        end: 'stop',
      });
    }
  });
});

it('is named as it was given where it is wrong', () => {
  expect(failure('bench', '--sizes', '[8]')).toMatch(
    /^--sizes: must be from 1 to 8192, is \[8\] \(/,
  );
  expect(failure('[x]')).toMatch(/^\[x\]: there is no such command/);
  expect(failure('info', 'a', '[x]')).toMatch(/: \[x\] \(`tril info --help`/);
  expect(failure('info', '--at=[x]')).toMatch(/^--at: there is no such option/);
});
