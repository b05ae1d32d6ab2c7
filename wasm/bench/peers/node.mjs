// The peers in Node, on WebAssembly. LiteRT.js and jax-js are missing: they need a browser, or features that Node has
// from 22 on.

import { createRequire } from 'node:module';
import * as ort from 'onnxruntime-web';
import { onnxRuntime } from './onnxruntime.mjs';
import { runBesides } from './run.mjs';

export async function runPeers(request, load, report) {
  const { threads } = request;
  ort.env.wasm.numThreads = threads;
  const web = onnxRuntime(ort, { name: 'ONNX Runtime Web', isNative: false, provider: 'wasm' });
  const tensorflow = await import('./tensorflow.mjs');
  const modules = createRequire(import.meta.url).resolve('@tensorflow/tfjs-core/package.json');
  await tensorflow.start(modules.replace('@tensorflow/tfjs-core/package.json', ''), threads);
  return runBesides(request, [web, tensorflow], load, report);
}
