// Orders a module's functions. gzip only finds repetitions within 32 kB, and linkers keep functions in the order of
// their files: with similar functions next to each other, the download is a twentieth smaller.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf, sectionsOf, unsigned } from './sections.mjs';

/** The length in bytes of the runs that functions have in common. */
const run = 6;
/** The distance in bytes within which an earlier similar function counts. */
const near = 32_000;

/** The code of each function. */
export function bodiesOf(module) {
  const code = [...sectionsOf(module)].find(({ id }) => id === 10);
  const count = unsigned(module, code.begin);
  const bodies = [];
  for (let at = count.end; bodies.length < count.value;) {
    const size = unsigned(module, at);
    at = size.end + size.value;
    bodies.push(module.subarray(size.end, at));
  }
  return bodies;
}

/** The runs of bytes in each function, numbered. */
function runsOf(bodies) {
  const numbers = new Map();
  return bodies.map((body) => {
    const own = new Set();
    for (let at = 0; at + run <= body.length; ++at) {
      let hash = 2166136261; // FNV-1a
      for (let i = at; i < at + run; ++i) hash = Math.imul(hash ^ body[i], 16777619);
      if (!numbers.has(hash)) numbers.set(hash, numbers.size);
      own.add(numbers.get(hash));
    }
    return [...own];
  });
}

/**
 * The order of functions: each next one has, of all that are left, most in common with those shortly before it,
 * relative to its size.
 */
export function orderOf(bodies) {
  const runs = runsOf(bodies);
  const having = []; // by run: the functions that have it
  runs.forEach((own, body) => own.forEach((each) => (having[each] ??= []).push(body)));
  const seen = new Uint32Array(having.length); // by run: the number of near functions that have it
  const common = new Uint32Array(bodies.length);
  const order = [];
  let [first, bytes] = [0, 0]; // of the near functions
  const add = (body) => {
    for (const each of runs[body]) {
      if (seen[each]++ === 0) for (const other of having[each]) common[other] += 1;
    }
  };
  const remove = (body) => {
    for (const each of runs[body]) {
      if (--seen[each] === 0) for (const other of having[each]) common[other] -= 1;
    }
  };
  const left = new Set(bodies.keys());
  for (let next = 0; left.size > 0;) {
    left.delete(next);
    order.push(next);
    add(next);
    bytes += bodies[next].length;
    for (; bytes > near && first < order.length - 1; ++first) {
      remove(order[first]);
      bytes -= bodies[order[first]].length;
    }
    let most = -1;
    for (const body of left) {
      const share = common[body] / (runs[body].length + 2);
      if (share > most) [next, most] = [body, share];
    }
  }
  return order;
}

const leb = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);
const sized = (bytes) => [...leb(bytes.length), ...bytes];
const text = (string) => sized([...new TextEncoder().encode(string)]);

/** A section that names each function by its position in the order. */
function namesOf(module, order) {
  const imported = [...importsOf(module)].filter(({ kind }) => kind === 0).length;
  const places = new Array(order.length);
  order.forEach((body, place) => (places[body] = place));
  const names = places.flatMap((place, body) => [
    ...leb(imported + body),
    ...text(String(place).padStart(6, '0')),
  ]);
  const functions = 1;
  const section = [...text('name'), functions, ...sized([...leb(order.length), ...names])];
  return Uint8Array.from([0, ...sized(section)]);
}

/** Binaryen's wasm-opt, which comes with Emscripten: the one that set-up has put here, or the one on PATH. */
function wasmOpt() {
  const ours = fileURLToPath(new URL('emscripten/bin/em-config', import.meta.url));
  const config = existsSync(ours) ? ours : 'em-config';
  const folder = execFileSync(config, ['BINARYEN_ROOT'], { encoding: 'utf8' }).trim();
  return join(folder, 'bin', 'wasm-opt');
}

const features = [
  ...['bulk-memory', 'exception-handling', 'mutable-globals', 'nontrapping-float-to-int'],
  ...['relaxed-simd', 'sign-ext', 'simd', 'threads'],
].map((name) => `--enable-${name}`);

/** The module with its functions in the order that gzip compresses best. */
export function withOrderedFunctions(module) {
  const folder = mkdtempSync(join(tmpdir(), 'tril-order-'));
  try {
    const file = join(folder, 'module.wasm');
    writeFileSync(file, Buffer.concat([module, namesOf(module, orderOf(bodiesOf(module)))]));
    execFileSync(wasmOpt(), [...features, '--reorder-functions-by-name', file, '-o', file]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
