// LiteRT.js (XNNPACK on WebAssembly). Browsers only: it loads its module by script tag or
// importScripts.

import { loadAndCompile, loadLiteRt, Tensor } from '@litertjs/core';
import { transposed } from './onnx-cases.mjs';
import { TfliteGraph } from './tflite.mjs';

export const name = 'LiteRT.js';

let threadCount = 1;

export async function start(modules, threads) {
  threadCount = threads;
  const folder = `${modules}@litertjs/core/wasm/`;
  // In a Worker it looks for its module next to the Worker's script, unless it is told.
  globalThis.Module = {
    locateFile: (file) => folder + file,
    mainScriptUrlOrBlob: `${folder}litert_wasm_threaded_internal.js`,
  };
  await loadLiteRt(folder, { threads: threads > 1 });
}

function layerNorm(graph, x, [rows, cols], weight, bias) {
  const axis = graph.constant([1], Int32Array.of(1));
  const one = [rows, 1];
  const all = [rows, cols];
  const mean = graph.add('MEAN', [x, axis], one, { keepAxes: 1 });
  const centred = graph.add('SUB', [x, mean], all);
  const squared = graph.add('MUL', [centred, centred], all);
  const variance = graph.add('MEAN', [squared, axis], one, { keepAxes: 1 });
  const eps = graph.constant([1], Float32Array.of(1e-5));
  const scale = graph.add('RSQRT', [graph.add('ADD', [variance, eps], one)], one);
  const scaled = graph.add('MUL', [centred, scale], all);
  const weighted = graph.add('MUL', [scaled, graph.constant([cols], weight)], all);
  return graph.add('ADD', [weighted, graph.constant([cols], bias)], all);
}

/** q [batch, heads, time, width], k and v [batch, heads, keys, width] */
function attend(graph, [q, k, v], shape, bias, keys = shape[2]) {
  const [batch, heads, time, width] = shape;
  const square = [batch, heads, time, keys];
  const scale = graph.constant([1], Float32Array.of(width ** -0.5));
  const scaled = graph.add('MUL', [q, scale], shape);
  const scores = graph.add('BATCH_MATMUL', [scaled, k], square, { turnRight: 1 });
  const masked = bias === undefined ? scores : graph.add('ADD', [scores, bias], square);
  const weights = graph.add('SOFTMAX', [masked], square, { beta: 1 });
  return graph.add('BATCH_MATMUL', [weights, v], shape);
}

function matmul({ rows, depth, cols }, { a, b }) {
  const packed = new TfliteGraph();
  const x = packed.tensor([rows, depth]);
  const weight = packed.constant([cols, depth], transposed(b, depth, cols));
  const product = packed.add('FULLY_CONNECTED', [x, weight, -1], [rows, cols]);
  const given = new TfliteGraph();
  const [left, right] = [given.tensor([rows, depth]), given.tensor([depth, cols])];
  const out = given.add('BATCH_MATMUL', [left, right], [rows, cols]);
  return [
    { subject: 'packed before', bytes: packed.finish([x], product), feeds: [[a, [rows, depth]]] },
    {
      subject: 'both given',
      bytes: given.finish([left, right], out),
      feeds: [
        [a, [rows, depth]],
        [b, [depth, cols]],
      ],
    },
  ];
}

function attention({ heads, time, width }, given) {
  const graph = new TfliteGraph();
  const shape = [1, heads, time, width];
  const inputs = ['q', 'k', 'v'].map(() => graph.tensor(shape));
  const hidden = new Float32Array(time * time);
  for (let t = 0; t < time; t += 1) hidden.fill(-1e30, t * time + t + 1, (t + 1) * time);
  const out = attend(graph, inputs, shape, graph.constant([1, 1, time, time], hidden));
  const feeds = ['q', 'k', 'v'].map((key) => [given[key], shape]);
  return [{ subject: '', bytes: graph.finish(inputs, out), feeds }];
}

function decoding({ heads, keys, width }, { q, k, v }) {
  const graph = new TfliteGraph();
  const [one, all] = [1, keys].map((length) => [1, heads, length, width]);
  const inputs = [one, all, all].map((shape) => graph.tensor(shape));
  const out = attend(graph, inputs, one, undefined, keys);
  return [
    {
      subject: '',
      bytes: graph.finish(inputs, out),
      feeds: [
        [q, one],
        [k, all],
        [v, all],
      ],
    },
  ];
}

function block({ batch, time, width, heads, hidden }, { x: values, weights: w }) {
  const graph = new TfliteGraph();
  const rows = batch * time;
  const x = graph.tensor([rows, width]);
  const linear = (from, weight, bias, [out, inner], activation = 0) => {
    const operands = [from, graph.constant([out, inner], weight), graph.constant([out], bias)];
    return graph.add('FULLY_CONNECTED', operands, [rows, out], { activation });
  };
  const shape = (...sizes) => graph.constant([sizes.length], Int32Array.from(sizes));
  const split = [batch, time, heads, width / heads];
  const byHead = [batch, heads, time, width / heads];
  const swap = shape(0, 2, 1, 3);
  const [weight, bias] = ['weight', 'bias'].map((part) => w[`self_attn.in_proj_${part}`]);
  const parts = [0, 1, 2].map((third) => {
    const rowsOf = (data, size) => data.slice(third * width * size, (third + 1) * width * size);
    const flat = linear(x, rowsOf(weight, width), rowsOf(bias, 1), [width, width]);
    const headed = graph.add('RESHAPE', [flat, shape(...split)], split);
    return graph.add('TRANSPOSE', [headed, swap], byHead);
  });
  const mixed = graph.add('TRANSPOSE', [attend(graph, parts, byHead), swap], split);
  const flat = graph.add('RESHAPE', [mixed, shape(rows, width)], [rows, width]);
  const named = (from, layer, sizes, activation) =>
    linear(from, w[`${layer}.weight`], w[`${layer}.bias`], sizes, activation);
  const norm = (from, layer) =>
    layerNorm(graph, from, [rows, width], w[`${layer}.weight`], w[`${layer}.bias`]);

  const attended = named(flat, 'self_attn.out_proj', [width, width]);
  const y = norm(graph.add('ADD', [x, attended], [rows, width]), 'norm1');
  const fed = named(named(y, 'linear1', [hidden, width], 1), 'linear2', [width, hidden]);
  const out = norm(graph.add('ADD', [y, fed], [rows, width]), 'norm2');
  return [{ subject: '', bytes: graph.finish([x], out), feeds: [[values, [rows, width]]] }];
}

function softmax({ rows, cols }, given) {
  const graph = new TfliteGraph();
  const x = graph.tensor([rows, cols]);
  const out = graph.add('SOFTMAX', [x], [rows, cols], { beta: 1 });
  return [{ subject: '', bytes: graph.finish([x], out), feeds: [[given.x, [rows, cols]]] }];
}

function normalisation({ rows, cols }, given) {
  const graph = new TfliteGraph();
  const x = graph.tensor([rows, cols]);
  const out = layerNorm(graph, x, [rows, cols], given.weight, given.bias);
  return [{ subject: '', bytes: graph.finish([x], out), feeds: [[given.x, [rows, cols]]] }];
}

const models = { matmul, attention, decoding, block, softmax, 'layer norm': normalisation };

export async function open(about, given) {
  const subjects = [];
  for (const { subject, bytes, feeds } of models[about.group](about, given)) {
    const title = `${name}${subject && `: ${subject}`}`;
    try {
      const options = { accelerator: 'wasm', cpuOptions: { numThreads: threadCount } };
      const model = await loadAndCompile(bytes, options);
      const inputs = feeds.map(([data, shape]) => new Tensor(data, shape));
      subjects.push({
        subject: title,
        run: async () => {
          for (const output of await model.run(inputs)) output.delete();
        },
        read: async () => {
          const [output] = await model.run(inputs);
          const values = Float32Array.from(output.toTypedArray());
          output.delete();
          return values;
        },
        release: () => {
          for (const input of inputs) input.delete();
          model.delete();
        },
      });
    } catch (error) {
      subjects.push({ subject: title, failed: String(error.message).split('\n')[0] });
    }
  }
  return subjects;
}
