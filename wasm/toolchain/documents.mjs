// The references of package and library as parts of the page: web/dist/api, from the doc comments by TypeDoc, and
// web/dist/cpp, from the public headers by Doxygen, if it is installed.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './steps.mjs';
import { findProgram } from './system.mjs';

/** The version of Debian 12, which checks that every public name is documented. */
const doxygen = '1.9.4';

const made = (name) => join(root, 'build', 'documents', name);
export const packageReference = 'build/documents/api/index.html';
export const libraryReference = 'build/documents/cpp/html/index.html';

function emptied(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A note if the tool for the library's reference is missing, else undefined. */
export const noDoxygen = () =>
  findProgram('doxygen') ? undefined : 'no Doxygen, so without the C++ reference';

/** The page's icon, and a policy that allows only the page's own files. */
const head = [
  '<head><link rel="icon" type="image/svg+xml" href="../icon.svg"/>',
  '<meta http-equiv="Content-Security-Policy"',
  ` content="default-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'"/>`,
].join('');

export async function makeLibraryReference() {
  const folder = emptied(made('cpp'));
  const { version } = JSON.parse(readFileSync(join(root, 'wasm', 'package.json'), 'utf8'));
  // Other versions have other warnings.
  const found = spawnSync('doxygen', ['--version'], { encoding: 'utf8' }).stdout;
  const warnings = found.startsWith(doxygen) ? 'FAIL_ON_WARNINGS' : 'NO';
  await run('doxygen', ['Doxyfile'], {
    cwd: join(root, 'core'),
    env: { TRIL_DOCUMENTS: folder, TRIL_VERSION: version, TRIL_WARNINGS: warnings },
    log: 'doxygen',
    advice: 'the log says which comment is missing or cannot be read',
  });
  const html = join(folder, 'html');
  for (const file of readdirSync(html).filter((name) => name.endsWith('.html'))) {
    const path = join(html, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('<head>', head));
  }
}

export function makePackageReference() {
  const script = join(root, 'wasm', 'toolchain', 'typedoc.mjs');
  const beside = noDoxygen() ? [] : ['cpp/index.html'];
  return run(process.execPath, [script, emptied(made('api')), ...beside], {
    log: 'typedoc',
    advice: 'the log says which comment is missing or cannot be read',
  });
}

/** Copies the references next to the page. */
export function placeDocuments() {
  for (const [name, from] of [
    ['api', made('api')],
    ['cpp', made('cpp/html')],
  ]) {
    const place = emptied(join(root, 'web', 'dist', name));
    if (existsSync(from)) cpSync(from, place, { recursive: true });
    else rmSync(place, { recursive: true });
  }
}
