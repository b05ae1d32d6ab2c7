// A plain writer of GGUF files, after ggml's docs/gguf.md; a small Llama as such a file and as a folder; and the
// published stories260K.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Value =
  | { u32: number }
  | { f32: number }
  | { flag: boolean }
  | { text: string }
  | { texts: readonly string[] }
  | { floats: readonly number[] }
  | { ints: readonly number[] };

export interface Tensor {
  readonly name: string;
  /** The shape in PyTorch's order. */
  readonly shape: readonly number[];
  readonly elements: Float32Array;
}

const number = (size: number, write: (to: Buffer) => void) => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
};
const u32 = (value: number) => number(4, (to) => to.writeUInt32LE(value));
const i32 = (value: number) => number(4, (to) => to.writeInt32LE(value));
const f32 = (value: number) => number(4, (to) => to.writeFloatLE(value));
const u64 = (value: number) => number(8, (to) => to.writeBigUInt64LE(BigInt(value)));
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const list = (type: number, parts: readonly Buffer[]) =>
  Buffer.concat([u32(9), u32(type), u64(parts.length), ...parts]);

function encoded(value: Value): Buffer {
  if ('u32' in value) return Buffer.concat([u32(4), u32(value.u32)]);
  if ('f32' in value) return Buffer.concat([u32(6), f32(value.f32)]);
  if ('flag' in value) return Buffer.concat([u32(7), Buffer.from([Number(value.flag)])]);
  if ('text' in value) return Buffer.concat([u32(8), text(value.text)]);
  if ('texts' in value) return list(8, value.texts.map(text));
  if ('floats' in value) return list(6, value.floats.map(f32));
  return list(5, value.ints.map(i32));
}

/** 32 numbers as the half-precision scale, the largest over 127, and a byte per number, a multiple of the scale. */
function block(numbers: Float32Array): Buffer {
  const half = new Float16(Math.max(...numbers.map(Math.abs)) / 127);
  return Buffer.concat([
    number(2, (to) => to.writeUInt16LE(half.bits)),
    Buffer.from(Int8Array.from(numbers, (x) => (half.value ? Math.round(x / half.value) : 0))),
  ]);
}

/** A number above 2 ** -14 in half precision. */
class Float16 {
  readonly bits: number;
  readonly value: number;
  constructor(given: number) {
    const exponent = Math.max(Math.floor(Math.log2(given || 1)), -14);
    const fraction = Math.round((given / 2 ** exponent) * 1024);
    this.bits = given ? (exponent + 15) * 1024 + fraction - 1024 : 0;
    this.value = (fraction / 1024) * 2 ** exponent;
  }
}

export type Kind = 'F32' | 'Q8_0';

/** Matrices get this type if their rows have a multiple of 32 numbers. */
export function ggufFile(
  values: Readonly<Record<string, Value>>,
  tensors: readonly Tensor[],
  kind: Kind = 'F32',
): Uint8Array<ArrayBuffer> {
  const data: Buffer[] = [];
  let end = 0;
  const infos = tensors.map(({ name, shape, elements }) => {
    const isBlocks = kind === 'Q8_0' && shape.length > 1 && shape.at(-1)! % 32 === 0;
    const bytes = isBlocks
      ? Buffer.concat(
          Array.from({ length: elements.length / 32 }, (_, n) =>
            block(elements.subarray(32 * n, 32 * n + 32)),
          ),
        )
      : Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength);
    const info = [
      text(name),
      u32(shape.length),
      ...[...shape].reverse().map(u64),
      u32(isBlocks ? 8 : 0),
      u64(end),
    ];
    const padding = -bytes.length & 31;
    data.push(bytes, Buffer.alloc(padding));
    end += bytes.length + padding;
    return Buffer.concat(info);
  });
  const keys = Object.entries(values).map(([key, value]) => [text(key), encoded(value)]);
  const counts = [u64(tensors.length), u64(keys.length)];
  const header = Buffer.concat([Buffer.from('GGUF'), u32(3), ...counts, ...keys.flat(), ...infos]);
  return Uint8Array.from(Buffer.concat([header, Buffer.alloc(-header.length & 31), ...data]));
}

const sizes = { layers: 2, heads: 4, kvHeads: 2, width: 32, hidden: 64, context: 32 };

/** The rows of a head with rows i and D/2 + i adjacent, in the order of llama.cpp's converter. */
function interleaved({ name, shape, elements }: Tensor, heads: number): Tensor {
  const [rows = 0, columns = 0] = shape;
  const half = rows / heads / 2;
  const out = new Float32Array(elements.length);
  for (let row = 0; row < rows; row += 1) {
    const [head, i] = [Math.floor(row / (2 * half)), row % (2 * half)];
    const to = head * 2 * half + (i < half ? 2 * i : 2 * (i - half) + 1);
    out.set(elements.subarray(row * columns, (row + 1) * columns), to * columns);
  }
  return { name, shape, elements: out };
}

/** GPT-2's names for bytes. */
function byteNames(): string[] {
  const isPrinted = (byte: number) =>
    (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173);
  let others = 256;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPrinted(byte) ? byte : others++),
  );
}

/** A random Llama whose tokens are the bytes, "th" and "the", as a folder's files and as a GGUF file. */
export function smallLlama() {
  const { layers, heads, kvHeads, width, hidden, context } = sizes;
  const names = [...byteNames(), 'th', 'the', '<|end|>'];
  const merges = ['t h', 'th e'];
  let state = 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
  const tensor = (name: string, ...shape: number[]): Tensor => {
    const count = shape.reduce((a, b) => a * b);
    return { name, shape, elements: Float32Array.from({ length: count }, random) };
  };
  const keys = (width / heads) * kvHeads;
  const pairs: [string, Tensor][] = [
    ['model.embed_tokens', tensor('token_embd', names.length, width)],
    ['model.norm', tensor('output_norm', width)],
    ['lm_head', tensor('output', names.length, width)],
  ];
  for (let n = 0; n < layers; n += 1) {
    const [from, to] = [`model.layers.${n}.`, `blk.${n}.`];
    pairs.push(
      [`${from}input_layernorm`, tensor(`${to}attn_norm`, width)],
      [`${from}self_attn.q_proj`, tensor(`${to}attn_q`, width, width)],
      [`${from}self_attn.k_proj`, tensor(`${to}attn_k`, keys, width)],
      [`${from}self_attn.v_proj`, tensor(`${to}attn_v`, keys, width)],
      [`${from}self_attn.o_proj`, tensor(`${to}attn_output`, width, width)],
      [`${from}post_attention_layernorm`, tensor(`${to}ffn_norm`, width)],
      [`${from}mlp.gate_proj`, tensor(`${to}ffn_gate`, hidden, width)],
      [`${from}mlp.up_proj`, tensor(`${to}ffn_up`, hidden, width)],
      [`${from}mlp.down_proj`, tensor(`${to}ffn_down`, width, hidden)],
    );
  }
  let end = 0;
  const header: Record<string, object> = {};
  for (const [name, { shape, elements }] of pairs) {
    const data_offsets = [end, (end += elements.byteLength)];
    header[`${name}.weight`] = { dtype: 'F32', shape, data_offsets };
  }
  const json = Buffer.from(JSON.stringify(header));
  const bytes = pairs.map(([, { elements }]) => Buffer.from(elements.buffer));
  const config = {
    model_type: 'llama',
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    hidden_size: width,
    intermediate_size: hidden,
    max_position_embeddings: context,
    vocab_size: names.length,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    eos_token_id: 258,
  };
  const tokenizer = {
    added_tokens: [{ id: 258, content: '<|end|>', special: true }],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(names.slice(0, -1).map((n, id) => [n, id])),
      merges,
    },
  };
  const values = {
    'general.architecture': { text: 'llama' },
    'llama.block_count': { u32: layers },
    'llama.attention.head_count': { u32: heads },
    'llama.attention.head_count_kv': { u32: kvHeads },
    'llama.embedding_length': { u32: width },
    'llama.feed_forward_length': { u32: hidden },
    'llama.context_length': { u32: context },
    'llama.attention.layer_norm_rms_epsilon': { f32: 1e-5 },
    'llama.rope.freq_base': { f32: 10000 },
    'tokenizer.ggml.model': { text: 'gpt2' },
    'tokenizer.ggml.pre': { text: 'gpt-2' },
    'tokenizer.ggml.tokens': { texts: names },
    'tokenizer.ggml.token_type': { ints: names.map((_, id) => (id === 258 ? 3 : 1)) },
    'tokenizer.ggml.merges': { texts: merges },
    'tokenizer.ggml.eos_token_id': { u32: 258 },
  };
  const tensors = pairs.map(([, each]) => {
    const turned = each.name.endsWith('attn_q')
      ? heads
      : each.name.endsWith('attn_k')
        ? kvHeads
        : 0;
    const { shape, elements } = turned > 0 ? interleaved(each, turned) : each;
    return { name: `${each.name}.weight`, shape, elements };
  });
  return {
    folder: {
      'config.json': Buffer.from(JSON.stringify(config)),
      'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
      'model.safetensors': Buffer.concat([u64(json.length), json, ...bytes]),
    },
    values,
    tensors,
    file: (kind?: Kind) => ggufFile(values, tensors, kind),
  };
}

/** The folder of test models outside this repository. */
const shared =
  process.env['TRIL_SHARED_MODELS'] ??
  fileURLToPath(new URL('../../../shared/models', import.meta.url));

/** Whether stories260K (Karpathy, llama2.c) is there; without it its tests are skipped. */
export const hasStories = existsSync(join(shared, 'stories260K.bin'));

/** The beginning and the end of its published greedy story of 256 tokens. */
export const story = {
  begin:
    'Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball. ',
  end: 'Her mom said, "Don\'t worry, Lily. We can help you.',
};

/** The model as a GGUF file: llama2.c has its rows in llama.cpp's order. */
export function storiesFile(kind?: Kind): Uint8Array<ArrayBuffer> {
  const file = readFileSync(join(shared, 'stories260K.bin'));
  const [width = 0, hidden = 0, layers = 0, heads = 0, kvHeads = 0, vocabulary = 0, context = 0] =
    new Int32Array(file.buffer, file.byteOffset, 7);
  const floats = new Float32Array(file.buffer, file.byteOffset + 28);
  let at = 0;
  const next = (count: number) => floats.subarray(at, (at += count));
  const tensors: Tensor[] = [];
  const each = (name: string, ...shape: number[]) => {
    const count = shape.reduce((a, b) => a * b);
    for (let n = 0; n < layers; n += 1) {
      tensors.push({ name: `blk.${n}.${name}.weight`, shape, elements: next(count) });
    }
  };
  const keys = (width / heads) * kvHeads;
  const embedding = next(vocabulary * width);
  tensors.push({ name: 'token_embd.weight', shape: [vocabulary, width], elements: embedding });
  each('attn_norm', width);
  each('attn_q', width, width);
  each('attn_k', keys, width);
  each('attn_v', keys, width);
  each('attn_output', width, width);
  each('ffn_norm', width);
  each('ffn_gate', hidden, width);
  each('ffn_down', width, hidden);
  each('ffn_up', hidden, width);
  tensors.push({ name: 'output_norm.weight', shape: [width], elements: next(width) });

  const tokens = readFileSync(join(shared, 'tok512.bin'));
  const names: string[] = [];
  const scores: number[] = [];
  for (let from = 4; from < tokens.length;) {
    scores.push(tokens.readFloatLE(from));
    const size = tokens.readInt32LE(from + 4);
    names.push(tokens.toString('utf8', from + 8, from + 8 + size).replaceAll(' ', '\u2581'));
    from += 8 + size;
  }
  names.splice(0, 3, '<unk>', '<s>', '</s>');
  const typeOf = (id: number) => (id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1);
  const values = {
    'general.architecture': { text: 'llama' },
    'llama.block_count': { u32: layers },
    'llama.attention.head_count': { u32: heads },
    'llama.attention.head_count_kv': { u32: kvHeads },
    'llama.embedding_length': { u32: width },
    'llama.feed_forward_length': { u32: hidden },
    'llama.context_length': { u32: context },
    'llama.rope.dimension_count': { u32: width / heads },
    'llama.attention.layer_norm_rms_epsilon': { f32: 1e-5 },
    'llama.rope.freq_base': { f32: 10000 },
    'tokenizer.ggml.model': { text: 'llama' },
    'tokenizer.ggml.tokens': { texts: names },
    'tokenizer.ggml.scores': { floats: scores },
    'tokenizer.ggml.token_type': { ints: names.map((_, id) => typeOf(id)) },
    'tokenizer.ggml.bos_token_id': { u32: 1 },
    'tokenizer.ggml.eos_token_id': { u32: 2 },
  };
  return ggufFile(values, tensors, kind);
}
