// Attention against PyTorch in float64: the table of ../golden/make_attention.py.
import { attentionMethods, type AttentionOptions } from 'tril';
import { describe, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { tril, withoutLeak } from './helpers.js';

/** Sizes B, H, Hk, T, S, D, Dv, then the options' random inputs. */
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

/** The row of make_attention.py's table, which seeds a case. */
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
      for (const method of attentionMethods) {
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
