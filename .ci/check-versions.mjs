// One version everywhere: the package, what depends on it, CMake and CITATION.
//
//   node .ci/check-versions.mjs v1.2.3     they must be this one: a tag
//   node .ci/check-versions.mjs 1.2.3      writes it everywhere (`npm run set-version 1.2.3`)

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root as repository } from './files.mjs';

const number = '\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?';
/** The text before the version in a file; only the number changes. */
const places = [
  ['wasm/package.json', /^(\s*"version": ")/m],
  ['web/package.json', /^(\s*"tril": ")/m],
  ['package-lock.json', /("wasm": \{\s*"name": "tril",\s*"version": ")/m],
  ['package-lock.json', /("name": "tril-web",[^}]*"tril": ")/m],
  ['CMakeLists.txt', /^(project\(Tril VERSION )/m],
  ['CITATION.cff', /^(version: )/m],
];
const inPlace = (before) => new RegExp(`${before.source}(${number})`, 'm');

/** [[file, version]], with an undefined version if there is none. */
export const readVersions = (root) =>
  places.map(([file, before]) => [
    file,
    inPlace(before).exec(readFileSync(join(root, file), 'utf8'))?.[2],
  ]);

/** The files without this version; by default, without the package's. */
export function checkVersions(versions, wanted = versions[0][1]) {
  return versions
    .filter(([, version]) => version !== wanted)
    .map(([file, version]) => `${file}: version ${version ?? '(none)'}, not ${wanted}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, tag, version] = new RegExp(`^(v?)(${number})$`).exec(process.argv[2] ?? '') ?? [];
  if (!version) throw new Error('give a version, as 1.2.3 or v1.2.3');
  for (const [file, before] of tag ? [] : places) {
    const path = join(repository, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(inPlace(before), `$1${version}`));
  }
  const problems = checkVersions(readVersions(repository), version);
  console.log(problems.join('\n') || `version ${version} everywhere`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
