// tril train --lora: an adapter for a model, beside it and merged into it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, report, tril, write } from './program.js';
import { even, inRun, run, trainOn } from './runs.js';

const text = 'the cat sat on the mat. the dog lay on the rug. '.repeat(40);
const other = 'a letter from the cat. the mat is on the dog. '.repeat(40);

describe('an adapter for a model', () => {
  const from = (name: string, ...more: string[]) => {
    write('other.txt', other);
    return tril('train', '--from', run('base'), '--data', 'other.txt', ...more, '-o', run(name));
  };
  const validation = (log: string, step: number) =>
    Number(new RegExp(`^step ${step}: (?:.*, )?validation loss ([0-9.]+)`, 'mu').exec(log)![1]);
  const generate = (...of: string[]) => ['generate', ...of, '--prompt', 'the '];
  const greedy = (...of: string[]) =>
    report(...generate(...of), '--temperature', '0', '--max-tokens', '12');

  it('learns, is what PEFT opens, and goes on from its checkpoint', () => {
    expect(trainOn(text, 'base', '--steps', '60').code).toBe(0);
    const whole = from('whole', '--lora', '2', '--lora-alpha', '6', '--steps', '40', ...even);
    expect({ code: whole.code }, whole.error).toEqual({ code: 0 });
    expect(whole.error).toContain(
      'LoRA of rank 2, alpha 6, on c_attn: 128 parameters are trained\n',
    );
    expect(validation(whole.error, 40)).toBeLessThan(validation(whole.error, 0));

    expect(JSON.parse(inRun('whole', 'adapter/adapter_config.json').toString())).toMatchObject({
      ...{ peft_type: 'LORA', r: 2, lora_alpha: 6, target_modules: ['c_attn'] },
      ...{ fan_in_fan_out: true, task_type: 'CAUSAL_LM' },
    });
    // With this file next to a model, transformers would take the folder for an adapter of another one.
    expect(existsSync(join(run('whole'), 'adapter_config.json'))).toBe(false);

    expect(from('half', '--lora', '2', '--lora-alpha', '6', '--steps', '20', ...even).code).toBe(0);
    expect(tril('train', '--resume', '-o', run('half'), '--steps', '40').code).toBe(0);
    for (const file of ['model.safetensors', 'adapter/adapter_model.safetensors']) {
      expect(inRun('half', file).equals(inRun('whole', file)), file).toBe(true);
    }
  });

  it('is merged by whatever runs a model', () => {
    const adapter = join(run('whole'), 'adapter');
    const merged = ['--model', run('base'), '--lora', adapter];
    const { text: said, tokens, end, weights } = greedy(...merged);
    expect(greedy('--model', run('whole'))).toMatchObject({ text: said, tokens, end, weights });
    const q8 = greedy(...merged, '--weights', 'q8_0');
    expect(q8.weights.types.float32).toBeGreaterThan(48 * 16);
    const look = ['look', '--prompt', 'the cat'];
    expect(tril(...look, ...merged)).toEqual(tril(...look, '--model', run('whole')));
    expect(failure(...generate('--model', run('base'), '--lora', run('base')))).toContain(
      join(run('base'), 'adapter_config.json'),
    );
  });

  it('names what is wrong', () => {
    const refused = (...more: string[]) => {
      const { code, error } = from('refused', ...more);
      expect(code).not.toBe(0);
      expect(existsSync(run('refused'))).toBe(false);
      return error;
    };
    expect(refused('--lora', '0')).toContain('rank: must be from 1 to the width of the model, 16');
    expect(refused('--lora', '2', '--lora-alpha', '0')).toContain(
      'alpha: must be finite and above',
    );
    expect(refused('--lora', '2', '--lora-targets', 'c_fc', 'q_proj')).toContain(
      'targets: "q_proj" is no matrix of a layer; there are c_attn, c_proj, c_fc',
    );
    expect(refused('--lora-alpha', '2')).toContain('--lora-alpha requires --lora');
    expect(refused('--lora-targets', 'c_fc')).toContain('--lora-targets requires --lora');
    expect(trainOn(text, 'refused', '--lora', '2').error).toContain('--lora requires --from');
    const targets = ['--lora-targets', 'c_attn', 'mlp.c_proj'];
    const two = from('two', '--lora', '2', ...targets, '--steps', '1');
    expect(two.error).toContain('on c_attn mlp.c_proj: 288 parameters are trained');
  });
});
