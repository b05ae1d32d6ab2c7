// The floors of the house: a file includes or imports only what is on its own floor or below.
//
//   core/tril/<floor>   foundation < files < text < matmul < layers < attention < block < training <
//                       model < lessons, except that matmul, layers, attention and block, which compute,
//                       see neither files nor text
//   core/tril/tril.h    includes every public header, directly or not: each that declares something in namespace
//                       tril itself, except for those of kernels
//   web/src/<floor>     compute < state < figures < entered < scenes < shell < chapters < again < embed, and no
//                       chapter sees another
//   web/src/compute     is divided by thread: code of the page sees page and shared, code of a Worker sees worker and
//                       shared, code that runs in Node, while the page is built, sees all; shared sees itself. Types cross.
//   web                 sees the package by its public entries only, never a file outside web/ except
//                       PyTorch's numbers and models/, which it ships, and the code that reads and measures
//                       these, models/meaning.mjs, shape.mjs and share.mjs
//   wasm/src            worker stands on everything else, which works without it; it sees nothing outside wasm/src
//   wasm/src/graph      stands on the package's calls, tensors and errors; only the Worker and notebook see it
//   wasm/src/notebook   stands on graph, and on what graph stands on; only the Worker sees it, and only it the grammar of Python
//   wasm/bench          sees wasm/ and models/ only

import { dirname, join } from 'node:path';
import { findAll } from './files.mjs';

const coreFloors = [
  'foundation',
  'files',
  'text',
  'matmul',
  'layers',
  'attention',
  'block',
  'training',
  'model',
  'lessons',
];
const computing = ['matmul', 'layers', 'attention', 'block'];
const webFloors = [
  'compute',
  'state',
  'figures',
  'entered',
  'scenes',
  'shell',
  'chapters',
  'again',
  'embed',
];
const publicEntries = [
  'tril',
  'tril/lessons',
  'tril/training',
  'tril/graph',
  'tril/notebook',
  'tril/worker',
];

/** The files that graphs may import, besides the checks of names. */
const graphsSee = ['load', 'tensor', 'error', 'names'].map((name) => `wasm/src/${name}.js`);

const include = /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]/gm;
const importing = new RegExp(
  [
    String.raw`\bfrom\s*['"]([^'"]+)['"]`,
    String.raw`\bimport\s*\(?\s*['"]([^'"]+)['"]`,
    String.raw`\bnew\s+URL\(\s*['"]([^'"]+)['"]\s*,\s*import\.meta`,
  ].join('|'),
  'g',
);

const umbrella = 'core/tril/tril.h';

/** The public headers that tril.h does not include. */
function leftOut(files) {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  if (!texts.has(umbrella)) return [];
  const had = new Set([umbrella]);
  for (const path of had) {
    const targets = [...(texts.get(path) ?? '').matchAll(include)].map(([, , target]) => target);
    for (const target of targets) had.add(`core/${target}`);
  }
  const isPublic = ([path, text]) =>
    /^core\/.*(?<!_kernels)\.h$/.test(path) && /^namespace tril \{/m.test(text);
  const missing = [...texts].filter((file) => isPublic(file) && !had.has(file[0]));
  return missing.map(([path]) => `${path}: is public, but not in tril/tril.h`);
}

/** The reason why a file of the core may not include the target, or ''. */
function judgeInclude(path, quote, target) {
  if (path === umbrella) return '';
  const floor = /^core\/tril\/([^/]+)\//.exec(path)?.[1] ?? '';
  if (!coreFloors.includes(floor)) return `${path} is on no known floor`;
  if (quote === '"') return `write <tril/FLOOR/NAME.h>, not "${target}"`;
  const [first, below] = target.split('/');
  // The foundation knows the systems that it runs on.
  if (first === 'emscripten' && floor === 'foundation') return '';
  if (['wasm', 'web', 'native', 'emscripten'].includes(first))
    return `the core includes <${target}>`;
  if (first !== 'tril') return '';
  if (!coreFloors.includes(below)) return `<${target}> is on no known floor`;
  const isAbove = coreFloors.indexOf(below) > coreFloors.indexOf(floor);
  if (isAbove) return `${floor} includes <${target}>, which is above it`;
  const isBeside = computing.includes(floor) && ['files', 'text'].includes(below);
  return isBeside ? `${floor} includes <${target}>, but computes without files and text` : '';
}

const webFloor = (path) => webFloors.indexOf(/^web\/src\/([^/]+)\//.exec(path)?.[1]);
const chapterOf = (path) => /^web\/src\/chapters\/([^/]+)\//.exec(path)?.[1];

/** The reason why a file of the page may not import the target, or ''. */
function judgeImport(path, target) {
  const isRelative = target.startsWith('.');
  const place = isRelative ? join(dirname(path), target) : target;
  const isShipped = /^(tests\/golden\/.*\.npy\?url|models\/((meaning|shape|share)\.mjs)?)$/.test(
    place,
  );
  if (isRelative && !isShipped && !place.startsWith('web/')) return `${target} is outside web/`;
  if (/^tril(\/|$)/.test(target) && !publicEntries.includes(target)) {
    return `${target} is not public; ${publicEntries.join(', ')} are`;
  }
  const [own, other] = [webFloor(path), webFloor(place)];
  if (own >= 0 && other > own) return `${webFloors[own]} imports ${target}, which is above it`;
  const [here, there] = [chapterOf(path), chapterOf(place)];
  return here && there && here !== there ? `${here} imports ${target}, of another chapter` : '';
}

/** Whether an import may cross threads: it imports only types, or starts a Worker. */
function crosses({ input, index, 3: url }) {
  const statement = input.slice(input.lastIndexOf(';', index) + 1, index);
  const names = /^\s*(?:import|export)\s*\{([^}]*)\}\s*$/m.exec(statement)?.[1].split(',');
  const onlyTypes = names?.every((name) => !name.trim() || /^\s*type\s/.test(name)) ?? false;
  return Boolean(url) || onlyTypes || /^\s*(?:import|export)\s+type\s/m.test(statement);
}

/** The thread in which a file of the page runs: `build` for Node, `shared` for any. */
function threadOf(path) {
  const [, part] = /^web\/src\/compute\/([^/]+)\//.exec(path) ?? [];
  if (part) return part;
  return /^web\/(?!src\/)|\.server\.ts$/.test(path) ? 'build' : 'page';
}

/** The reason why a file of one thread may not import the target of another, or ''. */
function judgeThread(path, target, match) {
  const place = join(dirname(path), target);
  const isOfThreads = target.startsWith('.') && place.startsWith('web/src/compute/');
  if (!isOfThreads || path.endsWith('.d.ts') || crosses(match)) return '';
  const [own, other] = [threadOf(path), threadOf(place)];
  const isSeen = own === 'build' || other === 'shared' || other === own;
  return isSeen ? '' : `${own} imports ${target}, which runs in another thread (${other})`;
}

/** The reason why a file of the package, or of its benchmarks, may not import the target, or ''. */
function judgePackage(path, target) {
  if (!target.startsWith('.')) return '';
  const place = join(dirname(path), target);
  if (path.startsWith('wasm/bench/')) {
    return /^(wasm|models)\//.test(place) ? '' : `${target} is outside wasm/`;
  }
  if (!`${place}/`.startsWith('wasm/src/')) return `${target} is outside wasm/src/`;
  const [own, other] = [path, place].map((each) => each.startsWith('wasm/src/worker/'));
  if (other && !own) return `${target} is of the Worker, which stands above`;
  const isIn = (folder) => [path, place].map((each) => each.startsWith(`wasm/src/${folder}/`));
  const [isOfGraph, isGraph] = isIn('graph');
  const [isOfNotebook, isNotebook] = isIn('notebook');
  if (isNotebook && !isOfNotebook && !own) return `${target} is of notebooks, which stand above`;
  if (isGraph && !isOfGraph && !isOfNotebook && !own)
    return `${target} is of graphs, which stand above`;
  const isAllowed = graphsSee.includes(place) || (isOfGraph ? isGraph : isGraph || isNotebook);
  return (isOfGraph || isOfNotebook) && !isAllowed
    ? `${target} is not what graphs stand on; ${graphsSee.join(', ')} are`
    : '';
}

/** files: [{ path, text }]; the wrong includes and imports as `path:line: reason`. */
export function checkFloors(files) {
  const problems = leftOut(files);
  for (const file of files) {
    const { path } = file;
    if (/^core\/.*\.(h|cc)$/.test(path)) {
      const judge = ([, quote, target]) => judgeInclude(path, quote, target);
      problems.push(...findAll([file], include, judge));
    } else if (/^web\/.*\.(ts|js|svelte)$/.test(path)) {
      const judge = (match) => {
        const target = match.slice(1).find(Boolean);
        return judgeImport(path, target) || judgeThread(path, target, match);
      };
      problems.push(...findAll([file], importing, judge));
    } else if (/^wasm\/(src|bench)\/.*\.m?[tj]s$/.test(path)) {
      const judge = (match) => judgePackage(path, match.slice(1).find(Boolean));
      problems.push(...findAll([file], importing, judge));
    }
  }
  return problems;
}
