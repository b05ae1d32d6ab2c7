// Builds the package into dist/: the C++ for every variant through the CMake presets, then the
// TypeScript, checked against the declarations that Embind wrote.
//
//   node build.mjs [--modules DIR]     DIR/wasm-VARIANT/wasm holds modules that are built already
//
// Compiled modules are copied to src/generated (where tsc looks for their types) and to
// dist/generated.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Emscripten's script with the options of its Workers where they are used: a bundler reads them
 * without running the script, and does not follow a variable.
 */
function bundleable(script, file) {
  if (!file.endsWith('-threads.mjs')) return script;
  const options = /var workerOptions=(\{[^}]*\});/.exec(script);
  const call = /(new Worker\(new URL\("[^"]*",import\.meta\.url\),)workerOptions\)/;
  if (!options || !call.test(script)) throw new Error(`${file}: no Worker where one was expected`);
  return script.replace(options[0], '').replace(call, `$1${options[1]})`);
}

function copyModules(buildFolder) {
  const targets = ['src', 'dist'].map((folder) => join(here, folder, 'generated'));
  for (const target of targets) {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
  }
  for (const variant of variants) {
    const built = join(buildFolder, `wasm-${variant}`, 'wasm');
    for (const target of targets) {
      for (const extension of ['wasm', 'd.mts']) {
        const file = `tril-${variant}.${extension}`;
        copyFileSync(join(built, file), join(target, file));
      }
      const file = `tril-${variant}.mjs`;
      const script = readFileSync(join(built, file), 'utf8');
      writeFileSync(join(target, file), bundleable(script, file));
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
