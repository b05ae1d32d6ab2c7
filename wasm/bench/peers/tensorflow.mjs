// TensorFlow.js on its WebAssembly backend.

import * as tf from '@tensorflow/tfjs-core';
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm';

export const name = 'TensorFlow.js';

/** @param {string} modules the address of node_modules, with a slash at the end */
export async function start(modules, threads) {
  setWasmPaths(`${modules}@tensorflow/tfjs-backend-wasm/dist/`);
  setThreadsCount(threads);
  if (!(await tf.setBackend('wasm'))) throw new Error('its WebAssembly backend does not start');
  await tf.ready();
}

function layerNorm(x, weight, bias) {
  const { mean, variance } = tf.moments(x, -1, true);
  const scale = tf.rsqrt(tf.add(variance, 1e-5));
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), scale), weight), bias);
}

/** Heads one by one: its batched matrix products are ten times slower. */
function attend(q, k, v, width, bias) {
  const turned = tf.transpose(k);
  const scores = tf.matMul(tf.mul(q, width ** -0.5), turned);
  return tf.matMul(tf.softmax(bias ? tf.add(scores, bias) : scores), v);
}

const linear = (a, b, bias, activation) =>
  tf.fused.matMul({ a, b, bias, activation, transposeA: false, transposeB: false });

function computations(about, given) {
  switch (about.group) {
    case 'matmul': {
      const a = tf.tensor2d(given.a, [about.rows, about.depth]);
      const b = tf.tensor2d(given.b, [about.depth, about.cols]);
      return { tensors: [a, b], compute: () => tf.matMul(a, b) };
    }
    case 'attention':
    case 'decoding': {
      const { heads, time, keys = time, width } = about;
      const stack = ['q', 'k', 'v'].map((key) =>
        tf.tensor3d(given[key], [heads, key === 'q' ? time : keys, width]),
      );
      const split = stack.map((each) => tf.unstack(each));
      const hidden = new Float32Array(time * keys);
      for (let t = 0; t < time; t += 1) hidden.fill(-Infinity, t * keys + t + 1, (t + 1) * keys);
      const bias = about.group === 'attention' ? tf.tensor2d(hidden, [time, keys]) : undefined;
      const head = (_, h) => attend(split[0][h], split[1][h], split[2][h], width, bias);
      return {
        tensors: [...stack, ...split.flat(), ...(bias ? [bias] : [])],
        compute: () => tf.stack(split[0].map(head)),
      };
    }
    case 'block':
      return block(about, given);
    case 'softmax': {
      const x = tf.tensor2d(given.x, [about.rows, about.cols]);
      return { tensors: [x], compute: () => tf.softmax(x) };
    }
    default: {
      const x = tf.tensor2d(given.x, [about.rows, about.cols]);
      const [weight, bias] = [tf.tensor1d(given.weight), tf.tensor1d(given.bias)];
      return { tensors: [x, weight, bias], compute: () => layerNorm(x, weight, bias) };
    }
  }
}

function block({ batch, time, width, heads, hidden }, { x, weights: w }) {
  const input = tf.tensor2d(x, [batch * time, width]);
  const matrix = (name, rows) =>
    tf.tidy(() => tf.transpose(tf.tensor2d(w[name], [rows, w[name].length / rows])));
  const t = {
    in: matrix('self_attn.in_proj_weight', 3 * width),
    out: matrix('self_attn.out_proj.weight', width),
    up: matrix('linear1.weight', hidden),
    down: matrix('linear2.weight', width),
  };
  const vectors = [
    'self_attn.in_proj_bias',
    'self_attn.out_proj.bias',
    'linear1.bias',
    'linear2.bias',
  ];
  vectors.push('norm1.weight', 'norm1.bias', 'norm2.weight', 'norm2.bias');
  for (const name of vectors) t[name] = tf.tensor1d(w[name]);

  const head = width / heads;
  const compute = () => {
    const qkv = linear(input, t.in, t['self_attn.in_proj_bias']);
    const mixed = [];
    for (let b = 0; b < batch; b += 1) {
      const part = (third, h) =>
        tf.slice2d(qkv, [b * time, third * width + h * head], [time, head]);
      const parts = Array.from({ length: heads }, (_, h) =>
        attend(part(0, h), part(1, h), part(2, h), head),
      );
      mixed.push(tf.concat2d(parts, 1));
    }
    const attended = linear(tf.concat2d(mixed, 0), t.out, t['self_attn.out_proj.bias']);
    const y = layerNorm(tf.add(input, attended), t['norm1.weight'], t['norm1.bias']);
    const activated = linear(y, t.up, t['linear1.bias'], 'relu');
    const fed = linear(activated, t.down, t['linear2.bias']);
    return layerNorm(tf.add(y, fed), t['norm2.weight'], t['norm2.bias']);
  };
  return { tensors: [input, ...Object.values(t)], compute };
}

export async function open(about, given) {
  // The scores of all heads and its own copies of them exceed its memory.
  if (about.group === 'attention' && about.time > 4096) return [];
  const { tensors, compute } = computations(about, given);
  return [
    {
      subject: name,
      run: () => {
        tf.tidy(compute).dispose();
      },
      read: () => tf.tidy(() => compute().dataSync()),
      release: () => tf.dispose(tensors),
    },
  ];
}
