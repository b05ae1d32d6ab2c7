// What a visitor downloads, against limits. They are there to make growth a decision: raise one
// in the change that needs it, and say why.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { references } from './check-built.mjs';

// In kB (1000 bytes) after gzip -9. Of a module about 20 is Emscripten, Embind and the C++ library, 6
// Eigen's product, 25 the kernels, 18 the gradients and losses (attention's, softmax's, the norms', linear layers',
// activations', embeddings'; 147 without them), and the rest is the core and what binds it. Training and models may
// bring it to 200.
export const limits = {
  'tril-simd.wasm': 172.5, // 1 of it linear layers whose weights have 16 bits, 1.5 dropout in blocks
  'tril-relaxed.wasm': 172.5,
  'tril-simd-threads.wasm': 187,
  'tril-relaxed-threads.wasm': 187,
  // Those of tril/training, which only chapter Learn loads: models, trainer and checkpoints, with tokenizers (27) and reading and
  // writing of decimal numbers (6), 82; gradients of a whole Transformer 7.2, of its blocks 6.4, of multi-head and additive attention
  // 4.2, of feed-forwards and gates, with the gated forms themselves, 1.6, of products and rotations 1.3; running models from
  // files 24 (their settings, parts and parameters, decoding, drawing, traces); word vectors 13.5; about 14 came with the tokenizers of
  // published models (Unicode's normal form C, of which 5 is its table, the steps of tokenizer.json, SentencePiece's characters) and
  // with reading weights piece by piece: 301 and 309 before both. Replaced activations 1.1, the cost of a step and its parts' times
  // 1.1, what a model takes of memory 0.4; weights of 16 bits kept so, settings of Qwen2 and of scaled positions, and what
  // stands in place of a file, 6.5. Training an encoder-decoder, with its checkpoints and what it says, 12.5; dropout of attention's
  // weights and gradients of masks 1. Forward passes that keep what their way back needs, and by what shapes and options, 2; ways
  // back through activations several registers at a time 0.6; weights in pieces, a context that is asked for, and all of a trace
  // 1.4. The base with all of that would be beyond the 200 that it may have.
  'tril-simd-training.wasm': 359.7,
  'tril-relaxed-training.wasm': 359.7,
  'tril-simd-threads-training.wasm': 368,
  'tril-relaxed-threads-training.wasm': 368,
  fonts: 480, // all there are; a browser fetches those that it needs
  golden: 110, // PyTorch's numbers, which chapter Check asks for
  // Ten chapters with their first figure at five widths, once where these are the same, of which a visitor opens one; 12 what Longer and
  // Block show as lengths.
  pages: 180.7, // Longer's 45, Mask's 32 and Attend's 29 are most of it; Two towers takes 5 less since its six maps stand further down
  // The rest of web/dist: nine chapters of 10 to 20, what they share, SvelteKit, KaTeX 77, scripts of the threaded modules 44,
  // half of which a visitor takes, from the second visit on. Groups of choices with one stop, painting by touch, guesses in Check,
  // the box beside a cell and what glides between steps brought 4; the way to chapter Model, and what Learn shares with it, 2.5; what
  // the figures further down in Learn and in Model share, which was Learn's alone, and Check's gradients, 12.5.
  // 10 the first figures of Two towers and Heads, whose words answer to touch, with their layouts and words; the lens of a crossing.
  // 2 hidden cells as one area, a stream that flows, and tables for phones.
  // Half a kilobyte: sentences that two more readers had to read twice, and that say more now.
  page: 563.6, // 2 pictures that are painted piece by piece, fetched when one is saved, 1 animated pictures, 4 the way to Meaning, and what its figures share with others; 7 how scores and outputs come
  // about, as motions, 4 what online softmax rescales and the stream through a block, as lengths; 1.5 what is fetched to be copied, and how a page is put together
  // The Worker that trains, opens models and learns vectors, and the scripts of its modules, of which a visitor takes one; 1 of it the
  // trainer of sequences; 0.8 what reads folders, which no page fetches, and weights in pieces.
  training: 86.3,
  // Each of these chapters to see and to use its first figure: its page with that figure, once for all widths, its styles, its code
  // with the prose and the words. Of Model 4 are what was computed of its opening sentence when the page was built, of Meaning 5
  // what was computed of its opening word.
  learn: 22, // half a kilobyte of it what questions are answered with, which stood beside them
  model: 34.3, // 24 of it without its page
  meaning: 22.2,
  // What each loads besides where a visitor comes near or asks for it. Of Learn: a number that is nudged and the course of the loss,
  // heads being born, with a training as a program and as an animated picture, what if, a visitor's own text, the cost; 0.6 the
  // names of all files that these need.
  'learn, further down': 39.8,
  // All heads large, with all that they look at, 10, the cache, parts taken away, activations carried over, a visitor's own model,
  // the program, 4, and the roll before and after. 4 are what was computed of the cache, of parts taken away and of activations
  // carried over when the page was built, 3 what stood on the page itself: how loading goes, ranking, names of files.
  'model, further down': 44,
  // Analogies, a word in its sentences, and both as programs. 7.5 are what was computed of forty sentences when the page was
  // built: 5 of it the sentences.
  'meaning, further down': 24.8,
  // What more than one of the three loads so: a decoder in plain PyTorch.
  'several, further down': 3,
  // All that a visit to Learn loads: all of the above that is Learn's, the Worker and the module that trains, which answers everything there.
  'a visit to learn': 567.3, // 0.6 ways back through activations several registers at a time, 1.4 models in pieces and all of a trace, 3.5 dropout in blocks and passes that keep what their way back needs, in the module; 11 what the module has for encoder-decoders, momentum and masks; 2 what a mask hides as one area, tables that fit a phone; 1 weights of 16 bits, in the module; 1 the speed of what plays, 5.5 what writes animated pictures, which is fetched when one is asked for
  // As they are, since few hosts compress them: the shipped model, which a visitor of chapter Model may ask for, 5 blocks of
  // 192 in float16 with its tokenizer; vectors, 1137, half a century of speeches, 2710, and the encoder, 3870. Nobody loads them before.
  models: 13_800,
  'all but fonts': 865.5, // page, golden, the largest of pages and the base .wasm with its gradients: what a chapter promises;
  // 5 of it what Longer's page shows of sums and outputs, at five widths; 0.1 where cross-entropy puts its gradient, and an option of attention
};

const kilobytes = (bytes) => gzipSync(bytes, { level: 9 }).length / 1000;

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

/** { name: kB after gzip } of what was built; a missing part is missing here. */
export function measureSizes(root) {
  const sizes = {};
  const generated = join(root, 'wasm', 'dist', 'generated');
  for (const name of Object.keys(limits).filter((each) => each.endsWith('.wasm'))) {
    const path = join(generated, name);
    if (existsSync(path)) sizes[name] = kilobytes(readFileSync(path));
  }
  const page = join(root, 'web', 'dist');
  if (!existsSync(page)) return sizes;
  // Pictures are for those who share a link.
  const kinds = {
    '.woff2': 'fonts',
    '.npy': 'golden',
    '.wasm': '',
    '.png': '',
    '.html': 'pages',
  };
  Object.assign(sizes, { fonts: 0, golden: 0, pages: 0, page: 0, training: 0 });
  sizes['several, further down'] = 0;
  for (const id of apart) sizes[id] = sizes[`${id}, further down`] = 0;
  sizes.models = existsSync(join(page, 'models'))
    ? filesBelow(join(page, 'models')).reduce((sum, path) => sum + statSync(path).size / 1000, 0)
    : 0;
  const paths = filesBelow(page, [...references, 'models']);
  const named = namedBy(paths.filter((path) => path.endsWith('.html')));
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
    const owner = kind === 'fonts' ? kind : (ownerOf(path) ?? kind);
    sizes[owner] += size;
    if (kind !== 'fonts' && isVisited(path)) visit += size;
    if (owner === 'pages') largest = Math.max(largest, size);
  }
  sizes['a visit to learn'] = visit + (sizes['tril-simd-training.wasm'] ?? NaN);
  sizes['all but fonts'] = sizes.page + largest + sizes.golden + (sizes['tril-simd.wasm'] ?? NaN);
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
