// ONNX Runtime, on WebAssembly or natively, through the interface that both share.

import { groups as all } from '../groups.mjs';
import { onnxCases } from './onnx-cases.mjs';
import { onnxLlama, writer } from './onnx-llama.mjs';

/**
 * @param ort onnxruntime-web or onnxruntime-node
 * @param {object} place { name, isNative, provider }
 */
export function onnxRuntime(ort, { name, isNative, provider }) {
  const options = (threads) => ({
    executionProviders: [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });

  async function openModel(about, given, threads) {
    const session = await ort.InferenceSession.create(onnxLlama(about, given), options(threads));
    const { logits, run } = writer(ort, session, about);
    const release = () => session.release();
    return [{ subject: name, run, read: () => logits(given.trial), release }];
  }

  async function open(about, given, threads) {
    if (about.group === 'generation') return openModel(about, given, threads);
    const subjects = [];
    for (const { subject, bytes, feeds, restore } of onnxCases(about, given, { isNative })) {
      const title = `${name}${subject && `: ${subject}`}`;
      try {
        const session = await ort.InferenceSession.create(bytes, options(threads));
        const inputs = Object.fromEntries(
          feeds.map(([key, shape, data]) => [key, new ort.Tensor('float32', data, shape)]),
        );
        const output = session.outputNames[0];
        subjects.push({
          subject: title,
          run: () => session.run(inputs),
          read: async () => restore((await session.run(inputs))[output].data),
          release: () => session.release(),
        });
      } catch (error) {
        subjects.push({ subject: title, failed: error.message.split('\n')[0] });
      }
    }
    return subjects;
  }
  return {
    name,
    groups: all.filter((group) => !['training', 'attention backward'].includes(group)),
    open,
  };
}
