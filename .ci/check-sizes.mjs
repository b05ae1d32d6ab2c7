// Compares a visitor's downloads, in kB (1000 bytes) after gzip -9, with those in sizes.json: they may grow by 2 %, or by
// 1 kB. Growth beyond that is a decision: `npm run sizes` writes the new sizes, and the commit gives the reason.
//
//   *.wasm                a module; of the base one 20 are Emscripten, Embind and the C++ library, 25 kernels
//   fonts, golden         all of them; PyTorch's numbers, which chapter "Check" loads
//   pages                 the chapters with their first figure, of which a visitor opens one
//   page                  all other files, except for those of the chapters below and of the training
//   training              the Worker that trains, with its modules' scripts
//   embed                 the pages of single figures, of which another page has a few, and embed.js
//   learn, model, meaning each with its first figure in use; `further down` are its later files
//   a visit to learn      all of that chapter, with Worker and module
//   models                uncompressed, since few hosts compress them
//   all but fonts         page, golden, the largest of pages and the module with lessons: the promise of a chapter
//
// The limits in `fixed` never grow: tril/graph with its parts of the package, minified, and the lines of its source
// without blank lines and comments.

import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { references } from './check-built.mjs';
import { root as repository } from './files.mjs';

const file = fileURLToPath(new URL('sizes.json', import.meta.url));

/** The sizes in sizes.json. */
export const written = JSON.parse(readFileSync(file, 'utf8'));

const fixed = { 'tril/graph': 25, 'lines of tril/graph': 3000 };
const limitOf = (name) => fixed[name] ?? Math.max(written[name] * 1.02, written[name] + 1);

const kilobytes = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;

/** A line of code that does not begin as a comment, in sources formatted by Prettier. */
const codeLine = /^(?!\s*(?:\/[/*]|\*)).*\S.*$/gm;

/** All files below a folder, without those in `without`, such as the references, whose readers load them one by one. */
function filesBelow(folder, without = []) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (without.includes(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** The pages that name a file below assets/, by the file's name. */
function namedBy(pages) {
  const found = new Map();
  for (const path of pages) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/assets\/[^"']*?([^"'/]+)["']/g)) {
      found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

/** The scripts that name a file below assets/, by the file's name: they load it with themselves or on demand. */
function loadedBy(scripts) {
  const found = new Map();
  for (const path of scripts) {
    for (const [, name] of readFileSync(path, 'utf8').matchAll(/([\w.-]+\.(?:js|css))["'`]/g)) {
      found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}

/** Chapters that are measured separately. */
const apart = ['learn', 'model', 'meaning'];

/**
 * Returns the owner of a file of the page, by its path: a chapter that is measured separately, its later files, or the
 * training.
 */
function ownersOf(paths, named, loaders) {
  /** The files of a chapter: its page, and files that no other page names. */
  const isOf = (id) => {
    const page = paths.find((path) => path.endsWith(join(id, 'index.html')));
    return (path) => {
      const by = named.get(basename(path));
      return path === page || (by?.size === 1 && by.has(page));
    };
  };
  /** The files that no page names, and that only such scripts load. */
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

/** The size of the graph, bundled as users do, and its lines of code. */
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

/** { name: kB after gzip } of the built files; without missing parts. */
export function measureSizes(root) {
  const sizes = measureGraph(root);
  const generated = join(root, 'wasm', 'dist', 'generated');
  for (const name of Object.keys(written).filter((each) => each.endsWith('.wasm'))) {
    const path = join(generated, name);
    if (existsSync(path)) sizes[name] = kilobytes(readFileSync(path));
  }
  const page = join(root, 'web', 'dist');
  if (!existsSync(page)) return sizes;
  // Pictures are only for people who share a link, notices only for those who ask for them.
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
  /** A visit loads one module for training, without threads, for an engine without relaxed vectors. */
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

/** The sizes that are missing or too large. */
export function checkSizes(sizes) {
  return Object.keys({ ...written, ...fixed }).flatMap((name) => {
    if (sizes[name] === undefined) return [`${name}: not built; run \`npm run build\``];
    if (sizes[name] <= limitOf(name)) return [];
    const [size, limit] = [sizes[name], limitOf(name)].map((each) => shown(each, name));
    return [`${name}: ${size}, more than ${limit}; see check-sizes.mjs`];
  });
}

/** A line for each size, with its limit. */
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
