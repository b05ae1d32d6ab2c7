import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadTril } from 'tril';
import { loadTril as loadLessons } from 'tril/lessons';
import { describe, expect, it } from 'vitest';
import { expectWorking } from './helpers.js';

/** Runs a script in Node, with access to its garbage collector, and returns its console output. */
function consoleOf(body: string): string {
  const entry = pathToFileURL(createRequire(import.meta.url).resolve('tril')).href;
  const folder = mkdtempSync(join(tmpdir(), 'tril-memory-'));
  const script = join(folder, 'script.mjs');
  writeFileSync(
    script,
    `import { loadTril } from '${entry}';
     console.warn = console.log;
     const collect = async () => {
       for (let i = 0; i < 5; ++i) {
         globalThis.gc();
         await new Promise((resolve) => setTimeout(resolve, 10));
       }
     };
     ${body}`,
  );
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const output = execFileSync(process.execPath, ['--expose-gc', script], options);
  rmSync(folder, { recursive: true });
  return output;
}

describe('memory', () => {
  it('is where it was after a hundred thousand calls', async () => {
    const tril = await loadTril({ variant: 'simd' });
    const x = tril.randomNormal([8, 8], { seed: 1 });
    const out = tril.zeros([8, 8]);
    const bad = tril.zeros([3, 3]);
    const round = () => {
      tril.matmul(x, x, { out });
      tril.softmax(out, { out });
      tril.relu(x).dispose();
      tril.scope(() => void tril.attention(x, x, x, { causal: true, trace: true }));
      try {
        tril.matmul(x, bad);
      } catch {
        // the refused call may leave nothing behind
      }
    };
    for (let i = 0; i < 1000; ++i) round();
    const before = tril.memory();
    for (let i = 0; i < 20; ++i) {
      for (let j = 0; j < 1000; ++j) round(); // five calls each
      await new Promise(setImmediate); // lets the worker respond, since the runner ends a silent one after a minute
    }
    expect(tril.memory()).toEqual(before);
  });

  it('warns in development of tensors that were forgotten, by the call that made them', () => {
    const output = consoleOf(`
      const tril = await loadTril({ variant: 'simd', development: true });
      const kept = tril.zeros([2, 3]);
      (() => {
        tril.relu(kept);
        tril.scope(() => void tril.zeros([7]));
        tril.zeros([5]).dispose();
      })();
      await collect();
      kept.dispose();
      console.log(tril.memory().tensors);`);
    const lines = output.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^tril: Tensor \[2, 3\], made by relu, was never disposed \(at .*script\.mjs:\d+:\d+\)?/,
    );
    expect(lines[1]).toBe('0');
  });

  it('warns of nothing otherwise', () => {
    const output = consoleOf(`
      const tril = await loadTril({ variant: 'simd' });
      (() => void tril.zeros([2, 3]))();
      await collect();
      console.log(tril.memory().tensors);`);
    expect(output).toBe('0\n');
  });
});

// 65536 * 65536 is 0 in 32 bits: the call would write to memory that it did not allocate.
describe('working memory beyond 32 bits', async () => {
  const tril = await loadLessons({ variant: 'simd' });
  const many = 65536;
  const long = tril.zeros([many, 1]);
  const wide = tril.zeros([1, many]);
  const single = tril.zeros([1, 1]);
  const score = tril.zeros([1]);
  const projections = { in_proj_weight: tril.zeros([3 * many, 1]), 'out_proj.weight': wide };
  const ones = new Float32Array(many).fill(1);
  const out = tril.tensor([many, 1], ones);

  it.each<[string, () => unknown]>([
    ['attention', () => tril.attention(long, long, long, { method: 'full', out })],
    [
      'onlineAttention',
      () => tril.onlineAttention(long, long, long, { blocks: { queries: many, keys: many }, out }),
    ],
    ['linearAttention', () => tril.linearAttention(long, long, long, { order: 'scores_first' })],
    ['linearAttention', () => tril.linearAttention(wide, wide, wide)],
    ['linearAttention', () => tril.linearAttention(wide, wide, wide, { causal: true })],
    ['lowRankAttention', () => tril.lowRankAttention(wide, wide, wide, { e: long, f: long })],
    [
      'additiveAttention',
      () => tril.additiveAttention(long, long, long, { w_q: single, w_k: single, v: score }),
    ],
    ['multiHeadAttention', () => tril.multiHeadAttention(long, projections, { heads: 1 })],
  ])('is refused by %s, and nothing is written', (call, compute) => {
    const { tensors, bytes } = tril.memory();
    expect(compute).toThrow(`${call}: memory: is not enough: working memory takes `);
    expect(tril.memory()).toMatchObject({ tensors, bytes });
    expect(out.read()).toEqual(ones);
    expectWorking(tril);
  });
});
