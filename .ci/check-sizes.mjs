// What a visitor downloads, against limits. They are there to make growth a decision: raise one
// in the change that needs it, and say why.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

// In kB (1000 bytes) after gzip -9. Of a module about 30 is Emscripten, Embind and the C++ library, 14
// Eigen's product, 45 Eigen's singular values, and the rest is the core and what binds it.
export const limits = {
  'tril-simd.wasm': 200,
  'tril-relaxed.wasm': 200,
  'tril-simd-threads.wasm': 210,
  'tril-relaxed-threads.wasm': 210,
  fonts: 480, // all there are; a browser fetches those that it needs
  page: 320, // the rest of web/dist; KaTeX is 77, each Worker's copy of the package 10
};

const kilobytes = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** { name: kB after gzip } of what was built; a missing part is missing here. */
export function measureSizes(root) {
  const sizes = {};
  const generated = join(root, 'wasm', 'dist', 'generated');
  for (const name of Object.keys(limits).filter((each) => each.endsWith('.wasm'))) {
    const path = join(generated, name);
    if (existsSync(path)) sizes[name] = kilobytes(readFileSync(path));
  }
  const page = join(root, 'web', 'dist');
  if (existsSync(page)) {
    const parts = filesBelow(page).filter((path) => !path.endsWith('.wasm'));
    const sum = (paths) => paths.reduce((total, path) => total + kilobytes(readFileSync(path)), 0);
    sizes.fonts = sum(parts.filter((path) => path.endsWith('.woff2')));
    sizes.page = sum(parts.filter((path) => !path.endsWith('.woff2')));
  }
  return sizes;
}

/** What is missing or too large. */
export function checkSizes(sizes) {
  return Object.entries(limits).flatMap(([name, limit]) => {
    if (sizes[name] === undefined) return [`${name}: not built; run \`npm run build\``];
    if (sizes[name] <= limit) return [];
    return [`${name}: ${sizes[name].toFixed(1)} kB gzipped, more than ${limit} kB`];
  });
}
