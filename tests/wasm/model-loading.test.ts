// Loading models from folders on disk, from files in pieces with little extra memory, for a requested context, and
// wrong input; here and in a Worker.
import { openAsBlob } from 'node:fs';
import { cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TrilError } from 'tril';
import { loadTril } from 'tril/training';
import { loadTril as loadRemote, type RemoteTrainingTril } from 'tril/worker';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  farthest,
  filesOf,
  folder,
  largest,
  tokens,
  tril,
  values,
  withModel,
} from './golden-models.js';
import { limited } from './limited.js';
import { golden } from './golden.js';
import { logitsTolerance } from './reference.js';

let remote: RemoteTrainingTril;
let made = '';
beforeAll(async () => {
  remote = await loadRemote({ variant: 'simd', training: true });
  made = await mkdtemp(join(tmpdir(), 'tril-loading-'));
});
afterAll(async () => {
  remote.close();
  await rm(made, { recursive: true });
});

const pathOf = (name: string) => fileURLToPath(folder(name)).replace(/\/$/, '');
const encoded = (text: string) => new TextEncoder().encode(text);
const messageOf = async (loading: Promise<unknown>): Promise<string> => {
  const error: unknown = await loading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TrilError);
  return (error as TrilError).message;
};
/** Expects the same message here and in the Worker, and no memory kept. */
const refused = async (files: Parameters<typeof tril.loadModel>[0], options = {}) => {
  const before = [tril.memory(), await remote.memory()];
  const message = await messageOf(tril.loadModel(files, options));
  expect(await messageOf(remote.loadModel(files, options))).toBe(message);
  expect([tril.memory(), await remote.memory()]).toEqual(before);
  return message;
};
const copied = async (name: string, to: string) => {
  const path = join(made, to);
  await cp(pathOf(name), path, { recursive: true });
  return path;
};

describe('a folder', () => {
  it.each(['gpt2', 'llama', 'qwen2'])('is read in Node: %s', (name) =>
    withModel(pathOf(name), async (model) => {
      const expected = [...golden(`models/${name}/logits`).values];
      const { logits } = model.forward(tokens);
      const found = values(logits);
      logits.dispose();
      expect(farthest(found, expected)).toBeLessThan(logitsTolerance * largest(expected));
      const there = await remote.loadModel(pathOf(name));
      expect(there.config).toEqual(model.config);
      const said = await there.forward(tokens);
      expect([...(await said.logits.read())]).toEqual(found);
      await said.logits.dispose();
      await there.dispose();
    }),
  );

  it('may end with a slash, and has a tokenizer', async () => {
    const trained = tril.trainer({
      ...{ model: { layers: 1, heads: 1, width: 8, context: 4 }, data: 'abcd'.repeat(9) },
      tokenizer: 'bytes',
    });
    const path = join(made, 'trained/');
    await cp(pathOf('qwen2'), path, { recursive: true });
    for (const [name, bytes] of Object.entries(trained.export()))
      await writeFile(join(path, name), bytes);
    trained.dispose();
    await withModel(path, (model) =>
      expect(model.encode('abc')).toEqual(Int32Array.of(97, 98, 99)),
    );
  });

  it('is refused where it is none, or not in Node', async () => {
    const none = join(made, 'none');
    expect(await refused(none)).toBe(
      `loadModel: files: ${none}: ENOENT: no such file or directory`,
    );
    const file = join(pathOf('gpt2'), 'config.json');
    expect(await refused(file)).toBe(`loadModel: files: ${file}: ENOTDIR: not a directory`);
    expect(await refused(made)).toBe('loadModel: files: config.json is missing');
    const half = await copied('qwen2', 'half');
    await truncate(join(half, 'model.safetensors'), 3000);
    expect(await refused(half)).toMatch(/^loadModel: model\.safetensors: .*byte/);
  });

  describe('in a browser', () => {
    afterEach(() => vi.unstubAllGlobals());
    it('is refused', async () => {
      vi.stubGlobal('process', undefined);
      const message = await messageOf(tril.loadModel('models/gpt'));
      vi.unstubAllGlobals();
      expect(message).toBe(
        'loadModel: files: are the path of a folder, which only Node can read: give files',
      );
    });
  });
});

describe('what ends a text', () => {
  const greedy = { maxTokens: 12, temperature: 0 };
  const prompt = [3, 1, 4];
  type Source = Parameters<typeof tril.loadModel>[0];
  /** The next tokens, and the model's configuration; the same here and in the Worker. */
  async function drawn(files: Source) {
    const model = await tril.loadModel(files);
    const there = await remote.loadModel(files);
    const [here, away]: number[][] = [[], []];
    for await (const { token } of model.generate(prompt, greedy)) here!.push(token!);
    for await (const { token } of there.generate(prompt, greedy)) away!.push(token!);
    const { config } = model;
    expect(away).toEqual(here);
    expect(there.config).toEqual(config);
    model.dispose();
    await there.dispose();
    return { tokens: here!, config };
  }
  const withEnds = (name: 'config.json' | 'generation_config.json', ids: unknown) => {
    const files = filesOf('gpt2');
    const config = JSON.parse(new TextDecoder().decode(files['config.json'])) as object;
    const told = { ...(name === 'config.json' && config), eos_token_id: ids };
    return { ...files, [name]: encoded(JSON.stringify(told)) };
  };

  it('is a token of the vocabulary that the files name', async () => {
    const { tokens: all, config } = await drawn(withEnds('config.json', 50256));
    expect(all).toHaveLength(12);
    expect(config['eos_token_id']).toBeNull();
    expect((await drawn(withEnds('config.json', -1))).tokens).toEqual(all);
    const end = all[4]!;
    const before = all.slice(0, all.indexOf(end));
    const told = await drawn(withEnds('config.json', [50256, end]));
    expect(told.tokens).toEqual(before);
    expect(told.config['eos_token_id']).toBe(end);
    const two = await drawn(withEnds('config.json', [end, 47]));
    expect(two.config['eos_token_id']).toEqual([end, 47]);
  });

  it('is what generation_config.json says, where it is there', async () => {
    const { tokens: all } = await drawn(withEnds('config.json', null));
    const end = all[4]!;
    const files = withEnds('generation_config.json', [end, 50256]);
    expect((await drawn(files)).tokens).toEqual(all.slice(0, all.indexOf(end)));
    const path = await copied('gpt2', 'ends');
    await writeFile(join(path, 'generation_config.json'), files['generation_config.json']!);
    expect((await drawn(path)).tokens).toEqual(all.slice(0, all.indexOf(end)));
    const broken = { ...files, 'generation_config.json': encoded('[') };
    expect(await refused(broken)).toBe(
      'loadModel: generation_config.json: byte 0: expected "{", found "["',
    );
    expect(await refused({ ...files, 'generation_config.json': encoded('') })).toBe(
      'loadModel: generation_config.json: is empty',
    );
    const text = withEnds('generation_config.json', '2');
    expect(await refused(text)).toMatch(
      /^loadModel: generation_config\.json: eos_token_id: must be a number or a list of numbers/,
    );
  });
});

describe('a context', () => {
  const dynamic = async () => {
    const files = filesOf('llama');
    const config = JSON.parse(new TextDecoder().decode(files['config.json'])) as object;
    const scaling = { rope_type: 'dynamic', factor: 2, original_max_position_embeddings: 8 };
    return {
      ...files,
      'config.json': encoded(JSON.stringify({ ...config, rope_scaling: scaling })),
    };
  };

  it.each([
    [undefined, 'dynamic'],
    [32, 'dynamic'],
    [24, 'dynamic_24'],
  ] as const)('turns dynamic positions as for a text of its length, %s', async (context, name) => {
    const expected = [...golden(`models/llama/${name}`).values];
    const options = context === undefined ? {} : { context };
    const model = await tril.loadModel(await dynamic(), options);
    const there = await remote.loadModel(await dynamic(), options);
    expect(model.config['max_position_embeddings']).toBe(context ?? 32);
    expect(there.config).toEqual(model.config);
    const { logits } = model.forward(tokens);
    const said = await there.forward(tokens);
    expect(farthest(values(logits), expected)).toBeLessThan(logitsTolerance * largest(expected));
    expect([...(await said.logits.read())]).toEqual(values(logits));
    logits.dispose();
    model.dispose();
    await said.logits.dispose();
    await there.dispose();
  });

  it('may be longer, and is the most there may be', async () => {
    const model = await tril.loadModel(await dynamic(), { context: 50 });
    const long = Array.from({ length: 51 }, (_, n) => n % 48);
    model.forward(long.slice(1)).logits.dispose();
    expect(() => model.forward(long)).toThrow('forward: tokens: are 51, and the context is 50');
    await expect(model.generate(long).next()).rejects.toThrow(
      'generate: prompt: has 51 tokens, and the context is 50',
    );
    model.dispose();
  });

  it('is refused where its keys and values do not fit into memory', async () => {
    const model = await limited.loadModel(filesOf('llama'), { context: 2 ** 24 });
    const { bytes } = limited.memory();
    expect(await messageOf(model.generate([1, 2], { maxTokens: 2 ** 24 }).next())).toMatch(
      /^generate: memory: is not enough: keys and values take 2048 MiB, and there are [0-9]+$/,
    );
    expect(limited.memory().bytes).toBe(bytes);
    model.forward([1, 2]).logits.dispose();
    model.dispose();
  });

  it('is refused where the model cannot have it', async () => {
    expect(await refused(filesOf('gpt2'), { context: 16 })).toBe(
      'loadModel: context: must be 32, for which positions are learned, is 16',
    );
    expect(await refused(filesOf('llama'), { context: 2 ** 24 + 1 })).toBe(
      'loadModel: context: must be from 1 to 16777216, is 16777217',
    );
    for (const context of [0, -1, 1.5, '24']) {
      expect(await refused(filesOf('llama'), { context })).toMatch(
        /^loadModel: context: must be a (whole )?number/,
      );
    }
  });
});

/** A minimal model of the family GPT-2 whose embedding is larger than several pieces. */
async function large(width: number, type: 'F32' | 'F16') {
  const sizes = { n_layer: 1, n_head: 1, n_embd: width, n_positions: 8, vocab_size: 300_000 };
  const names: [string, number[]][] = [
    ['wte.weight', [300_000, width]],
    ['wpe.weight', [8, width]],
    ...(['ln_1', 'ln_2'] as const).flatMap((name): [string, number[]][] => [
      [`h.0.${name}.weight`, [width]],
      [`h.0.${name}.bias`, [width]],
    ]),
    ['h.0.attn.c_attn.weight', [width, 3 * width]],
    ['h.0.attn.c_attn.bias', [3 * width]],
    ['h.0.attn.c_proj.weight', [width, width]],
    ['h.0.attn.c_proj.bias', [width]],
    ['h.0.mlp.c_fc.weight', [width, 4 * width]],
    ['h.0.mlp.c_fc.bias', [4 * width]],
    ['h.0.mlp.c_proj.weight', [4 * width, width]],
    ['h.0.mlp.c_proj.bias', [width]],
    ['ln_f.weight', [width]],
    ['ln_f.bias', [width]],
  ];
  const bytes = type === 'F32' ? 4 : 2;
  let end = 0;
  const header = Object.fromEntries(
    names.map(([name, shape]) => {
      const begin = end;
      end += bytes * shape.reduce((product, size) => product * size);
      return [name, { dtype: type, shape, data_offsets: [begin, end] }];
    }),
  );
  const text = encoded(JSON.stringify(header));
  const path = join(made, `large-${type}-${width}`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  await writeFile(path, Buffer.concat([length, text]));
  await truncate(path, 8 + text.length + end); // zeros
  const config = encoded(JSON.stringify({ model_type: 'gpt2', ...sizes }));
  return { files: { 'config.json': config, 'model.safetensors': await openAsBlob(path) }, end };
}

const piece = 2 ** 23;
describe('a large model', () => {
  it.each([
    ['F32', 64],
    ['F16', 64],
    ['F16', 65],
  ] as const)('is never twice in memory: %s, %d wide', async (type, width) => {
    const { files, end } = await large(width, type);
    const module = await loadTril({ variant: 'simd' });
    const before = module.memory().heapBytes;
    const slice = vi.spyOn(files['model.safetensors'], 'slice');
    const told: number[] = [];
    const progress = (read: number, all: number) => {
      expect(all).toBe(files['model.safetensors'].size);
      told.push(read);
    };
    const model = await module.loadModel(files, { progress });
    const { bytes } = model.parameters;
    expect(bytes).toBeGreaterThan(type === 'F16' ? 35e6 : 75e6);
    // Loading needs a piece and its converted numbers besides the parameters; memory grows by up to a fifth more than
    // needed.
    expect(module.memory().heapBytes).toBeLessThan(1.2 * (before + bytes + 2 * piece));
    const sizes = slice.mock.calls.map(([from = 0, to = 0]) => to - from);
    expect(Math.max(...sizes)).toBe(piece);
    const steps = told.map((read, n) => read - (told[n - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(piece + 2 ** 12); // the header comes with the last step
    expect(told.length).toBeGreaterThan(end / piece);
    model.dispose();
  });

  it('is loaded in a Worker piece by piece, and may be left between them', async () => {
    const { files } = await large(64, 'F32');
    const before = await remote.memory();
    const stop = new AbortController();
    const told: number[] = [];
    const progress = (read: number) => {
      told.push(read);
      if (told.length === 3) stop.abort('enough');
    };
    const loading = remote.loadModel(files, { progress, signal: stop.signal });
    await expect(loading).rejects.toBe('enough');
    expect(told.map((read, n) => read - (told[n - 1] ?? 0))).toEqual([piece, piece, piece]);
    expect((await remote.memory()).bytes).toBe(before.bytes);
  });
});

it('names a file that has changed on the disk since it was opened', async () => {
  const path = join(made, 'config.json');
  await writeFile(path, '{}');
  const file = await openAsBlob(path);
  await writeFile(path, '{"model_type": "llama"}');
  for (const on of [tril, remote]) {
    const failing = on.loadModel({ ...filesOf('llama'), 'config.json': file });
    await expect(failing).rejects.toThrow(TrilError);
    await expect(failing).rejects.toThrow('loadModel: files: config.json could not be read: ');
  }
});
