// The peers in a browser, bundled into one file beforehand.

import * as ort from 'onnxruntime-web/wasm';
import * as litert from './litert.mjs';
import { onnxRuntime } from './onnxruntime.mjs';
import { runBesides } from './run.mjs';
import * as tensorflow from './tensorflow.mjs';

export async function runPeers(request, load, report) {
  const { modules, threads } = request;
  const at = new URL(modules, globalThis.location.href).href;
  ort.env.wasm.wasmPaths = `${at}onnxruntime-web/dist/`;
  ort.env.wasm.numThreads = threads;
  await tensorflow.start(at, threads);
  await litert.start(at, threads);
  // It takes as many threads as there are processors when it is loaded.
  Object.defineProperty(globalThis.navigator, 'hardwareConcurrency', { value: threads });
  const jax = await import('./jax.mjs');
  await jax.start();
  const web = onnxRuntime(ort, { name: 'ONNX Runtime Web', isNative: false, provider: 'wasm' });
  return runBesides(request, [web, tensorflow, litert, jax], load, report);
}
