// tril train --from: further training of a model.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tril, write } from './program.js';
import { even, inRun, run, trainOn } from './runs.js';

const text = 'the cat sat on the mat. the dog lay on the rug. '.repeat(40);
const train = (name: string, ...more: string[]) => trainOn(text, name, ...more);
const resume = (name: string, ...more: string[]) =>
  tril('train', '--resume', '-o', run(name), ...more);

describe('a model that is trained further', () => {
  const other = 'a letter from the cat. the mat is on the dog. '.repeat(40);
  const from = (name: string, ...more: string[]) => {
    write('other.txt', other);
    return tril('train', '--from', run('base'), '--data', 'other.txt', ...more, '-o', run(name));
  };
  const first = (log: string) => Number(/^step 0: validation loss (\S+)$/mu.exec(log)![1]);

  it('begins as it is, keeps sizes and tokenizer, and goes on from its checkpoint', () => {
    expect(train('base', '--steps', '60').code).toBe(0);
    const whole = from('whole', '--steps', '6', ...even);
    expect({ code: whole.code }, whole.error).toEqual({ code: 0 });
    expect(first(whole.error)).toBeLessThan(first(train('none', '--steps', '1').error));
    for (const file of ['tokenizer.json', 'config.json']) {
      expect(inRun('whole', file).equals(inRun('base', file)), file).toBe(true);
    }
    expect(inRun('whole', 'model.safetensors').equals(inRun('base', 'model.safetensors'))).toBe(
      false,
    );
    expect(from('half', '--steps', '3', ...even).code).toBe(0);
    expect(resume('half', '--steps', '6').code).toBe(0);
    expect(inRun('half', 'model.safetensors').equals(inRun('whole', 'model.safetensors'))).toBe(
      true,
    );
  });

  it('refuses what is the model’s own, a model without a tokenizer, and what is none', () => {
    const refused = (...more: string[]) => {
      const { code, error } = from('refused', ...more);
      expect(code).not.toBe(0);
      return error;
    };
    for (const option of ['--layers', '--heads', '--width', '--vocabulary']) {
      expect(refused(option, '2')).toContain(`--from excludes ${option}`);
    }
    expect(refused('--family', 'llama')).toContain('--from excludes --family');
    expect(refused('--context', '4')).toContain('context');
    rmSync(join(run('base'), 'tokenizer.json'));
    expect(refused()).toContain(`${run('base')}: has no tokenizer`);
    rmSync(join(run('base'), 'config.json'));
    expect(refused()).toContain('config.json');
  });
});
