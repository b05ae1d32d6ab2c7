// A Llama-like model for ONNX Runtime, for one token at a time: the keys and values of earlier tokens are inputs, and
// those of all tokens outputs, as in exported models.

import { onnxModel } from './onnx.mjs';
import { transposed } from './onnx-cases.mjs';

const op = (type, inputs, outputs, attributes = {}, domain = '') => ({
  ...{ type, inputs, outputs: [outputs].flat(), attributes, domain },
});
const integers = (...values) => ({
  shape: [values.length],
  data: BigInt64Array.from(values, BigInt),
});
const eps = { epsilon: { float: 1e-5 } };

/** Cosines and sines of the angles by which position p rotates pair i: `[positions, width / 2]`. */
function angles(positions, width, base) {
  const half = width / 2;
  const each = (turn) => ({
    shape: [positions, half],
    data: Float32Array.from({ length: positions * half }, (_, n) =>
      turn(Math.floor(n / half) * base ** ((-2 * (n % half)) / width)),
    ),
  });
  return { cos: each(Math.cos), sin: each(Math.sin) };
}

/** The model's bytes, and the names of the tensors that it keeps between tokens. */
export function onnxLlama({ layers, heads, width, vocabulary, tokens }, { weights }) {
  const head = width / heads;
  const constants = {
    embedding: weights['model.embed_tokens.weight'],
    scale: { shape: [1], data: Float32Array.of(head ** -0.5) },
    split: integers(1, heads, 1, head),
    joined: integers(1, 1, width),
    ...angles(tokens + 1, head, 10000),
  };
  const matrix = (name) => {
    const { shape, data } = weights[name];
    const [rows, cols] = shape;
    constants[name] = { shape: [cols, rows], data: transposed(data, rows, cols) };
    return name;
  };
  const norm = (from, name, to) => {
    constants[name] = weights[name];
    return op('SimplifiedLayerNormalization', [from, name], to, eps);
  };
  const [nodes, inputs, outputs] = [[op('Gather', ['embedding', 'id'], 'x0')], {}, {}];
  const cache = { shape: [1, heads, 'before', head] };
  for (let n = 0; n < layers; n += 1) {
    const [at, own] = [`model.layers.${n}.`, (name) => `${name}${n}`];
    const multiply = (from, part, to) =>
      op('MatMul', [own(from), matrix(`${at}${part}.weight`)], own(to));
    const turned = (from, to) => [
      op('Reshape', [own(from), 'split'], own(`${from}s`)),
      op(
        'RotaryEmbedding',
        [own(`${from}s`), 'position', 'cos', 'sin'],
        own(to),
        {},
        'com.microsoft',
      ),
    ];
    nodes.push(
      norm(own('x'), `${at}input_layernorm.weight`, own('n')),
      ...['q', 'k', 'v'].map((part) => multiply('n', `self_attn.${part}_proj`, part)),
      ...turned('q', 'qr'),
      ...turned('k', 'kr'),
      op('Reshape', [own('v'), 'split'], own('vs')),
      op('Concat', [own('oldKeys'), own('kr')], own('keys'), { axis: 2 }),
      op('Concat', [own('oldValues'), own('vs')], own('values'), { axis: 2 }),
      op('Mul', [own('qr'), 'scale'], own('qm')),
      op('Transpose', [own('keys')], own('kt'), { perm: [0, 1, 3, 2] }),
      op('MatMul', [own('qm'), own('kt')], own('scores')),
      op('Softmax', [own('scores')], own('shares'), { axis: -1 }),
      op('MatMul', [own('shares'), own('values')], own('mixed')),
      op('Reshape', [own('mixed'), 'joined'], own('m')),
      multiply('m', 'self_attn.o_proj', 'o'),
      op('Add', [own('x'), own('o')], own('y')),
      norm(own('y'), `${at}post_attention_layernorm.weight`, own('p')),
      multiply('p', 'mlp.gate_proj', 'g'),
      multiply('p', 'mlp.up_proj', 'u'),
      op('Sigmoid', [own('g')], own('gs')),
      op('Mul', [own('g'), own('gs')], own('ga')),
      op('Mul', [own('ga'), own('u')], own('h')),
      multiply('h', 'mlp.down_proj', 'd'),
      op('Add', [own('y'), own('d')], `x${n + 1}`),
    );
    for (const name of ['Keys', 'Values']) {
      inputs[own(`old${name}`)] = cache;
      outputs[own(name.toLowerCase())] = { shape: [1, heads, 'all', head] };
    }
  }
  matrix('model.embed_tokens.weight');
  nodes.push(
    norm(`x${layers}`, 'model.norm.weight', 'last'),
    op('MatMul', ['last', 'model.embed_tokens.weight'], 'logits'),
  );
  return onnxModel({
    inputs: {
      id: { shape: [1, 1], type: 'int64' },
      position: { shape: [1, 1], type: 'int64' },
      ...inputs,
    },
    outputs: { logits: { shape: [1, 1, vocabulary] }, ...outputs },
    ...{ nodes, constants },
  });
}

/** @returns `logits`, those after a list of tokens, and `run`, which writes the case's number of tokens */
export function writer(ort, session, { layers, heads, width, tokens }) {
  const caches = Array.from({ length: layers }, (_, n) => [`Keys${n}`, `Values${n}`]).flat();
  const empty = () => new ort.Tensor('float32', new Float32Array(0), [1, heads, 0, width / heads]);
  const number = (value) => new ort.Tensor('int64', BigInt64Array.of(BigInt(value)), [1, 1]);
  const begin = () => Object.fromEntries(caches.map((name) => [`old${name}`, empty()]));
  async function next(past, id, position) {
    const feeds = { id: number(id), position: number(position), ...past };
    const found = await session.run(feeds);
    for (const name of caches) past[`old${name}`] = found[name[0].toLowerCase() + name.slice(1)];
    return found.logits.data;
  }
  async function logits(ids) {
    const past = begin();
    let last;
    for (const [position, id] of ids.entries()) last = await next(past, id, position);
    return last;
  }
  async function run() {
    const [past, written] = [begin(), []];
    let id = 1;
    for (let position = 0; position < tokens; position += 1) {
      const found = await next(past, id, position);
      id = 0;
      for (let i = 1; i < found.length; i += 1) if (found[i] > found[id]) id = i;
      written.push(id);
    }
    return written;
  }
  return { logits, run };
}
