// The core's tests compare costs with counted loops; these tests compare the package's with closed forms.
import type { Tril } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';

const float = 4;

describe('cost', () => {
  it('of products and layers is that of their loops', () => {
    expect(tril.cost.matmul({ batches: 3, rows: 4, depth: 5, cols: 6 })).toEqual({
      flops: 3 * 2 * 4 * 5 * 6,
      inputBytes: float * 3 * (4 * 5 + 5 * 6),
      outputBytes: float * 3 * 4 * 6,
      bytes: float * 3 * (4 * 5 + 5 * 6 + 4 * 6),
      heldBytes: 0,
    });
    expect(tril.cost.linear({ rows: 2, in: 3, out: 5 }).flops).toBe(2 * 2 * 3 * 5 + 2 * 5);
    expect(tril.cost.linear({ rows: 2, in: 3, out: 5, bias: false }).flops).toBe(2 * 2 * 3 * 5);
    expect(tril.cost.softmax({ rows: 7, length: 11 }).flops).toBe(5 * 7 * 11);
    expect(tril.cost.softmax({ rows: 7, length: 11, stable: false }).flops).toBe(3 * 7 * 11);
    expect(tril.cost.activation({ count: 7, activation: 'silu' })).toEqual({
      ...{ flops: 3 * 7, inputBytes: float * 7, outputBytes: float * 7 },
      ...{ bytes: float * 14, heldBytes: 0 },
    });
    expect(tril.cost.layerNorm({ rows: 7, width: 11 }).flops).toBe(7 * (8 * 11 + 5));
    expect(tril.cost.layerNorm({ rows: 7, width: 11, affine: false }).flops).toBe(7 * (6 * 11 + 5));
    const feed = tril.cost.feedForward({ rows: 3, width: 4, hidden: 8, activation: 'silu' });
    expect(feed.flops).toBe(2 * (2 * 3 * 4 * 8) + 3 * 8 + 3 * 4 + 3 * 3 * 8);
    expect(feed.heldBytes).toBe(float * 3 * 8);
  });

  it('of a product is exact where 32 bits are not enough, and Strassen does it with less', () => {
    const n = 100_000;
    const sizes = { rows: n, depth: n, cols: n };
    expect(tril.cost.matmul(sizes).flops).toBe(2 * n ** 3);
    expect(tril.cost.matmul({ ...sizes, method: 'strassen' }).flops).toBeLessThan(1.6 * n ** 3);
  });

  it('of Strassen is by the levels that are given', () => {
    const flops = (levels: number) =>
      tril.cost.matmul({ rows: 8, depth: 8, cols: 8, method: 'strassen', levels }).flops;
    expect(flops(0)).toBe(2 * 8 ** 3);
    expect(flops(1)).toBe(7 * 2 * 4 ** 3 + 18 * 4 ** 2);
    expect(flops(2)).toBe(7 * (7 * 2 * 2 ** 3 + 18 * 2 ** 2) + 18 * 4 ** 2);
  });

  it('adds up, and makes rates with what is measured', () => {
    const [one, other] = [4, 16].map((width) => tril.cost.layerNorm({ rows: 2, width }));
    const feed = tril.cost.feedForward({ rows: 2, width: 3, hidden: 5 });
    const sum = tril.cost.sum([one!, feed, other!]);
    expect(sum).toEqual({
      flops: one!.flops + feed.flops + other!.flops,
      inputBytes: one!.inputBytes + feed.inputBytes + other!.inputBytes,
      outputBytes: one!.outputBytes + feed.outputBytes + other!.outputBytes,
      bytes: one!.bytes + feed.bytes + other!.bytes,
      heldBytes: feed.heldBytes,
    });
    const attends = tril.cost.attention({ queries: 2, keys: 2, width: 2 });
    expect(tril.cost.sum([attends])).not.toHaveProperty('scores');
    expect(tril.cost.intensity(12, 8)).toBe(1.5);
    expect(tril.cost.gigaflops(3e9, 500)).toBe(6);
    expect(tril.cost.ratio(3, 4)).toBe(0.75);
  });

  it('of attention depends on method and mask', () => {
    const sizes = { heads: 8, queries: 512, keys: 512, width: 64 };
    const pairs = 8 * 512 * 512;
    const full = tril.cost.attention({ ...sizes, method: 'full' });
    expect(full).toEqual({
      flops: pairs * (2 * 64 + 1 + 5 + 2 * 64),
      scores: pairs,
      inputBytes: float * 3 * 8 * 512 * 64,
      outputBytes: float * 8 * 512 * 64,
      bytes: float * 4 * 8 * 512 * 64,
      heldBytes: float * 512 * 512,
    });
    const blocked = tril.cost.attention({ ...sizes, method: 'blocked', causal: true });
    // Blocks of 64 queries see 64, 128, ... keys.
    expect(blocked.scores).toBe(8 * 64 * 64 * ((8 * 9) / 2));
    expect(blocked.heldBytes).toBe(float * 64 * 512);
    const online = tril.cost.attention({ ...sizes, method: 'online', causal: true });
    expect(online.scores).toBe(blocked.scores);
    expect(online.heldBytes).toBe(float * 64 * (128 + 3));
    const small = { ...sizes, method: 'online', blocks: { queries: 2, keys: 4 } } as const;
    expect(tril.cost.attention(small).heldBytes).toBe(float * 2 * (4 + 3));
    expect(tril.cost.attention({ ...small, causal: true }).scores).toBeLessThan(online.scores);
    const long = { heads: 1, queries: 16384, keys: 16384, width: 64, method: 'online' } as const;
    expect(tril.cost.attention(long).heldBytes).toBe(online.heldBytes);
    const mask = tril.mask.padding([100]);
    expect(tril.cost.attention({ ...sizes, mask, method: 'full' }).scores).toBe(8 * 512 * 100);
    const capped = tril.cost.attention({ ...sizes, method: 'full', softcap: 5 });
    expect(capped.flops).toBe(full.flops + 3 * pairs);
    const past = { queries: 1, keys: 10, width: 1, causal: true };
    expect(tril.cost.attention({ ...past, past: 9 }).scores).toBe(10);
    expect(tril.cost.attention({ ...past, keyLengths: [4] }).scores).toBe(4);
  });

  it('of the other forms of attention, of several heads and of the block', () => {
    const sizes = { queries: 7, keys: 9, width: 4, valueWidth: 3 };
    expect(tril.cost.linearAttention({ ...sizes, normalise: false }).flops).toBe(
      2 * 4 * (7 + 9) + 2 * 4 * 3 * (7 + 9),
    );
    expect(
      tril.cost.linearAttention({
        ...{ ...sizes, normalise: false, featureMap: 'identity', order: 'scores_first' },
      } as const).flops,
    ).toBe(2 * 7 * 9 * (4 + 3));
    const { scores, ...linear } = { scores: undefined, ...tril.cost.linearAttention(sizes) };
    expect(scores).toBeUndefined();
    expect(Object.keys(linear)).toHaveLength(5);
    expect(tril.cost.lowRankAttention({ ...sizes, rank: 2 }).scores).toBe(14);
    const additive = { batches: 2, queries: 7, keys: 9, width: 5, units: 11 };
    expect(tril.cost.additiveAttention({ ...additive, keyWidth: 6, valueWidth: 4 })).toEqual({
      flops: 2 * (2 * 11 * (7 * 5 + 9 * 6) + 7 * 9 * (4 * 11 + 5 + 2 * 4)),
      scores: 2 * 7 * 9,
      inputBytes: float * (2 * (7 * 5 + 9 * (6 + 4)) + 11 * (5 + 6 + 1)),
      outputBytes: float * 2 * 7 * 4,
      bytes: float * (2 * (7 * 5 + 9 * (6 + 4) + 7 * 4) + 11 * (5 + 6 + 1)),
      heldBytes: float * (11 * (7 + 9) + 7 * 9),
    });
    expect(tril.cost.additiveAttention(additive)).toEqual(
      tril.cost.additiveAttention({ ...additive, keyWidth: 5, valueWidth: 5 }),
    );
    const heads = tril.cost.multiHeadAttention({ queries: 5, width: 8, heads: 2 });
    const attends = tril.cost.attention({ heads: 2, queries: 5, keys: 5, width: 4 }).flops;
    expect(heads.flops).toBe(4 * (2 * 5 * 8 * 8 + 5 * 8) + attends);
    const cross = tril.cost.multiHeadAttention({ queries: 5, keys: 3, width: 8, heads: 2 });
    expect(cross.scores).toBe(2 * 5 * 3);
    const block = { tokens: 5, width: 8, heads: 2, hidden: 16 };
    expect(tril.cost.transformerBlock(block).flops).toBe(
      heads.flops +
        tril.cost.feedForward({ rows: 5, width: 8, hidden: 16 }).flops +
        2 * tril.cost.layerNorm({ rows: 5, width: 8 }).flops +
        2 * 5 * 8,
    );
  });

  it('says what calls hold, which they take besides what they pack', () => {
    withoutLeak(() => {
      const x = tril.randomNormal([600, 16], { seed: 1 });
      for (const method of ['full', 'blocked', 'online'] as const) {
        tril.workingMemory({ reset: true });
        tril.attention(x, x, x, { method });
        const { bytes, peakBytes } = tril.workingMemory();
        const sizes = { queries: 600, keys: 600, width: 16 };
        const { heldBytes } = tril.cost.attention({ ...sizes, method });
        expect(bytes).toBeGreaterThanOrEqual(peakBytes);
        expect(peakBytes).toBeGreaterThanOrEqual(heldBytes);
        // Packed keys and values, room for whole panels of 16, and rows of scores that end with a cache line or two,
        // next to each row's number of visible keys, its maximum, its sum and a factor: 20 bytes.
        const rows = method === 'full' ? 600 : 64;
        const packed = float * (2 * 608 * 16 + 64 * 16);
        expect(peakBytes).toBeLessThanOrEqual(heldBytes + packed + rows * (float * 32 + 20) + 512);
      }
      expect(tril.workingMemory({ reset: true }).peakBytes).toBeGreaterThan(0);
      expect(tril.workingMemory().peakBytes).toBe(0);
    });
  });

  it('is refused for sizes that are none', () => {
    const bad = (body: () => unknown, call: string, argument: string, says: string) =>
      expectRefused(body, { call, argument, says });
    const { cost } = tril;
    bad(() => cost.matmul({ rows: 0, depth: 1, cols: 1 }), 'cost.matmul', 'rows', 'at least 1');
    bad(() => cost.matmul({ rows: 1, depth: 1 } as never), 'cost.matmul', 'cols', 'is undefined');
    bad(
      () => cost.matmul({ rows: 1, depth: 1, cols: 1, method: 'quick' as 'ijk' }),
      ...(['cost.matmul', 'method', 'unknown method "quick"'] as const),
    );
    bad(
      () => cost.softmax({ rows: 1, len: 2 } as never),
      'cost.softmax',
      'len',
      'there are: rows, length',
    );
    bad(() => cost.softmax(null as never), 'cost.softmax', 'sizes', 'must be an object');
    bad(
      () => cost.matmul({ rows: 1, depth: 1, cols: 1, levels: 1 }),
      ...(['cost.matmul', 'levels', 'only strassen has levels'] as const),
    );
    bad(
      () => cost.activation({ count: 1, activation: 'tanh' as 'relu' }),
      ...(['cost.activation', 'activation', 'unknown activation "tanh"'] as const),
    );
    bad(() => cost.sum([]), 'cost.sum', 'costs', 'one or more');
    bad(() => cost.sum([{ flops: '1' } as never]), 'cost.sum', 'flops', 'must be a number, is "1"');
    bad(() => cost.sum([null as never]), 'cost.sum', 'flops', 'must be');
    bad(() => cost.intensity(1, 0), 'cost.intensity', 'bytes', 'more than 0, is 0');
    bad(() => cost.gigaflops(-1, 1), 'cost.gigaflops', 'flops', 'at least 0, is -1');
    bad(() => cost.gigaflops(1, null as never), 'cost.gigaflops', 'milliseconds', 'a number');
    bad(() => cost.ratio(1, NaN), 'cost.ratio', 'of', 'must be finite');
    bad(() => cost.multiHeadAttention(null as never), 'cost.multiHeadAttention', 'sizes', 'null');
    const sizes = { heads: 4, kvHeads: 3, queries: 1, keys: 1, width: 1 };
    bad(() => cost.attention(sizes), 'cost.attention', 'kvHeads', '3 does not divide the 4 heads');
    const wide = { queries: 1, keys: 1, width: 1, valueWidth: 0 };
    bad(() => cost.attention(wide), 'cost.attention', 'valueWidth', 'at least 1, is 0');
    const none = { queries: 1, keys: 1, width: 1, blocks: { keys: 0 } };
    bad(() => cost.attention(none), 'cost.attention', 'blocks.keys', 'at least 1, is 0');
    const one = { queries: 1, keys: 1, width: 1 };
    const additive = 'cost.additiveAttention';
    bad(() => cost.additiveAttention({ ...one, units: 0 }), additive, 'units', 'at least 1, is 0');
    bad(() => cost.additiveAttention(one as never), additive, 'units', 'is undefined');
    const narrow = { ...one, keyWidth: 0, units: 1 };
    bad(() => cost.additiveAttention(narrow), additive, 'keyWidth', 'at least 1, is 0');
    bad(
      () => cost.attention({ ...one, past: 2 }),
      'cost.attention',
      'past',
      'from 0 to the 1 keys',
    );
    bad(
      () => cost.attention({ ...one, mask: tril.mask.padding([1, 1]) }),
      ...(['cost.attention', 'mask', '2 lengths for 1 batches'] as const),
    );
    bad(
      () => cost.transformerBlock({ tokens: 1, width: 6, heads: 4, hidden: 1 }),
      ...(['cost.transformerBlock', 'heads', '4 do not divide the width 6'] as const),
    );
    const reset = 1 as unknown as boolean;
    bad(() => (tril as Tril).workingMemory({ reset }), 'workingMemory', 'reset', 'true or false');
  });
});
