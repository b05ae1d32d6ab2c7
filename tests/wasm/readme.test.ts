// The JavaScript example of the README, as it stands there: it runs, and prints what its comments
// say.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('the example of the README does what it says', () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const [, example] = /```js\n(.*?)```/su.exec(readme) ?? [];
  expect(example).toBeDefined();

  const folder = new URL('build/readme/', root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('example.mjs', folder), example!);
  const lines = execFileSync(process.execPath, ['example.mjs'], { cwd: folder, encoding: 'utf8' });

  const [output, seen, sum] = lines.trim().split('\n');
  expect(output).toMatch(/^computed by tril (simd|relaxed): output \[ 1, 8, 128, 64 \]$/u);
  expect(seen).toBe('1 0');
  expect(Number(sum)).toBeCloseTo(1, 6);
});
