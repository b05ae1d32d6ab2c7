// Float16Array, which browsers have before Node: reading into it, writing from it, and the browser's rounding against
// the core's.
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.ts';

const built = fileURLToPath(new URL('../../wasm/dist/', import.meta.url));

test('halves go in and out, and are rounded as the browser rounds them', async ({ page }) => {
  await page.route('**/float16/**', (route) => {
    const name = new URL(route.request().url()).pathname.split('/float16/')[1];
    if (name) return route.fulfill({ path: built + name });
    return route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><link rel="icon" href="data:," />',
    });
  });
  await page.goto('./float16/');
  const found = await page.evaluate(async () => {
    const address = './index.js';
    const { loadTril } = (await import(address)) as typeof import('tril');
    // TypeScript's library for ES2022 lacks it.
    const Half = (globalThis as unknown as { Float16Array?: typeof Float32Array }).Float16Array;
    if (!Half) return undefined;
    const tril = await loadTril({ variant: 'simd' });
    const all = new Half(Uint16Array.from({ length: 65536 }, (_, bits) => bits).buffer);
    const back = tril.tensor(all).read(new Half(65536));
    const normal = tril.randomNormal([100_000], { seed: 1 });
    const file = tril.writeNpy(normal, { dtype: 'float16' });
    const ours = new Uint16Array(file.slice(-200_000).buffer);
    const theirs = new Uint16Array(Half.from(normal.read()).buffer);
    return {
      halvesThatChange: all.filter((half, i) => !Object.is(half, back[i])).length,
      roundedOtherwise: ours.filter((bits, i) => bits !== theirs[i]).length,
      counts: [ours.length, theirs.length],
    };
  });
  test.skip(!found, 'this browser has no Float16Array');
  expect(found).toEqual({
    halvesThatChange: 0,
    roundedOtherwise: 0,
    counts: [100_000, 100_000],
  });
});
