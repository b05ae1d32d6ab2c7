// tril train: its memory follows the formula of native/bench/README.md.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from './program.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tril-memory-'));
  // Arbitrary bytes: all 256 are tokens.
  const bytes = Uint8Array.from({ length: 60000 }, (_, i) => (i * i * 40503) >>> 8);
  writeFileSync(join(folder, 'text'), bytes);
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Sizes {
  readonly family: 'gpt2' | 'llama';
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly width: number;
  readonly hidden: number;
  readonly context: number;
  readonly batch: number;
}

/** The memory in bytes: parameters with gradients and moments, activations, working memory of the backward pass. */
function formula({ family, layers: L, heads: H, kvHeads, ...sizes }: Sizes) {
  const { width: C, hidden: F, context, batch } = sizes;
  const [N, V, Ek] = [batch * context, 256, (C / H) * kvHeads];
  if (family === 'gpt2') {
    const layer = 4 * C * C + 2 * C * F + 9 * C + F;
    const P = (V + context) * C + L * layer + 2 * C;
    return 16 * P + 4 * N * (L * (8 * C + 2 * F + H + 4) + 2 * C + 2 + V) + 4 * N * (2 * C + F);
  }
  const P = 2 * V * C + L * (2 * C * (C + Ek) + 3 * C * F + 2 * C) + C;
  const saved = L * (6 * C + 2 * Ek + 3 * F + H + 2) + 2 * C + 1 + V;
  return 16 * P + 4 * N * saved + 4 * N * (2 * C + 3 * F);
}

/** The peak resident memory in bytes, as Linux counts it. */
async function measured(name: string, sizes: Sizes): Promise<number> {
  const { family, layers, heads, kvHeads, width, hidden, context, batch } = sizes;
  const options = {
    ...{ family, layers, heads, 'kv-heads': kvHeads, width, hidden, context, batch, steps: 3 },
    ...{ tokenizer: 'bytes', sample: 0, threads: 1, data: join(folder, 'text') },
    output: join(folder, name),
  };
  const words = Object.entries(options).flatMap(([key, value]) => [`--${key}`, `${value}`]);
  const child = spawn(program, ['train', ...words], { stdio: 'ignore' });
  let code: number | null | undefined;
  child.on('close', (number) => (code = number));
  let most = 0;
  while (code === undefined) {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      most = Math.max(most, Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // The process has ended.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(code).toBe(0);
  return most;
}

// The weights are small compared with the rest here, and so are their packed copies, which the formula ignores.
const models: readonly (readonly [string, Sizes])[] = [
  [
    'gpt2',
    {
      ...{ family: 'gpt2', layers: 4, heads: 4, kvHeads: 4, width: 64, hidden: 256 },
      ...{ context: 128, batch: 32 },
    },
  ],
  [
    'llama',
    {
      ...{ family: 'llama', layers: 4, heads: 4, kvHeads: 2, width: 64, hidden: 176 },
      ...{ context: 64, batch: 48 },
    },
  ],
];

describe.skipIf(!existsSync('/proc/self/status'))('memory', () => {
  it('is what the formula says, within 5 %, for the program besides', async () => {
    const tiny: Sizes = {
      ...{ family: 'gpt2', layers: 1, heads: 1, kvHeads: 1, width: 16, hidden: 64 },
      ...{ context: 8, batch: 1 },
    };
    const own = (await measured('tiny', tiny)) - formula(tiny);
    for (const [name, sizes] of models) {
      const found = (await measured(name, sizes)) - own;
      expect(found / formula(sizes), name).toBeGreaterThan(0.95);
      expect(found / formula(sizes), name).toBeLessThan(1.05);
    }
  });
});
