// Runs each fuzzing target for a while, starting from its corpus: none may crash, leak, hang or break an invariant. A
// fixed seed finds problems of a change; with FUZZ_SECONDS a run takes that long, with another seed each time.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const programs = join(
  process.env.TRIL_FUZZ_BUILD ?? join(root, 'build', 'native-fuzz'),
  ...['tests', 'fuzz'],
);
const seconds = process.env.FUZZ_SECONDS;
const length = seconds ? [`-max_total_time=${seconds}`] : ['-seed=1', '-max_total_time=10'];
const folder = mkdtempSync(join(tmpdir(), 'tril-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const targets = [
  'npy',
  'safetensors',
  'word_vectors',
  'matmul',
  'attention',
  'tokenizer',
  'config',
  'checkpoint',
  'gguf',
];

it.concurrent.each(targets)('%s', async (name) => {
  const corpus = join(root, 'tests', 'fuzz', 'corpus', name);
  const found = mkdtempSync(join(folder, name)); // new inputs go here, not into the corpus
  const args = [found, corpus, ...length, '-timeout=10', '-rss_limit_mb=2048'];
  const child = spawn(join(programs, `${name}_fuzz`), args, {
    cwd: found, // a failing input is left here
    env: { ...process.env, UBSAN_OPTIONS: 'print_stacktrace=1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const said = output.replaceAll(/^#\d+\t.*\n/gm, ''); // removes its progress
  const inputs = readdirSync(found).filter((file) => /^(crash|leak|oom|timeout)-/.test(file));
  const kept = inputs.map((file) => `${file}: ${readFileSync(join(found, file), 'base64')}\n`);
  expect(code, said.slice(-8000) + kept.join('')).toBe(0);
  expect(output).toMatch(/Done \d+ runs/);
});
