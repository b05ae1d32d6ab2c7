// Tril's part in each case: functions that compute it once, into preallocated memory.

import { attentionMethods, methodsFor } from './cases.mjs';

/** Rounds of the register-only loop in one call: about 0.2 ms. */
const peakRounds = 1 << 17;

/** A loop on registers alone. */
export function peak(tril) {
  const flops = tril.runPeak(peakRounds);
  return { subject: 'peak', flops, run: () => tril.runPeak(peakRounds) };
}

/** The inputs of every library: the same numbers for the same case. */
export function inputs(tril, about) {
  const random = (seed, ...shape) => tril.randomNormal(shape, { seed });
  switch (about.group) {
    case 'matmul':
      return { a: random(1, about.rows, about.depth), b: random(2, about.depth, about.cols) };
    case 'attention':
    case 'decoding': {
      const [shape, keys] = [about.time, about.keys ?? about.time].map((length) => {
        return [1, about.heads, length, about.width];
      });
      return { q: random(1, ...shape), k: random(2, ...keys), v: random(3, ...keys) };
    }
    case 'attention backward': {
      const shape = [1, about.heads, about.time, about.width];
      const [q, k, v, d_out] = [1, 2, 3, 4].map((seed) => random(seed, ...shape));
      const { output, logSumExp } = tril.attention(q, k, v, { causal: true, logSumExp: true });
      return { q, k, v, d_out, output, log_sum_exp: logSumExp };
    }
    case 'block':
      return {
        x: random(1, about.batch, about.time, about.width),
        weights: blockWeights(tril, about),
      };
    case 'softmax':
      return { x: random(1, about.rows, about.cols) };
    case 'layer norm':
      return {
        x: random(1, about.rows, about.cols),
        weight: random(2, about.cols),
        bias: random(3, about.cols),
      };
  }
  throw new RangeError(`no group ${about.group}`);
}

/** Weights in the scale of PyTorch's initialisation: uniform, 1 / sqrt(width in). */
function blockWeights(tril, { width, hidden }) {
  let seed = 10;
  const uniform = (shape, bound, middle = 0) =>
    tril.randomUniform(shape, { seed: (seed += 1), low: middle - bound, high: middle + bound });
  const linear = (name, rows, cols) => ({
    [`${name}weight`]: uniform([rows, cols], cols ** -0.5),
    [`${name}bias`]: uniform([rows], cols ** -0.5),
  });
  const norm = (name) => ({
    [`${name}.weight`]: uniform([width], 0.2, 1),
    [`${name}.bias`]: uniform([width], 0.2),
  });
  return {
    ...linear('self_attn.in_proj_', 3 * width, width),
    ...linear('self_attn.out_proj.', width, width),
    ...linear('linear1.', hidden, width),
    ...linear('linear2.', width, hidden),
    ...norm('norm1'),
    ...norm('norm2'),
  };
}

/**
 * Preparations for many calls: packed weights; for a product those of a linear layer whose weight is b transposed.
 * Undefined in other groups.
 */
export function prepared(tril, { group }, given) {
  if (group === 'block') return { ...given, weights: tril.prepareWeights(given.weights) };
  if (group !== 'matmul') return undefined;
  const [depth, cols] = given.b.shape;
  const b = given.b.read();
  const rows = Float32Array.from(b, (_, i) => b[(i % depth) * cols + Math.floor(i / depth)]);
  const weight = tril.tensor([cols, depth], rows);
  const weights = tril.prepareWeights({ weight });
  weight.dispose();
  return { ...given, weights };
}

function gradients(tril, { q, k, v, d_out, output, log_sum_exp: logSumExp }) {
  return tril.attentionBackward(d_out, q, k, v, { causal: true, output, logSumExp });
}

/** The result of a case, all its numbers: the call's output, or all three gradients. */
export function resultOf(tril, about, given, out) {
  computation(tril, about, given, out)();
  if (about.group !== 'attention backward') return out.read();
  const { dQuery, dKey, dValue } = gradients(tril, given);
  const parts = [dQuery, dKey, dValue].map((each) => [...each.read()]);
  release(dQuery, dKey, dValue);
  return Float32Array.from(parts.flat());
}

/** The call that computes a case; `out` is a tensor for its result. */
export function computation(tril, about, given, out, method = 'auto') {
  switch (about.group) {
    case 'matmul':
      if (given.weights) return () => tril.linear(given.a, given.weights.weight, null, { out });
      return () => tril.matmul(given.a, given.b, { method, out });
    case 'attention':
      return () => tril.attention(given.q, given.k, given.v, { causal: true, method, out });
    case 'attention backward':
      return () => release(gradients(tril, given));
    case 'decoding':
      return () => tril.attention(given.q, given.k, given.v, { method, out });
    case 'block':
      return () => tril.transformerBlock(given.x, given.weights, { heads: about.heads, out });
    case 'softmax':
      return () => tril.softmax(given.x, { out });
    default:
      return () => tril.layerNorm(given.x, { weight: given.weight, bias: given.bias, out });
  }
}

export function resultShape(about) {
  switch (about.group) {
    case 'matmul':
      return [about.rows, about.cols];
    case 'attention':
    case 'attention backward':
    case 'decoding':
      return [1, about.heads, about.time, about.width];
    case 'block':
      return [about.batch, about.time, about.width];
    default:
      return [about.rows, about.cols];
  }
}

/** Whether this build of the package has what the case needs. */
export const hasCase = (tril, { group }) => group !== 'block' || 'transformerBlock' in tril;

function methodsOf(tril, about, given, out) {
  if (about.group === 'matmul') return methodsFor(about);
  if (about.group !== 'attention') return ['auto'];
  return attentionMethods.filter((method) => {
    // The scores of all heads at once, 8 * 4096^2 floats, exceed a page's memory.
    if (method === 'full' && about.heads * about.time ** 2 > 2 ** 26) return false;
    try {
      computation(tril, about, given, out, method)();
      return true;
    } catch (error) {
      if (error.name === 'TrilError' && error.argument === 'method') return false; // not in this build
      throw error;
    }
  });
}

/** Disposes every tensor in objects of tensors. */
export function release(...values) {
  for (const value of values) {
    if (typeof value.dispose === 'function') value.dispose();
    else release(...Object.values(value));
  }
}

/** Bytes of working memory of one call. */
function scratchOf(tril, run) {
  tril.workingMemory({ reset: true });
  run();
  return tril.workingMemory().peakBytes;
}

/**
 * All subjects of a case: on one thread by method, and the peak if operations are counted; also on several threads with
 * `threaded`, such a module. `release` disposes them.
 */
export function subjectsFor(tril, threaded, about) {
  const { flops, needed, bytes } = about;
  const counted = { ...(flops && { flops }), ...(needed && { needed }), ...(bytes && { bytes }) };
  const shape = resultShape(about);
  const given = inputs(tril, about);
  const out = tril.zeros(shape);
  const used = [given, out];
  const subjects = methodsOf(tril, about, given, out).map((method) => {
    const run = computation(tril, about, given, out, method);
    const memory = ['attention', 'attention backward', 'decoding'].includes(about.group)
      ? { scratch: scratchOf(tril, run) }
      : {};
    return { subject: method, ...counted, ...memory, run };
  });
  if (about.group === 'block') {
    const ready = prepared(tril, about, given);
    used.push(ready.weights);
    const run = computation(tril, about, ready, out);
    subjects.push({ subject: 'weights packed before', ...counted, run });
  }
  if (flops || needed) subjects.unshift(peak(tril));
  if (threaded) {
    const { threads } = threaded;
    const its = inputs(threaded, about);
    const theirs = threaded.zeros(shape);
    used.push(its, theirs);
    const run = computation(threaded, about, its, theirs);
    subjects.push({ subject: `${threads} threads`, threads, ...counted, run });
  }
  return { subjects, release: () => release(...used) };
}
