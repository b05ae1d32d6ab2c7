// tril generate: continuing texts, from a folder of `tril train` and from one in the form of Hugging Face's libraries,
// and errors.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, program, tril, trilPiped, write } from './program.js';

let models = '';
const folder = (name: string) => join(models, name);
const text = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
beforeAll(() => {
  models = mkdtempSync(join(tmpdir(), 'tril-generate-'));
  write('text.txt', text);
  for (const family of ['gpt2', 'llama', 'qwen2']) {
    const sizes = ['--layers', '1', '--heads', '2', '--width', '16', '--context', '16'];
    const steps = ['--batch', '8', '--steps', '150', '--learning-rate', '1e-2', '--sample', '0'];
    const kind = ['--family', family, '--tokenizer', 'bpe', '--vocabulary', '280'];
    const data = ['--data', 'text.txt', '-o', folder(family)];
    const { code, error } = tril('train', ...data, ...kind, ...sizes, ...steps);
    expect({ code }, error).toEqual({ code: 0 });
  }
});
afterAll(() => rmSync(models, { recursive: true }));

const generate = (name: string, ...more: string[]) => {
  const { code, out, error } = tril('generate', '--model', folder(name), ...more);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return out;
};
const report = (name: string, ...more: string[]) => JSON.parse(generate(name, ...more, '--json'));
const greedy = ['--temperature', '0'];
const copied = (name: string, to: string) => {
  cpSync(folder(name), folder(to), { recursive: true });
  return (file: string) => join(folder(to), file);
};

describe('a model that tril train has left', () => {
  it.each(['gpt2', 'llama', 'qwen2'])('of the family %s goes on with a text', (family) => {
    const out = generate(family, '--prompt', 'the cat', '--max-tokens', '40', ...greedy);
    expect(out).toMatch(/^the cat .*[a-z ]{20,}.*\n$/s);
    const told = report(family, '--prompt', 'the cat', '--max-tokens', '40', ...greedy);
    expect(told).toMatchObject({ prompt: 'the cat', end: 'max_tokens' });
    expect(told.tokens).toHaveLength(40);
    expect(`the cat${told.text}\n`).toBe(out);
    expect(told.tokens_per_second).toBeGreaterThan(0);
  });

  it('keeps weights of 16 bits at their size', () => {
    const { weights } = report('llama', '--prompt', 'the', '--max-tokens', '1');
    expect(Object.keys(weights.types)).toEqual(['float32']);
    const count = weights.types.float32;
    expect(weights.bytes).toBeGreaterThanOrEqual(4 * count);
    for (const type of ['float16', 'bfloat16']) {
      const sizes = ['--layers', '1', '--heads', '2', '--width', '16', '--context', '16'];
      const kind = ['--family', 'llama', '--tokenizer', 'bpe', '--vocabulary', '280'];
      const rest = ['--steps', '2', '--sample', '0', '--dtype', type];
      const { code } = tril(
        ...['train', '--data', 'text.txt', '-o', folder(type)],
        ...[...kind, ...sizes, ...rest],
      );
      expect(code).toBe(0);
      const { weights: narrow, text: drawn } = report(type, '--prompt', 'the');
      expect(drawn.length).toBeGreaterThan(0);
      expect(Object.keys(narrow.types)).toEqual(['float32', type]);
      expect(narrow.types.float32 + narrow.types[type]).toBe(count);
      expect(narrow.bytes).toBeLessThan(0.7 * weights.bytes);
    }
  });

  it('holds matrices as q8_0 where it is asked to', () => {
    const { weights } = report('llama', '--prompt', 'the', '--max-tokens', '1');
    const { weights: small, text: drawn } = report('llama', '--prompt', 'the', '--weights', 'q8_0');
    expect(drawn.length).toBeGreaterThan(0);
    expect(Object.keys(small.types)).toEqual(['float32', 'q8_0']);
    expect(small.types.float32 + small.types.q8_0).toBe(weights.types.float32);
    // Each row of 16 numbers takes a whole block of 34 bytes.
    expect(small.bytes).toBeLessThan(0.6 * weights.bytes);
    const wrong = ['--prompt', 'the', '--weights', 'q4_0'];
    expect(failure('generate', '--model', folder('llama'), ...wrong)).toMatch(
      /^--weights: q4_0 not in \{q8_0\}/,
    );
  });

  it('draws by a seed, on any number of threads', () => {
    const drawn = (seed: string, ...more: string[]) =>
      report('llama', '--prompt', 'the', '--seed', seed, '--top-p', '0.95', ...more).text;
    expect(drawn('1')).toBe(drawn('1', '--threads', '1'));
    expect(drawn('1')).not.toBe(drawn('2'));
    const likeliest = report('llama', '--prompt', 'the', ...greedy).text;
    for (const only of [
      ['--top-k', '1'],
      ['--top-p', '1e-9'],
      ['--min-p', '1'],
    ]) {
      expect(report('llama', '--prompt', 'the', ...only).text).toBe(likeliest);
    }
  });

  it('ends before a text at which to stop', () => {
    const whole: string = report('gpt2', '--prompt', 'the cat', ...greedy).text;
    const [stop] = /\. \w/.exec(whole)!;
    const cut = report('gpt2', '--prompt', 'the cat', ...greedy, '--stop', 'xyz', '--stop', stop);
    expect(cut).toMatchObject({ text: whole.slice(0, whole.indexOf(stop)), end: 'stop' });
  });

  it('reads the prompt from standard input', () => {
    const { code, out } = trilPiped(
      Buffer.from('the dog'),
      ...['generate', '--model', folder('gpt2'), '--prompt', '-', '--max-tokens', '0'],
    );
    expect({ code, out: out.toString() }).toEqual({ code: 0, out: 'the dog\n' });
  });
});

interface Stored {
  readonly header: Record<string, { dtype: string; shape: number[]; data_offsets: number[] }>;
  readonly data: Buffer;
}
function parse(file: Buffer): Stored {
  const end = 8 + Number(file.readBigUInt64LE());
  const header = JSON.parse(file.subarray(8, end).toString());
  delete header.__metadata__;
  return { header, data: file.subarray(end) };
}
/** A file of some tensors, with another type or name. */
function stored({ header, data }: Stored, names: readonly string[], name: (old: string) => string) {
  const parts: Buffer[] = [];
  let at = 0;
  const entries = names.map((old) => {
    const { shape, data_offsets } = header[old]!;
    const floats = data.subarray(data_offsets[0], data_offsets[1]);
    const halves = Buffer.alloc(floats.length / 2); // truncated to bfloat16
    for (let i = 0; i < halves.length; i += 2) floats.copy(halves, i, 2 * i + 2, 2 * i + 4);
    parts.push(halves);
    return [
      name(old),
      { dtype: 'BF16', shape, data_offsets: [at, (at += halves.length)] },
    ] as const;
  });
  const text = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, ...parts]);
}

describe("a folder as Hugging Face's libraries write it", () => {
  it('in parts, of 16 bits, with a prefix, vocab.json and merges.txt', () => {
    const at = copied('gpt2', 'parts');
    const whole = parse(readFileSync(at('model.safetensors')));
    const names = Object.keys(whole.header);
    const prefixed = (name: string) => `transformer.${name}`;
    const files = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const weight_map: Record<string, string> = {};
    for (const [n, file] of files.entries()) {
      const part = names.filter((_, i) => i % 2 === n);
      writeFileSync(at(file), stored(whole, part, prefixed));
      for (const name of part) weight_map[prefixed(name)] = file;
    }
    writeFileSync(at('model.safetensors.index.json'), JSON.stringify({ metadata: {}, weight_map }));
    rmSync(at('model.safetensors'));
    const { model } = JSON.parse(readFileSync(at('tokenizer.json'), 'utf8'));
    writeFileSync(at('vocab.json'), JSON.stringify(model.vocab));
    const merges = model.merges.map((each: string | string[]) =>
      typeof each === 'string' ? each : each.join(' '),
    );
    writeFileSync(at('merges.txt'), `#version: 0.2\n${merges.join('\n')}\n`);
    rmSync(at('tokenizer.json'));

    // The same weights in one file.
    const single = copied('gpt2', 'single');
    writeFileSync(
      single('model.safetensors'),
      stored(whole, names, (name) => name),
    );
    const from = (name: string) => report(name, '--prompt', 'the dog', ...greedy).tokens;
    expect(from('parts')).toEqual(from('single'));
  });

  it('ends where the model ends the text', () => {
    const at = copied('gpt2', 'end');
    const { tokens } = report('gpt2', '--prompt', 'the cat', ...greedy);
    const config = readFileSync(at('config.json'), 'utf8');
    writeFileSync(
      at('config.json'),
      config.replace('"eos_token_id": null', `"eos_token_id": ${tokens[5]}`),
    );
    const told = report('end', '--prompt', 'the cat', ...greedy);
    expect(told.end).toBe('end_token');
    const before = tokens.slice(0, tokens.indexOf(tokens[5]));
    expect(told.tokens).toEqual(before);

    // generation_config.json counts; an id outside the vocabulary ends nothing.
    const ends = (ids: unknown) => writeFileSync(at('generation_config.json'), JSON.stringify(ids));
    ends({ eos_token_id: [-1, 50256], temperature: 0.6 });
    expect(report('end', '--prompt', 'the cat', ...greedy).tokens).toEqual(tokens);
    ends({ eos_token_id: [tokens[2], 50256] });
    expect(report('end', '--prompt', 'the cat', ...greedy).tokens).toEqual(
      tokens.slice(0, tokens.indexOf(tokens[2])),
    );
    ends({ bos_token_id: 1 });
    expect(report('end', '--prompt', 'the cat', ...greedy).tokens).toEqual(before);
  });
});

describe('a context', () => {
  it('is as long as it is asked for, which turns dynamic positions', () => {
    const long = 'the cat sat on the mat. '.repeat(10);
    const asked = ['--prompt', long, '--max-tokens', '20', ...greedy];
    expect(failure('generate', '--model', folder('llama'), ...asked)).toMatch(
      /^--prompt: has \d+ tokens, and the context is 16$/,
    );
    expect(report('llama', ...asked, '--context', '200').tokens).toHaveLength(20);
    const at = copied('llama', 'dynamic');
    const config = JSON.parse(readFileSync(at('config.json'), 'utf8')) as object;
    const scaling = { rope_type: 'dynamic', factor: 8, original_max_position_embeddings: 16 };
    writeFileSync(at('config.json'), JSON.stringify({ ...config, rope_scaling: scaling }));
    const drawn = (context: number) =>
      report(
        'dynamic',
        ...['--prompt', long, '--temperature', '2', '--max-tokens', '60'],
        ...['--context', `${context}`],
      ).text;
    expect(drawn(100_000)).toBe(drawn(100_000));
    expect(drawn(100_000)).not.toBe(drawn(300));
  });

  it('is refused where the model cannot have it', () => {
    const refused = (name: string, context: string) =>
      failure('generate', '--model', folder(name), '--prompt', 'the', '--context', context);
    expect(refused('gpt2', '15')).toBe(
      '--context: must be 16, for which positions are learned, is 15',
    );
    expect(refused('llama', '0')).toMatch(/--context/);
    expect(refused('llama', '16777217')).toMatch(/--context/);
  });
});

describe('what goes wrong', () => {
  const refused = (name: string, ...more: string[]) =>
    failure('generate', '--model', folder(name), '--prompt', 'the', ...more);

  it('with the prompt or options', () => {
    const prompt = (text: string) =>
      failure('generate', '--model', folder('gpt2'), '--prompt', text);
    expect(prompt('')).toBe('--prompt: is empty: there must be a token to begin from');
    expect(prompt('xyz'.repeat(50))).toMatch(/^--prompt: has \d+ tokens, and the context is 16$/);
    expect(failure('generate', '--prompt', 'x')).toMatch(/--model is required/);
    expect(refused('gpt2', '--top-p', '2')).toMatch(/--top-p/);
    expect(refused('gpt2', '--top-p', '0')).toBe('top_p: must be above 0 and at most 1, is 0');
    expect(refused('gpt2', '--stop', '')).toBe('stop: a text is empty');
  });

  it('with the folder', () => {
    const absent = folder('none');
    expect(refused('none')).toBe(`${absent}: No such file or directory`);
    expect(refused('gpt2', '--lora', absent)).toBe(`${absent}: No such file or directory`);
    const train = ['train', '--data', 'none.txt', '-o', 'none', '--from'];
    for (const command of [
      ['look', '--prompt', 'a', '--model'],
      ['embed', 'a', '--model'],
      train,
    ]) {
      expect(failure(...command, 'none.gguf')).toBe('none.gguf: No such file or directory');
    }

    const half = copied('llama', 'half');
    const file = half('model.safetensors');
    truncateSync(file, readFileSync(file).length / 2);
    expect(refused('half')).toMatch(/half\/model\.safetensors: .*\b(bytes?|short)\b/);

    const mistaken = copied('llama', 'mistaken');
    const weights = mistaken('model.safetensors');
    writeFileSync(weights, 'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9\n');
    expect(refused('mistaken')).toMatch(
      /mistaken\/model\.safetensors: is a Git LFS pointer, not the file: run `git lfs pull`/,
    );
    writeFileSync(mistaken('config.json'), '<!doctype html><html><body>Sign in</body></html>');
    expect(refused('mistaken')).toMatch(
      /mistaken\/config\.json: is a web page, not the file: download the file itself/,
    );

    const bert = copied('llama', 'bert');
    const text = readFileSync(bert('config.json'), 'utf8');
    writeFileSync(bert('config.json'), text.replace('"llama"', '"roberta"'));
    expect(refused('bert')).toBe(
      `${bert('config.json')}: model_type: unknown family "roberta"; there are gpt2, llama, qwen2, qwen3, mistral, olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3, bert`,
    );
    writeFileSync(bert('config.json'), text.replace('"vocab_size": 280', '"vocab_size": 270'));
    expect(refused('bert')).toMatch(
      /bert: the tokenizer has 280 tokens, and the model a vocabulary of 270$/,
    );
    writeFileSync(bert('config.json'), text.replace('"hidden_size": 16', '"hidden_size": 32'));
    expect(refused('bert')).toMatch(
      /model\.safetensors: model\.embed_tokens\.weight: shape must be \[280, 32\], is \[280, 16\]$/,
    );
    const sized = (vocabulary: number, width: number) => {
      const other = text.replace('"vocab_size": 280', `"vocab_size": ${vocabulary}`);
      writeFileSync(
        bert('config.json'),
        other.replace('"hidden_size": 16', `"hidden_size": ${width}`),
      );
      return refused('bert');
    };
    expect(sized(1e9, 16)).toBe(
      `${bert('config.json')}: vocabulary: must be from 1 to 16777216, is 1000000000`,
    );
    // 32 TiB for the embedding alone, and as much for the head.
    expect(sized(2 ** 24, 2 ** 20)).toMatch(
      /^(.*: )?memory: is not enough: the parameters, of 16 bits each, take \d{8} MiB, and there are \d+$/,
    );
    writeFileSync(bert('config.json'), text);
    rmSync(bert('tokenizer.json'));
    expect(refused('bert')).toMatch(
      /bert: there is no tokenizer\.json, nor vocab\.txt, nor vocab\.json with/,
    );
  });
});

// The program `script` of util-linux, which runs a program on a terminal.
const hasScript = spawnSync('script', ['--version']).status === 0;
describe.skipIf(!hasScript)('on a terminal', () => {
  it('a model in several files is read with progress by bytes', () => {
    const model = fileURLToPath(new URL('../golden/models/llama', import.meta.url));
    const command = `'${program}' generate --model '${model}' --prompt x`;
    const options = { encoding: 'utf8', input: '' } as const;
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], options);
    expect(stdout).toContain('100 % reading');
    expect(stdout).toContain(
      'llama: there is no tokenizer.json, nor vocab.txt, nor vocab.json with merges.txt',
    );
  });
});
