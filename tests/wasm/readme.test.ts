// The README's JavaScript example, and the training example of the package's README, exactly as written: they run, and
// print the results in their comments.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** The lines that an example prints. */
function linesOf(name: string, example: string | undefined): string[] {
  expect(example).toBeDefined();
  const folder = new URL('build/readme/', root);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), example!);
  return execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' })
    .trim()
    .split('\n');
}

test('the example of the README does what it says', () => {
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const [, example] = /```js\n(.*?)```/su.exec(readme) ?? [];
  const [output, seen, sum] = linesOf('example.mjs', example);
  expect(output).toMatch(/^computed by tril (simd|relaxed): output \[ 1, 8, 128, 64 \]$/u);
  expect(seen).toBe('1 0');
  expect(Number(sum)).toBeCloseTo(1, 6);
});

test('the example of training does what it says', () => {
  const readme = readFileSync(new URL('wasm/README.md', root), 'utf8');
  const [, example] = /```js\n((?:(?!```).)*tril\.trainer.*?)```/su.exec(readme) ?? [];
  const [before, ...rest] = linesOf('training.mjs', example);
  expect(Number(before)).toBeCloseTo(Math.log(256), 1);
  const losses = rest.slice(0, 3).map((line) => line.split(' ').map(Number));
  expect(losses.map(([step]) => step)).toEqual([0, 100, 200]);
  expect(losses[2]![1]).toBeLessThan(losses[0]![1]! / 10);
  expect(rest.slice(3)).toEqual([' sea shells by the s', '[ 2, 10, 10 ]', 'true']);
});

test('the example of sequences does what it says', () => {
  const readme = readFileSync(new URL('wasm/README.md', root), 'utf8');
  const [, example] = /```js\n((?:(?!```).)*sequenceTrainer.*?)```/su.exec(readme) ?? [];
  const begin = "import { loadTril } from 'tril/training';\nconst tril = await loadTril();\n";
  const [, said] = /console\.log\(trainer\.translate.*?\); \/\/ (.*)/u.exec(example ?? '') ?? [];
  expect(linesOf('sequences.mjs', example && begin + example)).toEqual([said]);
});

test.each([
  ['graphs', 'whyText'],
  ['programs', 'runProgram'],
  ['exercises', 'checkExercise'],
])('the example of %s prints what stands below it', (name, call) => {
  const readme = readFileSync(new URL('wasm/README.md', root), 'utf8');
  const block = new RegExp(
    `\`\`\`js\n((?:(?!\`\`\`).)*${call}.*?)\`\`\`\n\n\`\`\`text\n(.*?)\n\`\`\``,
    'su',
  );
  const [, example, printed] = block.exec(readme) ?? [];
  expect(linesOf(`${name}.mjs`, example)).toEqual(printed?.split('\n'));
});
