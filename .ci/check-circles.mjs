// No file of the page or of the package may depend on itself through others: files in a circle can only be understood,
// tested and moved together. Types count, too.

import { dirname, join } from 'node:path';

// `import()` does not count: a file loaded later is not needed to read this one.
const importing = /\b(?:from|import)\s*['"](\.[^'"]+)['"]/g;
const endings = ['', '.ts', '.svelte.ts', '/index.ts'];

function importsOf({ path, text }, known) {
  return [...text.matchAll(importing)].flatMap(([, target]) => {
    const place = join(dirname(path), target.replace(/\.js$/, '')); // the package names the files that tsc makes
    const found = endings.map((ending) => place + ending).find((name) => known.has(name));
    return found ? [found] : [];
  });
}

/** files: [{ path, text }]; each circle once, as `path: needs itself by way of ...`. */
export function checkCircles(files) {
  const chosen = files.filter(({ path }) => /^(web|wasm)\/src\/.*\.(ts|svelte)$/.test(path));
  const known = new Set(chosen.map(({ path }) => path));
  const needs = new Map(chosen.map((file) => [file.path, importsOf(file, known)]));
  const done = new Set();
  const problems = [];
  const visit = (path, way) => {
    const begin = way.indexOf(path);
    if (begin >= 0) {
      const others = way.slice(begin + 1);
      problems.push(`${path}: needs itself by way of ${others.join(', ') || 'nothing else'}`);
    } else if (!done.has(path)) {
      for (const next of needs.get(path)) visit(next, [...way, path]);
      done.add(path);
    }
  };
  for (const path of known) visit(path, []);
  return problems;
}
