// Builds the package into dist/: the C++ for every variant through the CMake presets, then the
// TypeScript, checked against the declarations that Embind wrote.
//
//   node build.mjs [--modules DIR]     DIR/wasm-VARIANT/wasm has the built modules
//
// Compiled modules are copied to src/generated (where tsc looks for their types) and to
// dist/generated.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build as bundle } from 'esbuild';
import { build, unthreaded, variants } from './toolchain/cmake.mjs';
import { entries } from './toolchain/entries.mjs';
import { withOrderedFunctions } from './toolchain/function-order.mjs';
import { withLeastMemory } from './toolchain/memory-limits.mjs';
import { portable } from './toolchain/portable.mjs';
import { withCustomSection } from './toolchain/sections.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Each variant's module, with and without lessons or training. */
const modules = variants.flatMap((variant) =>
  ['', '-lessons', '-training'].map((part) => [variant, `tril-${variant}${part}`]),
);

async function compile() {
  for (const variant of variants) await build(`wasm-${variant}`, 'tril_wasm');
  return join(dirname(here), 'build');
}

/** The initial size of shared memory in pages: 16 MB, more than modules use before the first call. */
const leastPages = 256;

/** A name that only this module and its script share, so that other modules are recognised (src/load.ts). */
const tagOf = (name, wasm) =>
  `${name} ${createHash('sha256').update(wasm).digest('hex').slice(0, 12)}`;

/** Copies modules as .js and .d.ts, since some hosts do not know .mjs and serve it as data. */
function copyModules(buildFolder) {
  const targets = ['src', 'dist'].map((folder) => join(here, folder, 'generated'));
  for (const target of targets) {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
  }
  for (const [variant, name] of modules) {
    const built = join(buildFolder, `wasm-${variant}`, 'wasm');
    const ordered = withOrderedFunctions(readFileSync(join(built, `${name}.wasm`)));
    const code = unthreaded.includes(variant) ? ordered : withLeastMemory(ordered, leastPages);
    const tag = tagOf(name, code);
    const wasm = withCustomSection(code, 'tril', tag);
    const script = portable(readFileSync(join(built, `${name}.mjs`), 'utf8'), name);
    const types = readFileSync(join(built, `${name}.d.mts`), 'utf8');
    const inline = JSON.stringify(gzipSync(wasm, { level: 9 }).toString('base64'));
    for (const target of targets) {
      const write = (ending, text) => writeFileSync(join(target, `${name}${ending}`), text);
      write('.wasm', wasm);
      const more =
        'export declare const wasmUrl: () => URL;\nexport declare const wasmTag: string;\n';
      write('.d.ts', types + more);
      write('.js', `${script}export const wasmTag=${JSON.stringify(tag)};\n`);
      if (!unthreaded.includes(variant) || name.endsWith('-lessons')) continue;
      write('-inline.js', `export default ${inline};\n`);
      write('-inline.d.ts', 'declare const inline: string;\nexport default inline;\n');
    }
  }
  for (const [name, text] of Object.entries(entries())) {
    writeFileSync(join(targets[0], `${name}.ts`), text);
  }
}

function reportSizes() {
  const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(1)} kB`;
  for (const [, name] of modules) {
    const wasm = readFileSync(join(here, 'dist', 'generated', `${name}.wasm`));
    const gzipped = gzipSync(wasm, { level: 9 });
    console.log(`${name}.wasm: ${kilobytes(wasm)}, ${kilobytes(gzipped)} gzipped`);
  }
}

function compileTypeScript() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = join(here, 'tsconfig.json');
  return spawnSync(process.execPath, [tsc, '--project', project], { stdio: 'inherit' }).status;
}

/** Bundles Lezer's Python grammar into the only file that imports it, so that the package has no dependencies. */
async function bundleGrammar() {
  const file = join(here, 'dist', 'notebook', 'parse', 'grammar.js');
  await bundle({
    ...{ entryPoints: [file], outfile: file, allowOverwrite: true },
    ...{ bundle: true, format: 'esm', target: 'es2022', minify: true, legalComments: 'none' },
  });
  rmSync(`${file}.map`, { force: true });
}

const { values } = parseArgs({ options: { modules: { type: 'string' } } });
const buildFolder = values.modules ?? (await compile());
rmSync(join(here, 'dist'), { recursive: true, force: true });
copyModules(buildFolder);
// npm packs these only from here.
copyFileSync(join(dirname(here), 'LICENSE'), join(here, 'LICENSE'));
const notices = 'THIRD-PARTY-NOTICES.txt';
copyFileSync(join(dirname(here), 'docs', notices), join(here, notices));
reportSizes();
process.exitCode = compileTypeScript();
if (process.exitCode === 0) await bundleGrammar();
