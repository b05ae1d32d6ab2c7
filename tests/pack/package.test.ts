// The contents of the tarball, and the entries of its package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, inject, it } from 'vitest';

const tarball = readFileSync(inject('tarball'));
const installed = join(inject('project'), 'node_modules', 'tril');
const read = (path: string) => readFileSync(join(installed, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;

it('has modules, types, source maps, the .wasm variants, its command, and nothing else', () => {
  const others = ['LICENSE', 'PYTORCH.md', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'package.json'];
  const command = ['bin/exercises.js', 'bin/judge.js', 'bin/tril.js'];
  const all = [...others, ...command];
  const paths = inject('packed').filter((path) => !all.includes(path));
  expect(inject('packed')).toEqual(expect.arrayContaining(all));
  expect(paths.filter((path) => !/^dist\/.*\.(js|js\.map|d\.ts|wasm)$/.test(path))).toEqual([]);
  const variants = ['relaxed', 'relaxed-threads', 'simd', 'simd-threads'];
  const modules = variants.flatMap((variant) => [
    ...[variant, `${variant}-lessons`, `${variant}-training`],
  ]);
  expect(paths.filter((path) => path.endsWith('.wasm')).sort()).toEqual(
    modules.map((name) => `dist/generated/tril-${name}.wasm`).sort(),
  );
});

it('depends on nothing', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
  expect(Object.keys(manifest.scripts as object)).not.toContain('postinstall');
});

it('says what it is', () => {
  expect(manifest).toMatchObject({ name: 'tril', type: 'module', license: 'MIT' });
  for (const key of ['version', 'description', 'keywords', 'engines', 'sideEffects']) {
    expect(manifest).toHaveProperty(key);
  }
  expect(read('LICENSE')).toContain('MIT License');
  for (const name of ['Eigen', 'Emscripten', 'musl', 'libc++']) {
    expect(read('THIRD-PARTY-NOTICES.txt')).toContain(`\n${name}`);
  }
});

it('has source maps with the sources in them', () => {
  for (const path of inject('packed').filter((each) => each.endsWith('.js.map'))) {
    const { sources, sourcesContent } = JSON.parse(read(path)) as Record<string, string[]>;
    expect(sources, path).toHaveLength(1);
    expect(sourcesContent?.[0], path).toMatch(/\S/);
    expect(read(path.replace(/\.map$/, '')), path).toContain('//# sourceMappingURL=');
  }
});

it('gives publint nothing to say', async () => {
  const { messages } = await publint({
    pack: { tarball: new Uint8Array(tarball).buffer },
    strict: true,
  });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

it('has types that are not wrong, for whoever imports', async () => {
  const checked = await checkPackage(createPackageFromTarballData(tarball));
  if (!checked.types) throw new Error('no types were found');
  // ES modules only: entries for TypeScript before 4.7 or `require` are not offered.
  const offered = checked.problems.filter(
    (problem) =>
      !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  );
  expect(offered).toEqual([]);
  expect(Object.keys(checked.entrypoints)).toEqual(expect.arrayContaining(['.', './worker']));
});
