import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tril-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is complete when it is packed and installed elsewhere', () => {
  const source = dirname(createRequire(import.meta.url).resolve('tril/package.json'));
  const arguments_ = ['pack', '--json', '--pack-destination', folder];
  const output = execFileSync('npm', arguments_, { cwd: source, encoding: 'utf8' });
  const [packed] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toContain('dist/index.d.ts');
  expect(paths).toContain('README.md');
  expect(paths.filter((path) => path.endsWith('.wasm'))).toHaveLength(4);
  expect(paths.filter((path) => /^(src|bindings|toolchain)\//.test(path))).toEqual([]);

  const installed = join(folder, 'node_modules', 'tril');
  mkdirSync(installed, { recursive: true });
  const tarball = join(folder, packed.filename);
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  expect(readFileSync(join(installed, 'dist', 'index.d.ts'), 'utf8')).toContain('loadTril');
  writeFileSync(
    join(folder, 'use.mjs'),
    `import { loadTril } from 'tril';
     const tril = await loadTril();
     const x = tril.tensor([[1, 2], [3, 4]]);
     console.log(JSON.stringify(tril.matmul(x, x).toArray()));`,
  );
  const options = { cwd: folder, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['use.mjs'], options)).toBe('[[7,10],[15,22]]\n');
});
