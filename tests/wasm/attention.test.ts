import { attentionMethods, loadTril, variants } from 'tril';
import type { AttentionOptions, Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { attentionTolerance as tolerance, headsOf, tracedMethods } from './reference.js';
import { attention, expectClose, randomMatrix, type Matrix } from './reference.js';

/** Heads side by side: [length][heads * width]. */
const sideBySide = (parts: Matrix[]): Matrix =>
  parts[0]!.map((_, t) => parts.flatMap((part) => part[t]!));

describe.each(tracedMethods)('attention by %s', (method) => {
  it('is its definition, one head and no batch', () => {
    withoutLeak(() => {
      for (const [T, S, D, Dv] of [
        [1, 1, 1, 1],
        [5, 5, 4, 4],
        [3, 7, 5, 2],
        [70, 130, 16, 9],
      ] as const) {
        const [q, k, v] = [randomMatrix(T, D, 1), randomMatrix(S, D, 2), randomMatrix(S, Dv, 3)];
        for (const causal of [false, true]) {
          const sees = (t: number, s: number) => !causal || s <= t;
          const expected = attention(q, k, v, sees);
          const { output, trace } = tril.attention(tril.tensor(q), tril.tensor(k), tril.tensor(v), {
            causal,
            method,
            trace: true,
          });
          expect(output.shape).toEqual([T, Dv]);
          expectClose(output.read(), expected.output.flat(), tolerance);
          expect(Object.keys(trace)).toEqual(['scores', 'masked', 'weights']);
          for (const name of ['scores', 'masked', 'weights'] as const) {
            expect(trace[name].shape).toEqual([T, S]);
            expectClose(trace[name].read(), expected[name].flat(), tolerance);
          }
          const plain = tril.attention(tril.tensor(q), tril.tensor(k), tril.tensor(v), {
            causal,
            method,
          });
          expect(plain).not.toHaveProperty('trace');
          expect(plain).not.toHaveProperty('present');
          expectClose(plain.output.read(), expected.output.flat(), tolerance);
        }
      }
    });
  });

  it('gives a query that sees nothing zeros', () => {
    withoutLeak(() => {
      const x = tril.tensor(randomMatrix(3, 4, 1));
      const mask = tril.mask.dense(tril.tensor([[1], [0], [1]]), { kind: 'boolean' });
      const { output, trace } = tril.attention(x, x, x, { mask, method, trace: true });
      const rows = output.toArray() as Matrix;
      expect(rows[1]).toEqual([0, 0, 0, 0]);
      expect((trace.weights.toArray() as Matrix)[1]).toEqual([0, 0, 0]);
      expect((trace.masked.toArray() as Matrix)[1]).toEqual([-Infinity, -Infinity, -Infinity]);
    });
  });
});

describe('attention takes', () => {
  const [T, S, D, Dv, H, Hk] = [6, 9, 5, 3, 4, 2];
  const q = headsOf(H, T, D, 10);
  const k = headsOf(Hk, S, D, 20);
  const v = headsOf(Hk, S, Dv, 30);
  const sees = (t: number, s: number) => s <= t;
  const expected = q.map((head, h) => attention(head, k[(h / 2) | 0]!, v[(h / 2) | 0]!, sees));
  const output = expected.map((head) => head.output);
  const weights = expected.flatMap((head) => head.weights.flat());
  const options = { causal: true, trace: true } as const;

  const check = (got: { output: Tensor; trace: { weights: Tensor } }, shapes: number[][]) => {
    expect([got.output.shape, got.trace.weights.shape]).toEqual(shapes);
    expectClose(got.trace.weights.read(), weights, tolerance);
  };

  it('[H, T, D], grouped', () => {
    withoutLeak(() => {
      const got = tril.attention(tril.tensor(q), tril.tensor(k), tril.tensor(v), options);
      check(got, [
        [H, T, Dv],
        [H, T, S],
      ]);
      expectClose(got.output.read(), output.flat(2), tolerance);
    });
  });

  it('[B, H, T, D]', () => {
    withoutLeak(() => {
      const got = tril.attention(tril.tensor([q]), tril.tensor([k]), tril.tensor([v]), options);
      check(got, [
        [1, H, T, Dv],
        [1, H, T, S],
      ]);
      expectClose(got.output.read(), output.flat(2), tolerance);
    });
  });

  it('[T, H*D] with heads', () => {
    withoutLeak(() => {
      const packed = [q, k, v].map((each) => tril.tensor(sideBySide(each)));
      const [a, b, c] = packed as [Tensor, Tensor, Tensor];
      const got = tril.attention(a, b, c, { ...options, heads: H, kvHeads: Hk });
      check(got, [
        [T, H * Dv],
        [H, T, S],
      ]);
      expectClose(got.output.read(), sideBySide(output).flat(), tolerance);
    });
  });

  it('[B, T, H*D] with heads, and each batch is its own', () => {
    withoutLeak(() => {
      const batches = (each: Matrix[]) => {
        const one = sideBySide(each);
        return tril.tensor([one, one.map((row) => row.map((x) => -x))]);
      };
      const got = tril.attention(batches(q), batches(k), batches(v), {
        ...options,
        heads: H,
        kvHeads: Hk,
      });
      expect(got.output.shape).toEqual([2, T, H * Dv]);
      expect(got.trace.weights.shape).toEqual([2, H, T, S]);
      // Negated queries and keys give the same scores, negated values a negated output.
      const packed = sideBySide(output).flat();
      expectClose(got.output.read(), [...packed, ...packed.map((x) => -x)], tolerance);
    });
  });

  it('an out', () => {
    withoutLeak(() => {
      const out = tril.zeros([H, T, Dv]);
      const got = tril.attention(tril.tensor(q), tril.tensor(k), tril.tensor(v), {
        causal: true,
        out,
      });
      expect(got.output).toBe(out);
      expectClose(out.read(), output.flat(2), tolerance);
    });
  });

  it('a scale and a soft cap', () => {
    withoutLeak(() => {
      const [a, b, c] = [q[0]!, k[0]!, v[0]!];
      const cap = (x: number) => 1.5 * Math.tanh(x / 1.5);
      const plain = attention(a, b, c, undefined, 2);
      const { trace } = tril.attention(tril.tensor(a), tril.tensor(b), tril.tensor(c), {
        ...{ scale: 2, softcap: 1.5, trace: true },
      });
      expectClose(trace.scores.read(), plain.scores.flat(), tolerance);
      expectClose(trace.capped!.read(), plain.scores.flat().map(cap), tolerance);
    });
  });
});

describe('attention refuses', () => {
  it.each([
    [{ scale: NaN }, 'scale', 'must be finite'],
    [{ scale: '1' }, 'scale', 'must be a number, is "1"'],
    [{ softcap: -1 }, 'softcap', 'must be finite and not negative'],
    [{ softcap: NaN }, 'softcap', 'must be finite and not negative'],
    [{ causal: 1 }, 'causal', 'must be true or false'],
    [{ causl: true }, 'causl', 'did you mean "causal"?'],
    [{ method: 'ful' }, 'method', 'unknown method "ful"'],
    [{ method: 'online', trace: true }, 'trace', /trace/],
    [{ mask: [[1]] }, 'mask', 'must be a mask'],
    [{ heads: 0 }, 'heads', 'at least 1'],
    [{ heads: 1.5 }, 'heads', 'whole number'],
    [{ trace: 'yes' }, 'trace', 'must be true or false'],
    [{ keyLengths: [9, 9, 9] }, 'keyLengths', '3'],
    [{ keyLengths: [4] }, 'keyLengths', '4'],
    [{ keyLengths: [-1] }, 'keyLengths', 'at least 0'],
    [{ past: {} }, 'past.key', 'must be a tensor'],
    [{ past: { keys: 1 } }, 'keys', 'did you mean "key"?'],
    [7, 'options', 'must be an object, is 7'],
  ])('the options %o', (options, argument, says) => {
    withoutLeak(() => {
      const x = tril.zeros([1, 1, 3, 4]);
      const body = () => tril.attention(x, x, x, options as object);
      expectRefused(body, { call: 'attention', argument, says });
    });
  });

  it('shapes that do not fit, with all of them in the error', () => {
    withoutLeak(() => {
      const out = tril.tensor([2, 3], [1, 2, 3, 4, 5, 6]);
      const bad = (
        [q, k, v]: [number[], number[], number[]],
        argument: string,
        says: string | RegExp,
        options: AttentionOptions = {},
      ) => {
        const [query, key, value] = [tril.zeros(q), tril.zeros(k), tril.zeros(v)];
        const shapes = { query: q, key: k, value: v, ...(options.out && { out: [2, 3] }) };
        const body = () => tril.attention(query, key, value, { ...options, trace: true });
        expectRefused(body, { call: 'attention', argument, says, shapes, out });
      };
      bad([[4], [4], [4]], 'query', 'must be [B, H, T, D], [H, T, D] or [T, D]');
      bad(
        [
          [1, 1, 1, 2, 4],
          [2, 4],
          [2, 4],
        ],
        'query',
        'shape is [1, 1, 1, 2, 4]',
      );
      bad(
        [
          [2, 4],
          [1, 2, 4],
          [2, 4],
        ],
        'key',
        'must have 2 axes, as query has; shape is [1, 2, 4]',
      );
      bad([[2, 4], [2, 4], [4]], 'value', 'must have 2 axes');
      bad(
        [
          [2, 4],
          [2, 3],
          [2, 4],
        ],
        'key',
        'as wide as query',
      );
      bad(
        [
          [2, 4],
          [3, 4],
          [2, 4],
        ],
        'value',
        'length of key',
      );
      bad(
        [
          [3, 2, 4],
          [2, 2, 4],
          [2, 2, 4],
        ],
        'key',
        'heads must divide',
      );
      bad(
        [
          [2, 1, 2, 4],
          [1, 1, 2, 4],
          [1, 1, 2, 4],
        ],
        'key',
        'as many batches',
      );
      bad(
        [
          [2, 4],
          [2, 4],
          [2, 4],
        ],
        'out',
        'shape must be [2, 4], is [2, 3]',
        { out },
      );
      bad(
        [
          [2, 6],
          [2, 6],
          [2, 6],
        ],
        'query',
        'width 6 is not divisible by 4 heads',
        { heads: 4 },
      );
      bad(
        [
          [2, 6],
          [2, 5],
          [2, 5],
        ],
        'key',
        'width 5 is not divisible by 2 heads',
        { heads: 2 },
      );
      bad(
        [
          [1, 1, 2, 6],
          [1, 1, 2, 6],
          [1, 1, 2, 6],
        ],
        'query',
        'with heads it must be [B, T, H*D]',
        {
          heads: 2,
        },
      );
    });
  });

  it('an out that is an input, and a past that does not fit', () => {
    withoutLeak(() => {
      const x = tril.tensor(randomMatrix(3, 4, 1));
      expectRefused(() => tril.attention(x, x, x, { out: x }), {
        ...{ call: 'attention', argument: 'out', says: 'shares memory', out: x },
      });
      const wide = tril.zeros([2, 5]);
      expectRefused(() => tril.attention(x, x, x, { past: { key: wide, value: x } }), {
        call: 'attention',
        argument: 'past.key',
        says: 'past is [2, 5], now is [3, 4]',
      });
      const flat = tril.zeros([4]);
      expectRefused(() => tril.attention(x, x, x, { past: { key: x, value: flat } }), {
        call: 'attention',
        argument: 'past.value',
        says: 'past is [4], now is [3, 4]',
      });
    });
  });

  it('a trace that memory cannot hold, while the output alone can be had', () => {
    withoutLeak(() => {
      const x = tril.zeros([30000, 1]);
      expectRefused(() => tril.attention(x, x, x, { trace: true }), {
        call: 'attention',
        argument: 'shape',
        says: 'too large',
      });
    });
  });
});

it.each(attentionMethods)('gives the logarithm of the sum of e^score, by %s', (method) => {
  withoutLeak(() => {
    const x = tril.tensor(headsOf(2, 40, 4, 1));
    const visible = Array.from({ length: 40 }, (_, t) => [t === 5 ? 0 : 1]);
    const mask = tril.mask.dense(tril.tensor(visible), { kind: 'boolean' });
    const { trace } = tril.attention(x, x, x, { causal: true, mask, trace: true });
    const expected = (trace.masked.toArray() as Matrix[]).flat().map((row) => {
      const sum = row.reduce((total, score) => total + Math.exp(score), 0);
      return sum === 0 ? Infinity : Math.log(sum); // query 5 sees no key
    });
    const options = { causal: true, mask, method, logSumExp: true } as const;
    const { logSumExp } = tril.attention(x, x, x, options);
    expect(logSumExp.shape).toEqual([2, 40]);
    expectClose(logSumExp.read(), expected, tolerance);
    expect(tril.attention(x, x, x, { method })).not.toHaveProperty('logSumExp');
  });
});

it('gives the same in all variants, within rounding', async () => {
  const [q, k, v] = [1, 2, 3].map((seed) => headsOf(4, 100, 16, seed * 10)) as [
    Matrix[],
    Matrix[],
    Matrix[],
  ];
  const expected = q.flatMap((head, h) =>
    attention(head, k[h]!, v[h]!, (t, s) => s <= t).output.flat(),
  );
  for (const variant of variants) {
    const module = await loadTril({ variant });
    module.scope(() => {
      const [a, b, c] = [module.tensor(q), module.tensor(k), module.tensor(v)];
      for (const method of attentionMethods) {
        const { output } = module.attention(a, b, c, { causal: true, method });
        expectClose(output.read(), expected, tolerance);
      }
    });
    expect(module.memory().tensors).toBe(0);
  }
});
