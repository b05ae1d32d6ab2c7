// Opens chapter "Check", and makes its inputs: files, tensors for them, and PyTorch's own.
import { readFileSync } from 'node:fs';
import type { Tensor, Tril } from 'tril';
import { test as base } from './fixtures.ts';
import { placeOf } from './places.ts';

export const test = base.extend<{ open: (query?: Record<string, string>) => Promise<void> }>({
  open: async ({ page }, use) => {
    await use(async (query = {}) => {
      const hash = new URLSearchParams(query).toString();
      await page.goto('about:blank');
      await page.goto(placeOf(`check${hash ? `?${hash}` : ''}`));
      await page.locator('[data-variant]').waitFor();
    });
  },
});

export const golden = (path: string) =>
  readFileSync(new URL(`../golden/${path}.npy`, import.meta.url));

export interface Files {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}
export const file = (name: string, bytes: Uint8Array | string): Files => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes),
});

export function heads(core: Tril, tokens = 7): Record<'q' | 'k' | 'v', Tensor> {
  const [q, k, v] = [11, 12, 13].map((seed) => core.randomNormal([2, 3, tokens, 4], { seed }));
  return { q, k, v };
}
