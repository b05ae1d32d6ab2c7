// The cache for decoding: the results of a single attention call, in place, and wrong input.
import {
  loadTril,
  TrilError,
  type DecoderBlockWeights,
  type KeyValueCache,
  type Tensor,
} from 'tril';
import { loadTril as loadRemote } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { asTensors, C, decoderWeights, H as heads } from './block-reference.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { attentionTolerance, epsilon, expectClose } from './reference.js';

const [B, H, Hk, T, D] = [2, 4, 2, 9, 8];
const random = (seed: number, ...shape: number[]) => tril.randomUniform(shape, { seed, low: -1 });

/** Rows [from, to) of axis 2 of a tensor [B, H, T, D], or of axis 1 of [B, T, C]. */
function tokens(tensor: ReturnType<typeof random>, from: number, to: number) {
  const time = tensor.rank - 2;
  const [length, width] = tensor.shape.slice(time) as [number, number];
  const all = tensor.read();
  const blocks = tensor.size / (length * width);
  const parts = Array.from({ length: blocks }, (_, n) => [
    ...all.slice((n * length + from) * width, (n * length + to) * width),
  ]);
  const shape = [...tensor.shape.slice(0, time), to - from, width];
  return tril.tensor(shape, parts.flat());
}

// Two results that differ in the order of their sums: each has the error of one.
const tolerance = 2 * attentionTolerance;
/** The tolerance of multiHeadAttention's tests, for each of the two results. */
const moduleTolerance = 2 * 64 * epsilon;

describe('keyValueCache', () => {
  it('decodes token by token what attention gives at once', () => {
    withoutLeak(() => {
      const [q, k, v] = [random(1, B, H, T, D), random(2, B, Hk, T, D), random(3, B, Hk, T, D)];
      const cache = tril.keyValueCache({ batch: B, heads: Hk, width: D, capacity: T });
      const whole = tril.attention(q, k, v, { causal: true }).output;
      const decoded = (sizes: readonly number[]) => {
        cache.rewind(0);
        let from = 0;
        for (const size of sizes) {
          const part = (tensor: typeof q) => tokens(tensor, from, from + size);
          const options = { causal: true, past: cache } as const;
          const { output, ...rest } = tril.attention(part(q), part(k), part(v), options);
          expect(rest).toEqual({});
          expectClose(output.read(), tokens(whole, from, from + size).read(), tolerance);
          from += size;
          expect(cache.length).toBe(from);
        }
      };
      decoded(Array<number>(T).fill(1));
      decoded([4, 1, 3, 1]);
      cache.rewind(0);
      const again = tril.attention(q, k, v, { causal: true, past: cache }).output;
      expect(again.read()).toEqual(whole.read());
      cache.dispose();
      cache.dispose();
    });
  });

  it('takes heads side by side, and one head without axes', () => {
    withoutLeak(() => {
      const [q, k] = [random(1, T, H * D), random(2, T, Hk * D)];
      const packed = tril.keyValueCache({ heads: Hk, width: D, capacity: T });
      const options = { heads: H, kvHeads: Hk, causal: true } as const;
      const expected = tril.attention(q, k, k, options).output.read();
      const { output } = tril.attention(q, k, k, { ...options, past: packed });
      expect(output.read()).toEqual(expected);
      const single = tril.keyValueCache({ width: D, valueWidth: 3, capacity: 2 * T });
      const [x, y] = [random(3, T, D), random(4, T, 3)];
      tril.attention(x, x, y, { past: single });
      const traced = tril.attention(x, x, y, { past: single, trace: true }).trace;
      expect(traced.weights.shape).toEqual([T, 2 * T]);
      packed.dispose();
      single.dispose();
    });
  });

  it('keeps a context, which multiHeadAttention then projects once', () => {
    withoutLeak(() => {
      const C = H * D;
      const weights = { in_proj_weight: random(1, 3 * C, C), 'out_proj.weight': random(2, C, C) };
      const [x, context, nothing] = [random(3, B, T, C), random(4, B, 5, C), tril.zeros([B, 0, C])];
      const cache = tril.keyValueCache({ batch: B, heads: H, width: D, capacity: 5 });
      for (let t = 0; t < T; ++t) {
        const query = tokens(x, t, t + 1);
        const { output } = tril.multiHeadAttention(query, weights, { heads: H, context });
        const more = t === 0 ? context : nothing;
        const options = { heads: H, context: more, past: cache };
        const made = tril.multiHeadAttention(query, weights, options).output;
        expect(made.read()).toEqual(output.read());
        expect(cache.length).toBe(5);
      }
      cache.dispose();
    });
  });

  it('serves multiHeadAttention, with rotated queries and keys', () => {
    withoutLeak(() => {
      const C = H * D;
      const scale = 1 / Math.sqrt(C);
      const weight = (seed: number, rows: number) =>
        tril.tensor(
          [rows, C],
          random(seed, rows, C)
            .read()
            .map((w) => w * scale),
        );
      const weights = { in_proj_weight: weight(1, 3 * C), 'out_proj.weight': weight(2, C) };
      const x = random(3, B, T, C);
      for (const rotary of [
        undefined,
        { base: 100 },
        { width: 4, pairs: 'interleaved' },
      ] as const) {
        const options = { heads: H, causal: true, ...(rotary && { rotary }) };
        const whole = tril.multiHeadAttention(x, weights, options).output;
        const cache = tril.keyValueCache({ batch: B, heads: H, width: D, capacity: T });
        for (let t = 0; t < T; ++t) {
          const with_ = { ...options, past: cache, needWeights: true, trace: true } as const;
          const made = tril.multiHeadAttention(tokens(x, t, t + 1), weights, with_);
          expectClose(made.output.read(), tokens(whole, t, t + 1).read(), moduleTolerance);
          expect(made.weights.shape).toEqual([B, 1, t + 1]);
          expect(made.trace.keys.shape).toEqual([B, H, 1, D]);
          expect(made.trace.scores.shape).toEqual([B, H, 1, t + 1]);
        }
        expect(cache.length).toBe(T);
        cache.dispose();
      }
    });
  });

  it('serves blocks, whose tokens and memory it keeps', () => {
    withoutLeak(() => {
      const state = asTensors<DecoderBlockWeights>(decoderWeights(1));
      const { x, memory, nothing } = {
        x: random(1, 2, 5, C),
        memory: random(2, 2, 4, C),
        nothing: tril.zeros([2, 0, C]),
      };
      const isOfBlock = ([name]: [string, Tensor]) => !/^multihead|^norm3/.test(name);
      const own = Object.fromEntries(Object.entries(state).filter(isOfBlock));
      for (const norm of ['post', 'pre'] as const) {
        const options = { heads, norm, causal: true } as const;
        const block = tril.transformerBlock(x, own, options).output;
        const decoder = tril.decoderBlock(x, memory, state, options).output;
        const cache = () => tril.keyValueCache({ batch: 2, heads, width: C / heads, capacity: 5 });
        const [past, ofDecoder, memoryPast] = [cache(), cache(), cache()];
        for (let t = 0; t < 5; ++t) {
          const token = tokens(x, t, t + 1);
          const one = tril.transformerBlock(token, own, { ...options, past, trace: true });
          expectClose(one.output.read(), tokens(block, t, t + 1).read(), moduleTolerance);
          expect(one.trace.weights.shape).toEqual([2, heads, 1, t + 1]);
          expect(one.trace.keys.shape).toEqual([2, heads, 1, C / heads]);
          const caches = { past: ofDecoder, memoryPast, trace: true } as const;
          const from = t === 0 ? memory : nothing;
          const next = tril.decoderBlock(token, from, state, { ...options, ...caches });
          expectClose(next.output.read(), tokens(decoder, t, t + 1).read(), moduleTolerance);
          expect(next.trace.weights.shape).toEqual([2, heads, 1, t + 1]);
          expect(next.trace.crossAttention.weights.shape).toEqual([2, heads, 1, 4]);
        }
        expect([past.length, ofDecoder.length, memoryPast.length]).toEqual([5, 5, 4]);

        const refuse = (more: object, argument: string, says: string) =>
          expectRefused(() => tril.decoderBlock(x, memory, state, { ...options, ...more }), {
            call: 'decoderBlock',
            argument,
            says,
          });
        refuse({ past }, 'past', 'a capacity of 5 tokens and holds 5; 5 more do not fit');
        refuse({ memoryPast }, 'memoryPast', 'holds 4; 4 more do not fit');
        refuse({ memoryPast: 1 }, 'memoryPast', 'must be a cache');
        past.rewind(0);
        refuse({ past, memoryPast }, 'memoryPast', 'holds 4; 4 more do not fit');
        expect(past.length).toBe(0);
        const wide = tril.keyValueCache({ batch: 2, heads: 1, width: C, capacity: 5 });
        const body = () => tril.transformerBlock(x, own, { ...options, past: wide });
        const says = `holds keys [2, 1, 5, ${C}], those to append are [2, ${heads}, 5, ${C / heads}]`;
        expectRefused(body, { call: 'transformerBlock', argument: 'past', says });
        for (const each of [past, ofDecoder, memoryPast, wide]) each.dispose();
        expectRefused(() => tril.transformerBlock(x, own, { ...options, past }), {
          call: 'transformerBlock',
          argument: 'past',
          says: 'has been disposed',
        });
      }
    });
  });

  it('counts as memory until it is disposed, by hand or with its scope', () => {
    withoutLeak(() => {
      const { bytes } = tril.memory();
      const cache = tril.keyValueCache({
        batch: 2,
        heads: 3,
        width: 4,
        valueWidth: 5,
        capacity: 6,
      });
      expect(tril.memory().bytes - bytes).toBe(4 * 2 * 3 * 6 * (4 + 5));
      expect(String(cache)).toBe('KeyValueCache [2, 3, 6, 4]');
      cache.dispose();
      expect(cache.disposed).toBe(true);
      expect(() => cache.length).toThrow('has been disposed');
      const inner: KeyValueCache[] = [];
      const kept = tril.scope(() => {
        inner.push(tril.keyValueCache({ width: 1, capacity: 1 }));
        return { cache: tril.keyValueCache({ width: 2, capacity: 1 }) };
      });
      expect(inner[0]!.disposed).toBe(true);
      expect(kept.cache.length).toBe(0);
      kept.cache.dispose();
      expect(tril.memory().bytes).toBe(bytes);
    });
  });

  it('refuses what does not fit, and stays as it was', async () => {
    const other = await loadTril({ variant: 'simd' });
    withoutLeak(() => {
      const sizes = { batch: B, heads: Hk, width: D, capacity: 4 };
      const refuseSizes = (changed: object, argument: string, says: string | RegExp) =>
        expectRefused(() => tril.keyValueCache({ ...sizes, ...changed }), {
          call: 'keyValueCache',
          argument,
          says,
        });
      refuseSizes({ width: undefined }, 'width', 'must be given');
      refuseSizes({ capacity: 0 }, 'capacity', 'of at least 1, is 0');
      refuseSizes({ heads: 1.5 }, 'heads', 'whole number');
      refuseSizes({ depth: 3 }, 'depth', 'unknown size "depth"');
      refuseSizes({ capacity: 2 ** 31 - 1 }, 'capacity', /too large to address|memory/);

      const cache = tril.keyValueCache(sizes);
      const [q, k] = [random(1, B, H, 3, D), random(2, B, Hk, 3, D)];
      tril.attention(q, k, k, { past: cache });
      const out = tril.zeros([B, H, 3, D]);
      const refuse = (options: object, argument: string, says: string | RegExp, key = k) => {
        const body = () => tril.attention(q, key, key, { past: cache, out, ...options });
        expectRefused(body, { call: 'attention', argument, says, out });
        expect(cache.length).toBe(3);
      };
      refuse({}, 'past', 'a capacity of 4 tokens and holds 3; 3 more do not fit');
      refuse({}, 'past', 'holds keys [2, 2, 3, 8], those to append are [2, 4, 3, 8]', q);
      cache.rewind(1);
      tril.attention(tokens(q, 0, 2), tokens(k, 0, 2), tokens(k, 0, 2), { past: cache });
      cache.rewind(1);
      const refuseOne = (options: object, argument: string, says: string | RegExp) => {
        const body = () => tril.attention(q, k, k, { past: cache, ...options });
        expectRefused(body, { call: 'attention', argument, says });
        expect(cache.length).toBe(1);
      };
      refuseOne({ scale: NaN }, 'scale', 'finite');
      refuseOne({ keyLengths: [1, 2] }, 'keyLengths', 'cannot both be given');
      refuseOne({ past: 3 }, 'past', 'must be an object');
      expectRefused(() => cache.rewind(2), {
        call: 'rewind',
        argument: 'length',
        says: 'from 0 to the 1 tokens',
      });
      expectRefused(() => cache.rewind(-1), {
        call: 'rewind',
        argument: 'length',
        says: 'at least 0',
      });
      const foreign = other.keyValueCache(sizes);
      refuseOne({ past: foreign }, 'past', 'belongs to another loaded module');
      foreign.dispose();
      const x = random(3, B, 1, H * D);
      const weights = {
        in_proj_weight: random(4, 3 * H * D, H * D),
        'out_proj.weight': random(5, H * D, H * D),
      };
      const refuseModule = (options: object, argument: string, says: string) => {
        const body = () =>
          tril.multiHeadAttention(x, weights, { heads: H, past: cache, ...options });
        expectRefused(body, { call: 'multiHeadAttention', argument, says });
      };
      refuseModule({}, 'past', 'holds keys [2, 2, 1, 8]');
      refuseModule({ past: { key: k, value: k } }, 'past', 'must be a cache');
      refuseModule({ past: undefined, rotary: { width: 3 } }, 'rotary.width', 'must be even');
      refuseModule(
        { past: undefined, rotary: { pairs: 'both' } },
        'rotary.pairs',
        'there are halves, interleaved',
      );
      cache.dispose();
      expectRefused(() => tril.attention(q, k, k, { past: cache }), {
        call: 'attention',
        argument: 'past',
        says: 'has been disposed',
      });
    });
  });

  it('lives in a Worker as well', async () => {
    const remote = await loadRemote({ variant: 'simd' });
    try {
      const q = await remote.randomNormal([1, H, 3, D], { seed: 1 });
      const k = await remote.randomNormal([1, Hk, 3, D], { seed: 2 });
      const before = (await remote.memory()).bytes;
      const cache = await remote.keyValueCache({ heads: Hk, width: D, capacity: 7 });
      expect(cache.sizes).toEqual({ batch: 1, heads: Hk, width: D, valueWidth: D, capacity: 7 });
      const first = await remote.attention(q, k, k, { causal: true, past: cache });
      const whole = await remote.attention(q, k, k, { causal: true });
      expect(await first.output.read()).toEqual(await whole.output.read());
      const second = await remote.attention(q, k, k, { causal: true, past: cache });
      expect(await cache.length()).toBe(6);
      await expect(remote.attention(q, k, k, { past: cache })).rejects.toThrow(TrilError);
      expect(await (await cache.rewind(2)).length()).toBe(2);
      const x = await remote.tensor([3, H * D], new Float32Array(3 * H * D).fill(0.5));
      const state = {
        'self_attn.in_proj_weight': await remote.zeros([3 * H * D, H * D]),
        'self_attn.out_proj.weight': await remote.zeros([H * D, H * D]),
        'linear1.weight': await remote.zeros([1, H * D]),
        'linear2.weight': await remote.zeros([H * D, 1]),
      };
      const past = await remote.keyValueCache({ heads: H, width: D, capacity: 7 });
      const decoded = await remote.transformerBlock(x, state, { heads: H, norm: 'pre', past });
      expect(await decoded.output.read()).toEqual(await x.read());
      expect(await past.length()).toBe(3);
      const given = [past, decoded.output, x, ...Object.values(state)];
      for (const each of given) await each.dispose();
      await cache.dispose();
      await cache.dispose();
      expect(cache.disposed).toBe(true);
      await expect(cache.length()).rejects.toThrow('has been disposed');
      for (const { output } of [first, second, whole]) await output.dispose();
      expect((await remote.memory()).bytes).toBe(before);
    } finally {
      remote.close();
    }
  });
});
