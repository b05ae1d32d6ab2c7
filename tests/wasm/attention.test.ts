import { loadTril, variants, type AttentionOptions, type Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { attention, epsilon, expectClose, randomMatrix, type Matrix } from './reference.js';

const traced = ['auto', 'full', 'blocked'] as const;
/** The last one never holds the scores, so that it cannot show them. */
const methods = [...traced, 'online'] as const;
/** Numbers of size 1 through two products and a softmax; the rest of the bound is for the exponential. */
const tolerance = 32 * epsilon;

/** Heads of random numbers: [heads][length][width]. */
const heads = (count: number, length: number, width: number, seed: number): Matrix[] =>
  Array.from({ length: count }, (_, h) => randomMatrix(length, width, seed + h));

/** Heads side by side: [length][heads * width]. */
const sideBySide = (parts: Matrix[]): Matrix =>
  parts[0]!.map((_, t) => parts.flatMap((part) => part[t]!));

describe.each(traced)('attention by %s', (method) => {
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
  const q = heads(H, T, D, 10);
  const k = heads(Hk, S, D, 20);
  const v = heads(Hk, S, Dv, 30);
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
      // Negated queries and keys make the same scores, negated values a negated output.
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

describe('past and present', () => {
  it('continue a sequence token by token', () => {
    withoutLeak(() => {
      const [T, H, D] = [7, 2, 3];
      const all = [1, 2, 3].map((seed) => heads(H, T, D, seed * 10));
      const [q, k, v] = all.map((each) => tril.tensor(each)) as [Tensor, Tensor, Tensor];
      const whole = tril.attention(q, k, v, { causal: true }).output.toArray() as Matrix[];
      const part = (which: number, first: number, last: number) =>
        tril.tensor(all[which]!.map((head) => head.slice(first, last)));
      let past = { key: part(1, 0, 2), value: part(2, 0, 2) };
      for (let t = 2; t < T; ++t) {
        const now = [0, 1, 2].map((which) => part(which, t, t + 1));
        const [qt, kt, vt] = now as [Tensor, Tensor, Tensor];
        const { output, present } = tril.attention(qt, kt, vt, { causal: true, past });
        expectClose(
          output.read(),
          whole.flatMap((head) => head[t]!),
          tolerance,
        );
        expect(present.key.shape).toEqual([H, t + 1, D]);
        expect(present.key.toArray()).toEqual(part(1, 0, t + 1).toArray());
        expect(present.value.toArray()).toEqual(part(2, 0, t + 1).toArray());
        past = present;
      }
    });
  });

  it('work with heads side by side', () => {
    withoutLeak(() => {
      const x = randomMatrix(5, 6, 1);
      const whole = tril.tensor([x]);
      const [before, now] = [tril.tensor([x.slice(0, 3)]), tril.tensor([x.slice(3)])];
      const past = { key: before, value: before };
      const options = { heads: 2, causal: true };
      const got = tril.attention(now, now, now, { ...options, past });
      expect(got.present.key.toArray()).toEqual(whole.toArray());
      const expected = tril.attention(whole, whole, whole, options).output.read();
      expectClose(got.output.read(), expected.slice(3 * 6), tolerance);
    });
  });
});

describe('masks', () => {
  const n = 9;
  const x = randomMatrix(n, 4, 5);
  const rules: [string, () => AttentionOptions, (t: number, s: number) => boolean][] = [
    ['causal', () => ({ mask: tril.mask.causal() }), (t, s) => s <= t],
    ['the causal option', () => ({ causal: true }), (t, s) => s <= t],
    [
      'window',
      () => ({ mask: tril.mask.window({ left: 2, right: 1 }) }),
      (t, s) => s >= t - 2 && s <= t + 1,
    ],
    ['window without end', () => ({ mask: tril.mask.window({ right: 1 }) }), (t, s) => s <= t + 1],
    ['window without limits', () => ({ mask: tril.mask.window({}) }), () => true],
    [
      'strided',
      () => ({ mask: tril.mask.strided({ local: 2, stride: 3 }) }),
      (t, s) => Math.abs(t - s) < 2 || (t - s) % 3 === 0,
    ],
    ['padding', () => ({ mask: tril.mask.padding([4]) }), (_, s) => s < 4],
    [
      'all of several',
      () => ({
        causal: true,
        mask: tril.mask.and(tril.mask.window({ left: 3 }), tril.mask.padding([7])),
      }),
      (t, s) => s <= t && s >= t - 3 && s < 7,
    ],
    ['none of several', () => ({ mask: tril.mask.and() }), () => true],
    [
      'boolean',
      () => ({
        mask: tril.mask.dense(
          tril.tensor(x.map((_, t) => x.map((__, s) => ((t * s) % 3 === 0 ? 1 : 0)))),
          { kind: 'boolean' },
        ),
      }),
      (t, s) => (t * s) % 3 === 0,
    ],
    [
      'additive -inf',
      () => ({
        mask: tril.mask.dense(
          tril.tensor(x.map((_, t) => x.map((__, s) => (s === t ? -Infinity : 0)))),
          { kind: 'additive' },
        ),
      }),
      (t, s) => s !== t,
    ],
  ];

  it.each(rules)('%s', (_, options, sees) => {
    withoutLeak(() => {
      const tensor = tril.tensor(x);
      for (const method of traced) {
        const got = tril.attention(tensor, tensor, tensor, {
          ...options(),
          method,
          ...{ trace: true },
        } as const);
        const expected = attention(x, x, x, sees);
        expectClose(got.trace.masked.read(), expected.masked.flat(), tolerance);
        expectClose(got.output.read(), expected.output.flat(), tolerance);
      }
      const online = { ...options(), method: 'online' } as const;
      const { output } = tril.attention(tensor, tensor, tensor, online);
      expectClose(output.read(), attention(x, x, x, sees).output.flat(), tolerance);
    });
  });

  it('are values that can be used again, with dense ones broadcast over heads and batches', () => {
    withoutLeak(() => {
      const q = tril.tensor([2, 3, 2, 2], randomMatrix(1, 24, 1)[0]!);
      for (const shape of [[2], [2, 2], [3, 1, 2], [2, 1, 2, 2], [1, 1, 1, 1]]) {
        const count = shape.reduce((a, b) => a * b, 1);
        const values = randomMatrix(1, count, 7)[0]!;
        const mask = tril.mask.dense(tril.tensor(shape, values), { kind: 'additive' });
        const run = () => tril.attention(q, q, q, { mask, trace: true }).trace;
        const { scores, masked } = run();
        const [before, after] = [scores.read(), masked.read()];
        const full = [...Array<number>(4 - shape.length).fill(1), ...shape];
        const at = (index: number[]) =>
          values[
            index.reduce((sum, i, axis) => sum * full[axis]! + (full[axis] === 1 ? 0 : i), 0)
          ]!;
        before.forEach((score, i) => {
          const index = [Math.floor(i / 12), Math.floor(i / 4) % 3, Math.floor(i / 2) % 2, i % 2];
          expect(Math.abs(after[i]! - (score + at(index)))).toBeLessThanOrEqual(4 * epsilon);
        });
        expect(run().masked.read()).toEqual(after);
      }
    });
  });

  it('refuse bad numbers when they are made', () => {
    withoutLeak(() => {
      const mask = tril.mask;
      const bad = (body: () => unknown, call: string, argument: string, says: string) =>
        expectRefused(body, { call: `mask.${call}`, argument, says });
      bad(() => mask.window({ left: -1 }), 'window', 'left', 'at least 0, is -1');
      bad(() => mask.window({ right: NaN }), 'window', 'right', 'is NaN');
      bad(() => mask.window({ lft: 1 } as object), 'window', 'lft', 'did you mean "left"?');
      bad(() => mask.strided({ local: 0, stride: 1 }), 'strided', 'local', 'at least 1');
      bad(() => mask.strided({ local: 1 } as never), 'strided', 'stride', 'at least 1');
      bad(() => mask.padding([1, -1]), 'padding', 'lengths', 'at least 0, is -1');
      bad(() => mask.padding([1, 0.5]), 'padding', 'lengths', 'is 0.5');
      bad(() => mask.padding(3 as never), 'padding', 'lengths', 'must be an array');
      const tensor = tril.zeros([2, 2]);
      bad(
        () => mask.dense(tensor, {} as never),
        'dense',
        'kind',
        'must be "additive" or "boolean"',
      );
      bad(() => mask.dense([1] as never, { kind: 'boolean' }), 'dense', 'tensor', 'a tensor');
      bad(() => mask.and(mask.causal(), {} as never), 'and', 'mask', 'must be a mask');
    });
  });

  it('refuse shapes that do not fit when they are used', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 1, 3, 4]);
      const wide = tril.zeros([3, 4]);
      const deep = tril.zeros([1, 1, 1, 1, 1]);
      const kind = 'additive';
      const use = (mask: ReturnType<typeof tril.mask.causal>, says: RegExp | string) =>
        expectRefused(() => tril.attention(x, x, x, { mask }), {
          call: 'attention',
          argument: 'mask',
          says,
        });
      use(tril.mask.dense(wide, { kind }), /\[1, 1, 3, 4\]/);
      use(tril.mask.dense(deep, { kind }), 'at most four axes');
      use(tril.mask.padding([1, 2, 3]), /3/);
      use(tril.mask.padding([1, 5]), /5/);
      const gone = tril.zeros([3, 3]);
      const mask = tril.mask.dense(gone, { kind });
      gone.dispose();
      use(mask, 'has been disposed; its shape was [3, 3]');
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

/** The table of ../golden/make_attention.py: sizes B, H, Hk, T, S, D, Dv, then what the options draw. */
type Draw = (random: Random) => AttentionOptions;
const fixed =
  (options: AttentionOptions): Draw =>
  () =>
    options;
const cases: [string, number[], Draw][] = [
  ['single', [1, 1, 1, 1, 1, 1, 1], fixed({})],
  ['pair_causal', [3, 2, 2, 2, 2, 3, 5], fixed({ causal: true })],
  ['odd', [1, 3, 3, 7, 5, 5, 3], fixed({})],
  ['more_keys_causal', [1, 3, 3, 7, 12, 5, 7], fixed({ causal: true })],
  ['fewer_keys_causal', [3, 1, 1, 12, 7, 5, 7], fixed({ causal: true })],
  ['eight_heads', [1, 8, 8, 64, 64, 8, 8], fixed({ causal: true })],
  ['hundred', [1, 2, 2, 100, 100, 16, 5], fixed({})],
  ['long_causal', [1, 1, 1, 129, 129, 16, 16], fixed({ causal: true })],
  ['long_to_short', [1, 2, 1, 129, 64, 7, 9], fixed({})],
  ['one_query', [3, 2, 2, 1, 129, 17, 4], fixed({})],
  ['grouped', [3, 8, 2, 7, 7, 4, 4], fixed({ causal: true })],
  ['multi_query', [1, 3, 1, 64, 70, 4, 6], fixed({})],
  ['scale', [1, 2, 2, 7, 7, 4, 4], fixed({ scale: 0.3 })],
  ['softcap', [1, 2, 2, 7, 9, 4, 4], fixed({ scale: 2, softcap: 1.5, causal: true })],
  ['window', [1, 2, 2, 100, 100, 4, 4], fixed({ mask: tril.mask.window({ left: 10, right: 3 }) })],
  ['window_left', [1, 1, 1, 129, 129, 4, 4], fixed({ mask: tril.mask.window({ right: 0 }) })],
  ['strided', [1, 2, 2, 64, 64, 4, 4], fixed({ mask: tril.mask.strided({ local: 3, stride: 5 }) })],
  [
    'strided_causal',
    [1, 1, 1, 129, 129, 4, 4],
    fixed({ mask: tril.mask.strided({ local: 4, stride: 16 }), causal: true }),
  ],
  ['padding', [3, 2, 2, 7, 12, 4, 4], fixed({ mask: tril.mask.padding([12, 5, 0]) })],
  ['additive', [3, 2, 2, 7, 9, 4, 4], (random) => ({ mask: additive(random, [3, 1, 7, 9]) })],
  [
    'additive_heads',
    [3, 2, 2, 7, 9, 4, 4],
    (random) => ({ mask: additive(random, [1, 2, 1, 9]), causal: true }),
  ],
  [
    'boolean',
    [3, 2, 2, 7, 9, 4, 4],
    (random) => {
      const visible = random.uniform(2 * 7 * 9).map((x) => (x < 0.5 ? 1 : 0));
      return { mask: tril.mask.dense(tril.tensor([1, 2, 7, 9], visible), { kind: 'boolean' }) };
    },
  ],
  ['key_lengths', [3, 2, 2, 4, 12, 4, 4], fixed({ keyLengths: [12, 6, 3], causal: true })],
];

function additive(random: Random, shape: number[]) {
  const values = random.normal(shape.reduce((a, b) => a * b, 1));
  return tril.mask.dense(tril.tensor(shape, values), { kind: 'additive' });
}

/** The place in make_attention.py's table, which seeds a case. */
const places = new Map([
  ...cases.map(([name], index) => [name, index] as const),
  ['past', 22],
  ['past_window', 23],
  ['key_lengths', 24],
  ['everything', 25],
]);

describe('attention gives what PyTorch gives in float64', () => {
  const inputs = (random: Random, [B, H, Hk, T, S, D, Dv]: number[]) => {
    const draw = (...shape: number[]) =>
      [shape, random.normal(shape.reduce((a, b) => a * b, 1))] as const;
    return [draw(B!, H!, T!, D!), draw(B!, Hk!, S!, D!), draw(B!, Hk!, S!, Dv!)] as const;
  };
  it.each(cases)('%s', (name, sizes, draw) => {
    withoutLeak(() => {
      const random = new Random(100 + places.get(name)!);
      const [q, k, v] = inputs(random, sizes).map(([shape, data]) => tril.tensor(shape, data));
      const options = draw(random);
      for (const method of methods) {
        const { output } = tril.attention(q!, k!, v!, { ...options, method });
        expectGolden(output, `attention/${name}`);
      }
    });
  });

  it.each([
    ['past', [3, 2, 1, 7, 12, 4, 4], 5, fixed({ causal: true })],
    [
      'past_window',
      [1, 2, 2, 2, 100, 4, 4],
      98,
      fixed({ mask: tril.mask.window({ left: 20, right: 0 }) }),
    ],
    [
      'everything',
      [3, 4, 2, 100, 129, 8, 6],
      29,
      (random: Random) => ({
        causal: true,
        scale: 0.5,
        softcap: 3,
        mask: tril.mask.and(
          tril.mask.window({ left: 40, right: 0 }),
          tril.mask.padding([129, 100, 60]),
          additive(random, [1, 4, 1, 129]),
        ),
      }),
    ],
  ] as [string, number[], number, Draw][])('%s', (name, sizes, past, draw) => {
    withoutLeak(() => {
      const random = new Random(100 + places.get(name)!);
      const [q, k, v] = inputs(random, sizes);
      const options = draw(random);
      /** Keys [first, last) of every head. */
      const part = (
        [shape, data]: readonly [number[], Float32Array],
        first: number,
        last: number,
      ) => {
        const [B, H, S, D] = shape as [number, number, number, number];
        const rows = Array.from({ length: B * H }, (_, head) =>
          Array.from(data.subarray((head * S + first) * D, (head * S + last) * D)),
        );
        return tril.tensor([B, H, last - first, D], rows.flat());
      };
      const S = sizes[4]!;
      const { output } = tril.attention(tril.tensor(...q), part(k, past, S), part(v, past, S), {
        ...options,
        past: { key: part(k, 0, past), value: part(v, 0, past) },
      });
      expectGolden(output, `attention/${name}`);
    });
  });
});

it('gives the same in all variants, within rounding', async () => {
  const [q, k, v] = [1, 2, 3].map((seed) => heads(4, 100, 16, seed * 10)) as [
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
      for (const method of methods) {
        const { output } = module.attention(a, b, c, { causal: true, method });
        expectClose(output.read(), expected, tolerance);
      }
    });
    expect(module.memory().tensors).toBe(0);
  }
});
