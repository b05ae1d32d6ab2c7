// The models of each case for ONNX Runtime, written with its preferred operators; all of them for a case with several
// ways. Weights are constants, so that it may pack them once.

import { onnxModel } from './onnx.mjs';

const float = (shape, data) => ({ shape, data });
const integers = (...values) => ({
  shape: [values.length],
  data: BigInt64Array.from(values, BigInt),
});
const op = (type, inputs, outputs, attributes = {}) => ({
  ...{ type, inputs, outputs: [outputs].flat(), attributes },
});
const contrib = (...args) => ({ ...op(...args), domain: 'com.microsoft' });

/** data [rows, cols], transposed. */
export function transposed(data, rows, cols) {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < rows; i += 1) {
    for (let j = 0; j < cols; j += 1) turned[j * rows + i] = data[i * cols + j];
  }
  return turned;
}

/** [1, H, T, D] as [1, T, H * D]. */
export function sideBySide(data, heads, time, width) {
  const turned = new Float32Array(data.length);
  for (let h = 0; h < heads; h += 1) {
    for (let t = 0; t < time; t += 1) {
      const from = (h * time + t) * width;
      turned.set(data.subarray(from, from + width), (t * heads + h) * width);
    }
  }
  return turned;
}

function matmul({ rows, depth, cols }, { a, b }) {
  const outputs = { out: { shape: [rows, cols] } };
  const nodes = [op('MatMul', ['a', 'b'], 'out')];
  const left = { a: { shape: [rows, depth] } };
  const right = { b: { shape: [depth, cols] } };
  const constants = { b: float([depth, cols], b) };
  return [
    { subject: 'packed before', model: { inputs: left, outputs, nodes, constants }, feeds: { a } },
    {
      subject: 'both given',
      model: { inputs: { ...left, ...right }, outputs, nodes },
      feeds: { a, b },
    },
  ];
}

/** 0 for visible keys, -infinity for the others. */
function causalBias(time) {
  const bias = new Float32Array(time * time);
  for (let t = 0; t < time; t += 1) bias.fill(-Infinity, t * time + t + 1, (t + 1) * time);
  return bias;
}

function attention({ heads, time, width }, { q, k, v }, { isNative }) {
  const shape = [1, heads, time, width];
  const inputs = { q: { shape }, k: { shape }, v: { shape } };
  const outputs = { out: { shape } };
  const feeds = { q, k, v };
  const flat = [1, time, heads * width];
  const flatInputs = { q: { shape: flat }, k: { shape: flat }, v: { shape: flat } };
  const flatten = (data) => sideBySide(data, heads, time, width);
  const flatFeeds = { q: flatten(q), k: flatten(k), v: flatten(v) };
  const flatOutputs = { out: { shape: flat } };
  const restore = (data) => sideBySide(data, time, heads, width);

  const plain = {
    subject: 'MatMul, Softmax, MatMul',
    feeds,
    model: {
      ...{ inputs, outputs },
      constants: {
        bias: float([1, 1, time, time], causalBias(time)),
        scale: float([1], Float32Array.of(width ** -0.5)),
      },
      nodes: [
        op('Mul', ['q', 'scale'], 'scaled'),
        op('Transpose', ['k'], 'turned', { perm: [0, 1, 3, 2] }),
        op('MatMul', ['scaled', 'turned'], 'scores'),
        op('Add', ['scores', 'bias'], 'masked'),
        op('Softmax', ['masked'], 'weights', { axis: -1 }),
        op('MatMul', ['weights', 'v'], 'out'),
      ],
    },
  };
  const fused = {
    subject: 'MultiHeadAttention',
    feeds: flatFeeds,
    restore,
    model: {
      ...{ inputs: flatInputs, outputs: flatOutputs },
      nodes: [
        contrib('MultiHeadAttention', ['q', 'k', 'v'], 'out', {
          num_heads: heads,
          unidirectional: 1,
        }),
      ],
    },
  };
  const grouped = {
    subject: 'GroupQueryAttention',
    feeds: flatFeeds,
    restore,
    model: {
      ...{ inputs: flatInputs, outputs: flatOutputs },
      constants: {
        last: { shape: [1], data: Int32Array.of(time - 1) },
        total: { shape: [], data: Int32Array.of(time) },
      },
      nodes: [
        contrib(
          'GroupQueryAttention',
          ['q', 'k', 'v', '', '', 'last', 'total'],
          ['out', 'pk', 'pv'],
          {
            num_heads: heads,
            kv_num_heads: heads,
          },
        ),
      ],
    },
  };
  // On WebAssembly the grouped one is twenty times slower, and the scores of all heads at once are too much memory from
  // some length on.
  if (isNative) return [grouped, fused, plain];
  return heads * time ** 2 < 2 ** 26 ? [fused, plain] : [fused];
}

/** One query, with keys and values passed to the runtime in each call. */
function decoding({ heads, keys, width }, { q, k, v }) {
  const [one, all] = [1, keys].map((length) => ({ shape: [1, heads, length, width] }));
  const [flatOne, flatAll] = [1, keys].map((length) => ({ shape: [1, length, heads * width] }));
  const flatten = (data, length) => sideBySide(data, heads, length, width);
  return [
    {
      subject: 'MatMul, Softmax, MatMul',
      feeds: { q, k, v },
      model: {
        inputs: { q: one, k: all, v: all },
        outputs: { out: one },
        constants: { scale: float([1], Float32Array.of(width ** -0.5)) },
        nodes: [
          op('Mul', ['q', 'scale'], 'scaled'),
          op('Transpose', ['k'], 'turned', { perm: [0, 1, 3, 2] }),
          op('MatMul', ['scaled', 'turned'], 'scores'),
          op('Softmax', ['scores'], 'weights', { axis: -1 }),
          op('MatMul', ['weights', 'v'], 'out'),
        ],
      },
    },
    {
      subject: 'MultiHeadAttention',
      feeds: { q: flatten(q, 1), k: flatten(k, keys), v: flatten(v, keys) },
      restore: (data) => sideBySide(data, 1, heads, width),
      model: {
        inputs: { q: flatOne, k: flatAll, v: flatAll },
        outputs: { out: flatOne },
        nodes: [contrib('MultiHeadAttention', ['q', 'k', 'v'], 'out', { num_heads: heads })],
      },
    },
  ];
}

function block({ batch, time, width, heads, hidden }, { x, weights: w }) {
  const constants = {};
  const linear = (name, from, rows, cols) => {
    constants[`${name}.w`] = float([cols, rows], transposed(w[`${from}weight`], rows, cols));
    constants[`${name}.b`] = float([rows], w[`${from}bias`]);
  };
  linear('in', 'self_attn.in_proj_', 3 * width, width);
  linear('out', 'self_attn.out_proj.', width, width);
  linear('up', 'linear1.', hidden, width);
  linear('down', 'linear2.', width, hidden);
  for (const norm of ['norm1', 'norm2']) {
    for (const part of ['weight', 'bias']) {
      constants[`${norm}.${part}`] = float([width], w[`${norm}.${part}`]);
    }
  }
  constants.thirds = integers(width, width, width);
  const apply = (name, from, to) => [
    op('MatMul', [from, `${name}.w`], `${to}.product`),
    op('Add', [`${to}.product`, `${name}.b`], to),
  ];
  const normalise = (norm, from, to) =>
    op('LayerNormalization', [from, `${norm}.weight`, `${norm}.bias`], to, {
      epsilon: { float: 1e-5 },
    });
  const nodes = [
    ...apply('in', 'x', 'qkv'),
    op('Split', ['qkv', 'thirds'], ['q', 'k', 'v'], { axis: 2 }),
    contrib('MultiHeadAttention', ['q', 'k', 'v'], 'mixed', { num_heads: heads }),
    ...apply('out', 'mixed', 'attended'),
    op('Add', ['x', 'attended'], 'residual1'),
    normalise('norm1', 'residual1', 'y'),
    ...apply('up', 'y', 'hidden'),
    op('Relu', ['hidden'], 'activated'),
    ...apply('down', 'activated', 'fed'),
    op('Add', ['y', 'fed'], 'residual2'),
    normalise('norm2', 'residual2', 'result'),
  ];
  const shape = [batch, time, width];
  return [
    {
      subject: '',
      feeds: { x },
      model: { inputs: { x: { shape } }, outputs: { result: { shape } }, constants, nodes },
    },
  ];
}

function rowwise({ rows, cols }, feeds, node, constants = {}) {
  const shape = [rows, cols];
  const model = { inputs: { x: { shape } }, outputs: { out: { shape } }, nodes: [node], constants };
  return [{ subject: '', feeds: { x: feeds.x }, model }];
}

/** [{ subject, bytes, feeds: { name: { shape, data } }, restore }] */
export function onnxCases(about, given, place) {
  const make = {
    matmul,
    attention,
    decoding,
    block,
    softmax: () => rowwise(about, given, op('Softmax', ['x'], 'out', { axis: -1 })),
    'layer norm': () =>
      rowwise(
        about,
        given,
        op('LayerNormalization', ['x', 'weight', 'bias'], 'out', { epsilon: { float: 1e-5 } }),
        { weight: float([about.cols], given.weight), bias: float([about.cols], given.bias) },
      ),
  }[about.group];
  return make(about, given, place).map(({ subject, model, feeds, restore = (data) => data }) => ({
    subject,
    restore,
    bytes: onnxModel(model),
    feeds: Object.entries(feeds).map(([name, data]) => [name, model.inputs[name].shape, data]),
  }));
}
