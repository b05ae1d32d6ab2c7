// Builds the package into dist/: the C++ for every variant through the CMake presets, then the
// TypeScript, checked against the declarations that Embind wrote.
//
//   node build.mjs [--modules DIR]     DIR/wasm-VARIANT/wasm holds modules that are built already
//
// Compiled modules are copied to src/generated (where tsc looks for their types) and to
// dist/generated.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, variants } from './toolchain/cmake.mjs';

const here = dirname(fileURLToPath(import.meta.url));

async function compile() {
  for (const variant of variants) await build(`wasm-${variant}`, 'tril_wasm');
  return join(dirname(here), 'build');
}

function copyModules(buildFolder) {
  const targets = ['src', 'dist'].map((folder) => join(here, folder, 'generated'));
  for (const target of targets) {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
  }
  for (const variant of variants) {
    for (const extension of ['mjs', 'wasm', 'd.mts']) {
      const file = `tril-${variant}.${extension}`;
      const built = join(buildFolder, `wasm-${variant}`, 'wasm', file);
      for (const target of targets) copyFileSync(built, join(target, file));
    }
  }
}

function reportSizes() {
  const kilobytes = (bytes) => `${(bytes.length / 1000).toFixed(1)} kB`;
  for (const variant of variants) {
    const wasm = readFileSync(join(here, 'dist', 'generated', `tril-${variant}.wasm`));
    const gzipped = gzipSync(wasm, { level: 9 });
    console.log(`tril-${variant}.wasm: ${kilobytes(wasm)}, ${kilobytes(gzipped)} gzipped`);
  }
}

function compileTypeScript() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = join(here, 'tsconfig.json');
  return spawnSync(process.execPath, [tsc, '--project', project], { stdio: 'inherit' }).status;
}

const { values } = parseArgs({ options: { modules: { type: 'string' } } });
const buildFolder = values.modules ?? (await compile());
rmSync(join(here, 'dist'), { recursive: true, force: true });
copyModules(buildFolder);
reportSizes();
process.exitCode = compileTypeScript();
