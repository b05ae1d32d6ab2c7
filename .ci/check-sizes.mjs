// What a visitor downloads, in kB (1000 bytes) after gzip -9, against what it was when sizes.json was written: it may
// be 2 % more, or 1 kB. Growth beyond that is a decision: `npm run sizes` writes what stands, and the commit says why.
//
//   *.wasm                a module; of the base one 20 are Emscripten, Embind and the C++ library, 25 kernels
//   fonts, golden         all there are; PyTorch's numbers, which chapter Check asks for
//   pages                 the chapters with their first figure, of which a visitor opens one
//   page                  all other files but those of the chapters below, and of what trains
//   training              the Worker that trains, with its modules' scripts
//   embed                 the pages of figures alone, of which another page has a few, and embed.js
//   learn, model, meaning each to see and to use its first figure; `further down` what it loads later
//   a visit to learn      all of that chapter, with Worker and module
//   models                as they are, since few hosts compress them
//   all but fonts         page, golden, the largest of pages and the module with lessons: what a chapter promises
//
// What `fixed` names may never be more than it says there: tril/graph with what it takes of the package, minified, and the lines
// of its source without blank ones and comments.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { references } from './check-built.mjs';
import { root as repository } from './files.mjs';

const file = fileURLToPath(new URL('sizes.json', import.meta.url));

/** What each was when it was written down. */
export const written = JSON.parse(readFileSync(file, 'utf8'));

const fixed = { 'tril/graph': 25, 'lines of tril/graph': 3000 };
const limitOf = (name) => fixed[name] ?? Math.max(written[name] * 1.02, written[name] + 1);

const kilobytes = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;

/** A line that does not begin as a comment, of sources that Prettier wrote. */
const codeLine = /^(?!\s*(?:\/[/*]|\*)).*\S.*$/gm;

/** Those of the page: who reads the references asks for them one by one. */
function filesBelow(folder, without = []) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (without.includes(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** By the name of each file below assets/ the pages that name it. */
function namedBy(pages) {
  const found = new Map();
  for (const path of pages) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/assets\/[^"']*?([^"'/]+)["']/g)) {
      found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

/** By the name of each file below assets/ the scripts that name it, which load it with them or on demand. */
function loadedBy(scripts) {
  const found = new Map();
  for (const path of scripts) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/([\w.-]+\.(?:js|css))["'`]/g)) {
      found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

/** Chapters whose own weight is told apart from that of all others. */
const apart = ['learn', 'model', 'meaning'];

/** Says of a file of the page, by its path, to whom it belongs: a chapter that is told apart, what it loads later, or what trains. */
function ownersOf(paths, named, loaders) {
  /** Of a chapter: its page, and what no other page names. */
  const isOf = (id) => {
    const page = paths.find((path) => path.endsWith(join(id, 'index.html')));
    return (path) => {
      const by = named.get(basename(path));
      return path === page || (by?.size === 1 && by.has(page));
    };
  };
  /** What no page names, and nothing but such scripts loads. */
  const isOnDemand = (isOwn) => {
    const isIt = (path, behind = []) => {
      if (isOwn(path) || named.has(basename(path))) return false;
      const loading = [...(loaders.get(basename(path)) ?? [])].filter(
        (script) => script !== path && !behind.includes(script),
      );
      return (
        loading.length > 0 && loading.every((one) => isOwn(one) || isIt(one, [...behind, path]))
      );
    };
    return isIt;
  };
  const chapters = apart.map(isOf);
  const isTraining = (path) => /training/.test(basename(path));
  const owners = [
    ['training', isTraining],
    ...apart.map((id, i) => [id, chapters[i]]),
    ...apart.map((id, i) => [`${id}, further down`, isOnDemand(chapters[i])]),
    ['several, further down', isOnDemand((path) => chapters.some((is) => is(path)))],
    ['training', isOnDemand(isTraining)],
  ];
  return (path) => owners.find(([, owns]) => owns(path))?.[0];
}

/** The graph as others would bundle it, and its lines of code. */
function measureGraph(root) {
  const entry = join(root, 'wasm', 'dist', 'graph', 'index.js');
  const options = { bundle: true, format: 'esm', minify: true, write: false };
  const built = existsSync(entry) && buildSync({ entryPoints: [entry], ...options });
  const sources = filesBelow(join(root, 'wasm', 'src', 'graph'));
  const lines = sources.flatMap((path) => readFileSync(path, 'utf8').match(codeLine) ?? []);
  return {
    ...(built && { 'tril/graph': kilobytes(built.outputFiles[0].contents) }),
    'lines of tril/graph': lines.length,
  };
}

/** { name: kB after gzip } of what was built; a missing part is missing here. */
export function measureSizes(root) {
  const sizes = measureGraph(root);
  const generated = join(root, 'wasm', 'dist', 'generated');
  for (const name of Object.keys(written).filter((each) => each.endsWith('.wasm'))) {
    const path = join(generated, name);
    if (existsSync(path)) sizes[name] = kilobytes(readFileSync(path));
  }
  const page = join(root, 'web', 'dist');
  if (!existsSync(page)) return sizes;
  // Pictures are for those who share a link, notices for those who ask.
  const kinds = {
    '.woff2': 'fonts',
    '.npy': 'golden',
    '.wasm': '',
    '.png': '',
    '.txt': '',
    '.html': 'pages',
  };
  Object.assign(sizes, { fonts: 0, golden: 0, pages: 0, page: 0, training: 0, embed: 0 });
  sizes['several, further down'] = 0;
  for (const id of apart) sizes[id] = sizes[`${id}, further down`] = 0;
  sizes.models = existsSync(join(page, 'models'))
    ? filesBelow(join(page, 'models')).reduce((sum, path) => sum + statSync(path).size / 1000, 0)
    : 0;
  const paths = filesBelow(page, [...references, 'models']);
  const isAlone = (path) => path.startsWith(join(page, 'embed'));
  const named = namedBy(paths.filter((path) => path.endsWith('.html') && !isAlone(path)));
  const isScript = (path) => path.endsWith('.js') && basename(path) !== 'service-worker.js';
  const loaders = loadedBy(paths.filter(isScript));
  const ownerOf = ownersOf(paths, named, loaders);
  const learning = paths.find((path) => path.endsWith(join('learn', 'index.html')));
  const isLearning = (path) => /^learn\b/.test(ownerOf(path) ?? '');
  /** Of what trains a visit takes one module, without threads, for an engine without relaxed vectors. */
  const isVisited = (path) =>
    isLearning(path) ||
    named.get(basename(path))?.has(learning) ||
    [...(loaders.get(basename(path)) ?? [])].some(isLearning) ||
    /^training-worker-|^tril-simd-training-[^-]*\.js$/.test(basename(path));
  let [largest, visit] = [0, 0];
  for (const path of paths) {
    const kind = kinds[extname(path)] ?? 'page';
    if (!kind) continue;
    const size = kilobytes(readFileSync(path));
    const owner = isAlone(path) ? 'embed' : kind === 'fonts' ? kind : (ownerOf(path) ?? kind);
    sizes[owner] += size;
    if (kind !== 'fonts' && isVisited(path)) visit += size;
    if (owner === 'pages') largest = Math.max(largest, size);
  }
  sizes['a visit to learn'] = visit + (sizes['tril-simd-training.wasm'] ?? NaN);
  sizes['all but fonts'] =
    sizes.page + largest + sizes.golden + (sizes['tril-simd-lessons.wasm'] ?? NaN);
  return sizes;
}

const shown = (size, name = '') =>
  name.startsWith('lines') ? String(size) : `${size.toFixed(1)} kB`;

/** What is missing or too large. */
export function checkSizes(sizes) {
  return Object.keys({ ...written, ...fixed }).flatMap((name) => {
    if (sizes[name] === undefined) return [`${name}: not built; run \`npm run build\``];
    if (sizes[name] <= limitOf(name)) return [];
    const [size, limit] = [sizes[name], limitOf(name)].map((each) => shown(each, name));
    return [`${name}: ${size}, more than ${limit}; see check-sizes.mjs`];
  });
}

/** One line each: what it is, and what it may be. */
export const listSizes = (sizes) =>
  Object.entries(sizes).map(
    ([name, size]) => `${name}: ${shown(size, name)} of ${shown(limitOf(name), name)}`,
  );

// `npm run sizes`
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sizes = measureSizes(repository);
  const missing = Object.keys(written).filter((name) => !(sizes[name] > 0));
  if (missing.length > 0)
    throw new Error(`not built: ${missing.join(', ')}; run \`npm run build\``);
  const now = Object.keys(written).map((name) => [name, Number(sizes[name].toFixed(1))]);
  for (const [name, size] of now) {
    if (size !== written[name]) console.log(`${name}: ${shown(written[name])} -> ${shown(size)}`);
  }
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(now), null, 2)}\n`);
}
