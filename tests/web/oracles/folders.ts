// Small models made here, in folders of Hugging Face's layout, for a visitor to drop on chapter "Model".
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTril } from 'tril/training';

const text = 'the cat sat on the mat. the dog lay on the rug. ä ö ü. '.repeat(40);
const families = {
  gpt2: {},
  llama: { kvHeads: 1, rotaryScaling: 'linear', rotaryScalingFactor: 2 },
  qwen2: { kvHeads: 1, projectionBiases: true },
  qwen3: { kvHeads: 1, headDim: 6 },
  mistral: { kvHeads: 1, window: 4 },
} as const;
export type Family = keyof typeof families;
export const familyIds = Object.keys(families) as Family[];

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value, null, 2));
const json = (file: Uint8Array) => JSON.parse(new TextDecoder().decode(file));

/** Splits the tensors of a file into two files of half as many each, and an index. */
function parts(file: Uint8Array): Record<string, Uint8Array> {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const { __metadata__: about, ...tensors } = json(file.subarray(8, 8 + size));
  const names = Object.keys(tensors);
  const files: Record<string, Uint8Array> = {};
  const places: Record<string, string> = {};
  [names.slice(0, names.length / 2), names.slice(names.length / 2)].forEach((own, n) => {
    const name = `model-0000${n + 1}-of-00002.safetensors`;
    const entries: Record<string, unknown> = about ? { __metadata__: about } : {};
    const data: Uint8Array[] = [];
    let at = 0;
    for (const tensor of own) {
      const [from, to] = tensors[tensor].data_offsets;
      data.push(file.subarray(8 + size + from, 8 + size + to));
      entries[tensor] = { ...tensors[tensor], data_offsets: [at, (at += to - from)] };
      places[tensor] = name;
    }
    const header = bytes(entries);
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
    files[name] = new Uint8Array(Buffer.concat([length, header, ...data]));
  });
  const list = { metadata: { total_size: file.length - 8 - size }, weight_map: places };
  return { ...files, 'model.safetensors.index.json': bytes(list) };
}

/** The files of a model: tokenizer.json, with vocab.json and merges.txt beside it; the weights in two parts. */
export async function modelFiles(family: Family): Promise<Record<string, Uint8Array>> {
  const tril = await loadTril();
  const model = { family, layers: 2, heads: 2, width: 16, context: 32, vocabulary: 270 } as const;
  const trainer = tril.trainer({
    ...{ model: { ...model, ...families[family] }, data: text, tokenizer: 'bpe' },
    ...{ batch: 2, seed: 3 },
  });
  trainer.steps(2);
  const made = trainer.export();
  trainer.dispose();
  const { vocab, merges } = json(made['tokenizer.json']!).model;
  const lines = (merges as (string | string[])[]).map((pair) => [pair].flat().join(' '));
  return {
    'config.json': made['config.json'],
    'tokenizer.json': made['tokenizer.json']!,
    'vocab.json': bytes(vocab),
    'merges.txt': new TextEncoder().encode(`#version: 0.2\n${lines.join('\n')}\n`),
    ...parts(made['model.safetensors']),
  };
}

/** Writes them into a folder, with all the other files of a clone. */
export function writeClone(folder: string, files: Readonly<Record<string, Uint8Array>>): void {
  const others = {
    ...{
      'README.md': '---\nlicense: mit\n---\n# A model\n',
      '.gitattributes': '*.bin filter=lfs\n',
    },
    'generation_config.json': '{"eos_token_id": 50256, "transformers_version": "4.50.0"}',
    ...{ 'tokenizer_config.json': '{"model_max_length": 32}', 'special_tokens_map.json': '{}' },
    ...{ 'onnx/config.json': '{"model_type": "other"}', 'onnx/model.onnx': 'not this' },
    ...{ '.git/config': '[core]', '.git/config.json': '{}', '.git/objects/00/aa': 'x' },
  };
  for (const [path, content] of Object.entries({ ...others, ...files })) {
    const place = join(folder, path);
    mkdirSync(join(place, '..'), { recursive: true });
    writeFileSync(place, content);
  }
}
