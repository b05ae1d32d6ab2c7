import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';
import { attention, attentionTolerance, epsilon, expectClose, randomMatrix } from './reference.js';

const [queries, keys, width, valueWidth] = [11, 13, 4, 3];
const [q, k, v] = [
  randomMatrix(queries, width, 1),
  randomMatrix(keys, width, 2),
  randomMatrix(keys, valueWidth, 3),
];
const blocks = { queries: 4, keys: 5 };

describe('onlineAttention', () => {
  it('follows the recurrence of its definition, block by block of keys', () => {
    withoutLeak(() => {
      const tensors = [q, k, v].map((x) => tril.tensor(x));
      const { output, trace } = tril.onlineAttention(
        ...(tensors as [(typeof tensors)[0], (typeof tensors)[0], (typeof tensors)[0]]),
        { blocks, causal: true, scale: 2, trace: true },
      );
      const expected = attention(q, k, v, (t, s) => s <= t, 2);
      expectClose(output.read(), expected.output.flat(), attentionTolerance);
      expect(trace.maximum.shape).toEqual([queries, 3]);
      expect(trace.partial.shape).toEqual([queries, 3, valueWidth]);
      expect(trace.visited.toArray()).toEqual([
        [1, 0, 0],
        [1, 1, 0],
        [1, 1, 1],
      ]);
      const [maximum, sum, factor] = [trace.maximum, trace.sum, trace.factor].map((x) =>
        x.toArray<number[][]>(),
      );
      const partial = trace.partial.toArray<number[][][]>();
      for (let t = 0; t < queries; ++t) {
        let [top, total] = [-Infinity, 0];
        let weighted = Array<number>(valueWidth).fill(0);
        for (let n = 0; n < 3; ++n) {
          const block = expected.masked[t]!.slice(5 * n, 5 * n + 5);
          const before = top;
          top = Math.max(top, ...block);
          const scaled = top === before ? 1 : Math.exp(before - top);
          total *= scaled;
          weighted = weighted.map((x) => x * scaled);
          block.forEach((score, s) => {
            const weight = Math.exp(score - top);
            total += weight;
            weighted = weighted.map((x, d) => x + weight * v[5 * n + s]![d]!);
          });
          const tolerance = 16 * attentionTolerance;
          expectClose([maximum![t]![n]!], [top], tolerance);
          expectClose([factor![t]![n]!], [scaled], tolerance);
          expectClose([sum![t]![n]!], [total], tolerance);
          expectClose(partial[t]![n]!, weighted, tolerance);
        }
      }
    });
  });

  it('gives what attention gives, with blocks of any size, heads, batches and out', () => {
    withoutLeak(() => {
      const x = tril.randomNormal([2, 4, 9, 8], { seed: 1 });
      const y = tril.randomNormal([2, 2, 10, 8], { seed: 2 });
      const mask = tril.mask.window({ left: 4, right: 2 });
      const expected = tril.attention(x, y, y, { mask, softcap: 3 }).output.read();
      for (const sizes of [{}, { queries: 1, keys: 1 }, { queries: 3 }, { keys: 4 }]) {
        const { output } = tril.onlineAttention(x, y, y, { mask, softcap: 3, blocks: sizes });
        expect(output.shape).toEqual([2, 4, 9, 8]);
        expectClose(output.read(), [...expected], 8 * epsilon);
      }
      const [packed, context] = [tril.zeros([2, 9, 32]), tril.zeros([2, 10, 16])];
      const out = tril.zeros([2, 9, 32]);
      const options = { heads: 4, kvHeads: 2, out, trace: true } as const;
      const got = tril.onlineAttention(packed, context, context, options);
      expect(got.output).toBe(out);
      expect(got.trace.partial.shape).toEqual([2, 4, 9, 1, 8]);
      expect(got.trace.visited.shape).toEqual([2, 4, 1, 1]);
      expect(tril.onlineAttention(x, y, y).trace).toBeUndefined();
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const [x, y] = [tril.zeros([3, 4]), tril.zeros([3, 5])];
      const call = 'onlineAttention';
      const out = tril.tensor([1, 4], [1, 2, 3, 4]);
      const bad = (options: object, argument: string, says: string) =>
        expectRefused(() => tril.onlineAttention(x, x, x, options), { call, argument, says, out });
      bad({ blocks: { queries: 0 } }, 'blocks.queries', 'at least 1, is 0');
      bad({ blocks: { keys: 1.5 } }, 'blocks.keys', 'is 1.5');
      bad({ blocks: { key: 1 } }, 'key', 'did you mean "keys"?');
      bad({ method: 'full' }, 'method', 'unknown option');
      bad({ out }, 'out', '[3, 4]');
      bad({ mask: tril.mask.padding([1, 1]) }, 'mask', '2 lengths for 1 batches');
      expectRefused(() => tril.onlineAttention(x, y, y), {
        ...{ call, argument: 'key', says: 'as wide as query' },
      });
    });
  });
});
