// Refused files and calls of models: a one-line error, and no memory kept.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { filesOf, tril, withModel } from './golden-models.js';
import { limited } from './limited.js';

/** A file with only a header: a reader finds zeros after it. */
class Hollow extends Blob {
  constructor(
    readonly header: Uint8Array,
    override readonly size: number,
  ) {
    super();
  }
  override slice(from = 0, to = this.size): Blob {
    const part = new Uint8Array(to - from);
    part.set(this.header.subarray(from, to));
    return new Blob([part]);
  }
}

/** Consistent files of just below 2 GiB of 16-bit numbers, the most that can be allocated at once. */
function hollowModel(): Record<string, Uint8Array | Blob> {
  const model = { layers: 1, heads: 1, width: 62, context: 1, vocabulary: 1 };
  const trainer = tril.trainer({ model });
  const { 'config.json': config, 'model.safetensors': small } = trainer.export();
  trainer.dispose();
  const settings = JSON.parse(new TextDecoder().decode(config)) as object;
  const size = Number(new DataView(small.buffer, small.byteOffset).getBigUint64(0, true));
  type Entry = { dtype: string; shape: number[]; data_offsets: number[] };
  const text = new TextDecoder().decode(small.subarray(8, 8 + size));
  const entries = JSON.parse(text) as Record<string, Entry>;
  delete entries['__metadata__'];
  let end = 0;
  for (const [name, entry] of Object.entries(entries)) {
    const rows = { 'wte.weight': 2 ** 24, 'wpe.weight': 540_000 }[name];
    if (rows) entry.shape[0] = rows;
    const begin = end;
    end += 2 * entry.shape.reduce((product, axis) => product * axis, 1);
    Object.assign(entry, { dtype: 'F16', data_offsets: [begin, end] });
  }
  const told = JSON.stringify(entries);
  const json = new TextEncoder().encode(told.padEnd(8 * Math.ceil(told.length / 8)));
  const header = new Uint8Array(8 + json.length);
  new DataView(header.buffer).setBigUint64(0, BigInt(json.length), true);
  header.set(json, 8);
  const sizes = { n_positions: 540_000, n_ctx: 540_000, vocab_size: 2 ** 24 };
  return {
    'config.json': new TextEncoder().encode(JSON.stringify({ ...settings, ...sizes })),
    'model.safetensors': new Hollow(header, header.length + end),
  };
}

describe('what does not fit', () => {
  const refused = async (body: () => Promise<unknown>, message: string | RegExp) => {
    const before = tril.memory();
    const error: unknown = await body().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TrilError);
    if (typeof message === 'string') expect((error as TrilError).message).toBe(message);
    else expect((error as TrilError).message).toMatch(message);
    expect(tril.memory()).toEqual(before);
  };
  const changed = (file: string, from: string, to: string) => {
    const files = filesOf('llama');
    const text = new TextDecoder().decode(files[file]);
    expect(text).toContain(from);
    return { ...files, [file]: new TextEncoder().encode(text.replace(from, to)) };
  };

  it('is refused in one line, and nothing is kept', async () => {
    const load = (files: unknown) => () => tril.loadModel(files as never);
    await refused(load(3), /^loadModel: files: must be files by their names, .* is 3$/);
    await refused(load({}), 'loadModel: files: config.json is missing');
    await refused(load(new Uint8Array(4)), /^loadModel: files: .* is a Uint8Array$/);
    await refused(load([new Blob(['{}'])]), /^loadModel: files: .* is an array$/);
    await refused(
      load({ ...filesOf('llama'), 'tokenizer.json': new Uint8Array() }),
      'loadModel: tokenizer.json: is empty',
    );
    await refused(
      load(changed('config.json', '"llama"', '"roberta"')),
      'loadModel: config.json: model_type: unknown family "roberta"; there are gpt2, llama, qwen2, qwen3, mistral, olmo2, gpt_neox, phi3, gemma2, gemma3_text, starcoder2, stablelm, smollm3, bert',
    );
    await refused(
      load(changed('config.json', '"factor": 8.0', '"factor": 0')),
      'loadModel: config.json: rope_scaling.factor: must be finite and above 0, is 0',
    );
    await refused(
      load(changed('config.json', '"num_hidden_layers": 2', '"num_hidden_layers": 3')),
      /^loadModel: model\.layers\.2\.input_layernorm\.weight: is missing; its shape would be \[16\]$/,
    );
    const trained = tril.trainer({
      ...{ model: { layers: 1, heads: 1, width: 8, context: 4 }, data: 'abcd'.repeat(9) },
      tokenizer: 'bytes',
    });
    const { 'tokenizer.json': tokenizer } = trained.export();
    trained.dispose();
    await refused(
      load({ ...filesOf('llama'), 'tokenizer.json': tokenizer }),
      'loadModel: tokenizer: has 256 tokens, and the model a vocabulary of 48',
    );
    const sized = (vocabulary: number) =>
      load(changed('config.json', '"vocab_size": 48', `"vocab_size": ${vocabulary}`));
    await refused(
      sized(1e9),
      'loadModel: config.json: vocabulary: must be from 1 to 16777216, is 1000000000',
    );
    await refused(
      () => limited.loadModel(hollowModel()),
      /^loadModel: memory: is not enough: the parameters take 2047 MiB, and there are [0-9]+$/,
    );
    const files = filesOf('llama');
    const part = 'model-00002-of-00003.safetensors';
    await refused(
      load({ ...files, [part]: files[part]!.slice(0, 900) }),
      /^loadModel: model-00002/,
    );
    delete files[part];
    await refused(load(files), `loadModel: files: ${part} is missing`);
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    const page = '\n<!DOCTYPE html>\n<html lang="en"><head><title>SmolLM2</title></head></html>';
    for (const name of ['config.json', 'tokenizer.json', 'model.safetensors.index.json', part]) {
      const instead = (text: string) =>
        load({ ...filesOf('llama'), [name]: new TextEncoder().encode(text) });
      await refused(
        instead(pointer),
        `loadModel: ${name}: is a Git LFS pointer, not the file: run \`git lfs pull\` where it was ` +
          'cloned, or download the file itself',
      );
      await refused(
        instead(page),
        `loadModel: ${name}: is a web page, not the file: download the file itself (at Hugging Face ` +
          'its address has /resolve/ in it, that of the page /blob/)',
      );
    }
  });

  it('of a call', () =>
    withModel(filesOf('gpt2'), async (model) => {
      await refused(
        async () => model.forward([48]),
        'forward: tokens: 48 at 0 is outside the vocabulary (0..47)',
      );
      await refused(async () => model.forward(Array<number>(33).fill(1)), /context is 32$/);
      await refused(
        async () =>
          model.forward([
            [1, 2],
            [3, 4],
          ]),
        'forward: tokens: must be one list, [T]; shape is [2, 2]',
      );
      await refused(
        () => model.generate([[1], [2]]).next(),
        'generate: prompt: must be one list, [T]; shape is [2, 1]',
      );
      await refused(
        async () => model.forward([1], { without: [{ layer: 2 }] }),
        'forward: without.layer: must be below 2, is 2',
      );
      const replaced = (each: object) => async () =>
        model.forward([1, 2], { replace: [each as never] });
      const row = new Float32Array(16);
      await refused(
        replaced({ layer: 0, values: row }),
        'forward: replace: must have either a head or a part',
      );
      await refused(
        replaced({ layer: 0, part: 'output', values: row }),
        /^forward: replace.part: unknown part "output"; .*attention, feedForward, residual$/,
      );
      await refused(
        replaced({ layer: 2, part: 'residual', values: row }),
        'forward: replace.layer: must be below 2, is 2',
      );
      await refused(
        replaced({ layer: -1, part: 'attention', values: row }),
        'forward: replace.layer: must be a whole number of at least 0, is -1',
      );
      await refused(
        replaced({ layer: 0, head: 4, values: row }),
        'forward: replace.head: must be below 4, is 4',
      );
      await refused(
        replaced({ layer: 0, part: 'attention', positions: [0, 2], values: row }),
        'forward: replace.positions: must be below 2, is 2',
      );
      await refused(
        replaced({ layer: 0, head: 1, values: row }),
        'forward: replace.values: shape must be [4] or [2, 4], is [16]',
      );
      await refused(
        replaced({ layer: 0, part: 'residual', positions: 1, values: [[1, 2]] }),
        'forward: replace.values: shape must be [16] or [1, 16], is [1, 2]',
      );
      await refused(
        replaced({ layer: 0, part: 'residual' }),
        /^forward: replace.values: must be an array/,
      );
      await refused(
        replaced({ layer: 0, part: 'residual', value: row }),
        /did you mean "values"\?$/,
      );
      await refused(
        async () => model.forward([1], { replace: 3 as never }),
        /^forward: replace: must be a list/,
      );
      await refused(
        async () =>
          model.forward([1], {
            without: [{ layer: 1 }],
            replace: [{ layer: 1, part: 'attention', values: row }],
          }),
        /^forward: .*: has a value, and layer 1 is left out$/,
      );
      await refused(
        async () => model.forward([1], { without: [{ layer: 0, head: 1, part: 'attention' }] }),
        'forward: without: has both a head and a part',
      );
      await refused(
        () => model.generate([1], { without: [{ layer: 0, positions: 32 }] }).next(),
        'generate: without.positions: must be below 32, is 32',
      );
      await refused(
        async () => model.forward([1], { trace: 3 as never }),
        'forward: trace: must be true or false, is 3',
      );
      await refused(
        async () => model.forward([1], { trace: { lens: 1 as never } }),
        'forward: trace.lens: must be true or false, is 1',
      );
      await refused(
        async () => model.forward([1], { trace: { score: true } as never }),
        /^forward: score: unknown part "score"; did you mean "scores"\?$/,
      );
      await refused(async () => model.encode('a'), /^encode: tokenizer: there was none/);
      await refused(() => model.generate([]).next(), /^generate: prompt: is empty/);
      await refused(
        () => model.generate([1], { topP: 0 }).next(),
        /^generate: topP: must be above 0/,
      );
      await refused(() => model.generate([1], { stop: 3 as never }).next(), /^generate: stop: /);
      await refused(
        () => model.generate([1], { signal: 3 as never }).next(),
        'generate: signal: must be an AbortSignal, is 3',
      );
    }));
});
