// Generated entries of the package: they only differ in the modules that they load, and for which hosts.

import { unthreaded, variants } from './cmake.mjs';

/**
 * Entries that differ in their modules and hosts: one per variant, without import(), and the same for Node, which
 * contain the module in a bundle; and those for hosts that import modules.
 */
export function entries() {
  const found = {};
  const withTraining = (training) => (training ? '-training' : '');
  const begin = (training) =>
    training
      ? `export * from '../public.js';
export * from '../public-training.js';
import { loadFrom, type LoadOptions } from '../load.js';
import { moreCalls } from '../more-calls.js';
import type { TrainingTril as Tril } from '../public-training.js';
`
      : `export * from '../public.js';
import { loadFrom, type LoadOptions, type Tril } from '../load.js';
`;
  const loads = (variant, training, wasm = '') => `
/** As \`loadTril\` of \`tril${training ? '/training' : ''}\`, of this variant. */
export function loadTril(options: LoadOptions = {}): Promise<Tril> {
  const modules = { suffix: '${withTraining(training)}', fetch: { ${JSON.stringify(variant)}: async () => script }${wasm} };
  return loadFrom(modules, options${training ? ', moreCalls' : ''});
}
`;
  for (const training of [false, true]) {
    const suffix = withTraining(training);
    for (const variant of variants) {
      const script = `import * as script from './tril-${variant}${suffix}.js';\n`;
      found[`${variant}${suffix}`] = begin(training) + script + loads(variant, training);
    }
    for (const variant of unthreaded) {
      const name = `tril-${variant}${suffix}`;
      found[`node-${variant}${suffix}`] = `import { bringInlined } from '../module.js';
bringInlined({ '${name}': () => import('./${name}-inline.js') });
export * from './${variant}${suffix}.js';
`;
    }
    for (const [host, query] of [
      ['workerd', ''],
      ['edge-light', '?module'],
    ]) {
      const imports = `import * as script from './tril-simd${suffix}.js';
// @ts-ignore: what it is, the host says
import wasm from './tril-simd${suffix}.wasm${query}';
`;
      const wasm = ', wasm: wasm as object';
      found[`${host}${suffix}`] = begin(training) + imports + loads('simd', training, wasm);
    }
  }
  return found;
}
