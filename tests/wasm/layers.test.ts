import type { Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import {
  add,
  epsilon,
  expectClose,
  matmul,
  randomMatrix,
  randomNumbers,
  transpose,
} from './reference.js';

describe('linear', () => {
  it('is x W^T + b for any axes before the last', () => {
    withoutLeak(() => {
      const x = randomMatrix(6, 5, 1);
      const weight = randomMatrix(4, 5, 2);
      const bias = randomMatrix(1, 4, 3)[0]!;
      const expected = matmul(x, transpose(weight));
      const tolerance = 4 * epsilon * 6;
      const [w, b] = [tril.tensor(weight), tril.tensor(bias)];
      const plain = tril.linear(tril.tensor(x), w);
      expect(plain.shape).toEqual([6, 4]);
      expectClose(plain.read(), expected.flat(), tolerance);
      const batched = tril.linear(tril.tensor([2, 3, 5], x.flat()), w, b);
      expect(batched.shape).toEqual([2, 3, 4]);
      expectClose(batched.read(), add(expected, bias).flat(), tolerance);
      const one = tril.linear(tril.tensor(x[0]!), w, null);
      expect(one.shape).toEqual([4]);
      expectClose(one.read(), expected[0]!, tolerance);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 5]);
      const w = tril.zeros([4, 5]);
      const call = 'linear';
      const narrow = tril.zeros([4, 3]);
      expectRefused(() => tril.linear(x, narrow), {
        call,
        argument: 'weight',
        says: /width 3 .*x is \[2, 5\], weight is \[4, 3\]/,
        shapes: { x: [2, 5], weight: [4, 3] },
      });
      const flat = tril.zeros([20]);
      expectRefused(() => tril.linear(x, flat), {
        call,
        argument: 'weight',
        says: 'must have two axes; shape is [20]',
      });
      const [long, row] = [tril.zeros([5]), tril.zeros([1, 4])];
      expectRefused(() => tril.linear(x, w, long), {
        call,
        argument: 'bias',
        says: 'shape must be [4], is [5]',
      });
      expectRefused(() => tril.linear(x, w, row), {
        call,
        argument: 'bias',
        says: 'must have one axis; shape is [1, 4]',
      });
      const out = tril.tensor([2, 5], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expectRefused(() => tril.linear(x, w, undefined, { out }), {
        call,
        argument: 'out',
        says: 'shape must be [2, 4], is [2, 5]',
        out,
      });
    });
  });
});

describe('embedding', () => {
  const rows = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];

  it('picks rows by number', () => {
    withoutLeak(() => {
      const table = tril.tensor(rows);
      const pick = tril.embedding([2, 0, 2], table);
      expect(pick.toArray()).toEqual([rows[2], rows[0], rows[2]]);
      expect(tril.embedding(Int32Array.of(1), table).toArray()).toEqual([rows[1]]);
      const batch = tril.embedding(
        [
          [0, 1],
          [2, 0],
        ],
        table,
      );
      expect(batch.shape).toEqual([2, 2, 2]);
      expect([...batch.read()]).toEqual([1, 2, 3, 4, 5, 6, 1, 2]);
    });
  });

  it('refuses what is no row', () => {
    withoutLeak(() => {
      const table = tril.tensor(rows);
      const out = tril.tensor([2, 2], [1, 2, 3, 4]);
      const refusal = { call: 'embedding', argument: 'ids', out };
      const embed = (ids: unknown) => () => tril.embedding(ids as number[], table, { out });
      expectRefused(embed([0, 3]), {
        ...refusal,
        says: /id 3 at 1 is not a row of table \[3, 2\]/,
      });
      expectRefused(embed([-1, 0]), { ...refusal, says: 'id -1 at 0' });
      expectRefused(embed([0.5, 0]), {
        ...refusal,
        says: 'must be whole numbers; number 0 is 0.5',
      });
      expectRefused(embed([NaN, 0]), {
        ...refusal,
        says: 'must be whole numbers; number 0 is NaN',
      });
      expectRefused(embed([2 ** 32, 0]), { ...refusal, says: 'number 0 is 4294967296' });
      expectRefused(embed(['a', 0]), { ...refusal, says: 'at [0] must be a number, is "a"' });
      expectRefused(embed([[0], [1, 2]]), { ...refusal, says: 'at [1] must be an array of 1' });
      // An empty list has no wrong id, but `out` with two rows does not fit its result.
      expectRefused(embed([]), { ...refusal, argument: 'out', says: 'must be [0, 2]' });
    });
  });
});

describe('sinusoidalPositions', () => {
  const expected = (length: number, width: number, wavelength: number, ratio: number) =>
    Array.from({ length }, (_, t) =>
      Array.from({ length: width }, (_, column) => {
        const angle = (2 * Math.PI * t) / (wavelength * ratio ** Math.floor(column / 2));
        return column % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
      }),
    ).flat();

  it('is the table of the paper', () => {
    withoutLeak(() => {
      const table = tril.sinusoidalPositions(50, 8);
      expect(table.shape).toEqual([50, 8]);
      expectClose(table.read(), expected(50, 8, 2 * Math.PI, 10000 ** (2 / 8)), epsilon);
    });
  });

  it('takes another wavelength and ratio', () => {
    withoutLeak(() => {
      const table = tril.sinusoidalPositions(20, 6, { wavelength: 4, ratio: 2 });
      expectClose(table.read(), expected(20, 6, 4, 2), epsilon);
    });
  });

  it('refuses odd widths and bad options', () => {
    const call = 'sinusoidalPositions';
    expectRefused(() => tril.sinusoidalPositions(4, 3), { call, argument: 'out', says: /even/ });
    for (const [length, argument] of [
      [NaN, 'length'],
      [1.5, 'length'],
    ] as const) {
      const body = () => tril.sinusoidalPositions(length, 2);
      expectRefused(body, { call, argument, says: 'whole number' });
    }
    const ratio = () => tril.sinusoidalPositions(2, 2, { ratio: NaN });
    expectRefused(ratio, { call, argument: 'ratio', says: /must be/ });
    const wavelength = () => tril.sinusoidalPositions(2, 2, { wavelength: -1 });
    expectRefused(wavelength, { call, argument: 'wavelength', says: /must be/ });
  });
});

describe('rotaryPositions', () => {
  it('gives what PyTorch gives in float64', () => {
    withoutLeak(() => {
      const random = new Random(32);
      for (const width of [8, 6]) {
        for (const pairs of ['halves', 'interleaved'] as const) {
          const x = tril.tensor([2, 3, 7, 8], random.uniform(2 * 3 * 7 * 8));
          const turned = tril.rotaryPositions(x, { pairs, width });
          expectGolden(turned, `layers/rotary_${pairs}_${width}`);
        }
      }
    });
  });

  it('turns by given positions, of all batches or of each', () => {
    withoutLeak(() => {
      const row = [1, 0];
      const turned = (position: number) => [Math.cos(position), Math.sin(position)];
      const one = tril.tensor([2, 2], [...row, ...row]);
      const once = tril.rotaryPositions(one, { positions: [5, -3] });
      expectClose(once.read(), [5, -3].flatMap(turned), epsilon);
      const two = tril.tensor([2, 1, 2, 2], [...row, ...row, ...row, ...row]);
      const shared = tril.rotaryPositions(two, { positions: Int32Array.of(1, 2) });
      expectClose(shared.read(), [1, 2, 1, 2].flatMap(turned), epsilon);
      const positions = [
        [1, 2],
        [3, 4],
      ];
      const each = tril.rotaryPositions(two, { positions });
      expectClose(each.read(), [1, 2, 3, 4].flatMap(turned), epsilon);
      expect(tril.rotaryPositions(two, { positions, out: two })).toBe(two);
      expect(two.read()).toEqual(each.read());
    });
  });

  // The cases of ONNX's backend tests of RotaryEmbedding, version 23: batch 2, 4 heads of width 8, 3 tokens, and 50
  // rows of cos and sin.
  describe('with tables is RotaryEmbedding of ONNX', () => {
    const [batches, heads, tokens, width] = [2, 4, 3, 8];
    const ids = [
      [49, 0, 7],
      [1, 1, 30],
    ];
    const values = randomNumbers(batches * heads * tokens * width, 1);
    /** Elements of [B, H, T, D], rotated by the definition. */
    const expected = (
      turned: number,
      interleaved: boolean,
      angle: (b: number, t: number, i: number) => [number, number],
    ) =>
      values.map((value, n) => {
        const [c, row] = [n % width, Math.floor(n / width)];
        const [t, b] = [row % tokens, Math.floor(row / tokens / heads)];
        if (c >= turned) return value;
        const half = turned / 2;
        const first = interleaved ? c % 2 === 0 : c < half;
        const partner = interleaved ? n + (first ? 1 : -1) : n + (first ? half : -half);
        const i = interleaved ? Math.floor(c / 2) : c % half;
        const [cos, sin] = angle(b, t, i);
        return first ? cos * value - sin * values[partner]! : sin * values[partner]! + cos * value;
      });
    /** Reorders [B, H, T, D] to [B, T, H * D]. */
    const packed = (from: readonly number[]) =>
      from.map((_, n) => {
        const [d, h] = [n % width, Math.floor(n / width) % heads];
        const [t, b] = [
          Math.floor(n / width / heads) % tokens,
          Math.floor(n / width / heads / tokens),
        ];
        return from[((b * heads + h) * tokens + t) * width + d]!;
      });

    for (const [name, turned, pairs, inPlace, asPacked, withIds] of [
      ['rotary_embedding', 8, 'halves', false, false, true],
      ['rotary_embedding_3d_input', 8, 'halves', false, true, true],
      ['rotary_embedding_interleaved', 8, 'interleaved', false, false, true],
      ['rotary_embedding_with_rotary_dim', 4, 'halves', false, false, true],
      ['rotary_embedding_with_interleaved_rotary_dim', 4, 'interleaved', true, false, true],
      ['rotary_embedding_no_position_ids', 8, 'halves', false, false, false],
      ['rotary_embedding_no_position_ids_interleaved', 8, 'interleaved', false, true, false],
      ['rotary_embedding_no_position_ids_rotary_dim', 4, 'halves', true, false, false],
    ] as const) {
      it(name, () => {
        withoutLeak(() => {
          const half = turned / 2;
          const rows = withIds ? 50 : batches * tokens;
          const [cosines, sines] = [2, 3].map((seed) => randomNumbers(rows * half, seed)) as [
            number[],
            number[],
          ];
          const shape = withIds ? [rows, half] : [batches, tokens, half];
          const [cos, sin] = [tril.tensor(shape, cosines), tril.tensor(shape, sines)];
          const x = asPacked
            ? tril.tensor([batches, tokens, heads * width], packed(values))
            : tril.tensor([batches, heads, tokens, width], values);
          const result = tril.rotaryPositions(x, {
            ...{ cos, sin, pairs },
            ...(withIds && { positions: ids }),
            ...(turned < width && { width: turned }),
            ...(asPacked && { heads }),
            ...(inPlace && { out: x }),
          });
          const wanted = expected(turned, pairs === 'interleaved', (b, t, i) => {
            const row = withIds ? ids[b]![t]! : b * tokens + t;
            return [cosines[row * half + i]!, sines[row * half + i]!];
          });
          expect(result.shape).toEqual(x.shape);
          // Two products of numbers up to 1 and their sum.
          expectClose(result.read(), asPacked ? packed(wanted) : wanted, 2 * epsilon);
        });
      });
    }

    it('takes one table for all batches, and refuses what does not fit', () => {
      withoutLeak(() => {
        const call = 'rotaryPositions';
        const x = tril.tensor([batches, heads, tokens, width], values);
        const [cos, sin] = [2, 3].map((seed) =>
          tril.tensor([tokens, 4], randomNumbers(tokens * 4, seed)),
        ) as [Tensor, Tensor];
        const positions = [...Array(tokens).keys()];
        const shared = tril.rotaryPositions(x, { cos, sin });
        expect(tril.rotaryPositions(x, { cos, sin, positions }).read()).toEqual(shared.read());
        const refuse = (options: object, argument: string, says: string | RegExp) =>
          expectRefused(() => tril.rotaryPositions(x, options), { call, argument, says });
        refuse({ cos }, 'sin', 'cos and sin must be given together');
        refuse({ sin }, 'cos', 'cos and sin must be given together');
        refuse({ cos, sin, base: 10000 }, 'base', 'has no meaning');
        refuse(
          { cos, sin: tril.zeros([3, 3]) },
          'sin',
          'must have the shape of cos, [3, 4], is [3, 3]',
        );
        refuse({ cos, sin, width: 4 }, 'width', 'cos is [3, 4]');
        refuse({ cos, sin, positions: [0, 1, 3] }, 'positions', '3 is not a row of cos');
        refuse({ cos, sin, positions: [0, -1, 1] }, 'positions', '-1 is not a row of cos');
        const [long, wide] = [tril.zeros([4, 4]), tril.zeros([3, 5])];
        refuse(
          { cos: long, sin: long },
          'cos',
          'must be [T, R / 2] or [B, T, R / 2] with 3 tokens',
        );
        refuse({ cos: wide, sin: wide }, 'width', 'at most 8, the width of a head, is 10');
        refuse({ cos: null, sin }, 'cos', 'must be a tensor');
        refuse({ heads: 5 }, 'x', 'with heads it must be');
      });
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 3, 4, 6]);
      const vector = tril.zeros([4]);
      const call = 'rotaryPositions';
      const refuse = (options: object, argument: string, says: string | RegExp, given = x) =>
        expectRefused(() => tril.rotaryPositions(given, options), { call, argument, says });
      refuse({ positions: [1, 2] }, 'positions', '2 positions for [2, 3, 4, 6]');
      refuse({ positions: [1, 2, 3, 0.5] }, 'positions', 'must be whole numbers');
      refuse({ width: 5 }, 'width', 'must be even and at most 6, the width of a head, is 5');
      refuse({ width: 8 }, 'width', 'is 8');
      refuse({ base: 0 }, 'base', /must be/);
      refuse({ base: NaN }, 'base', /must be/);
      refuse({ pairs: 'both' }, 'pairs', 'unknown pairs "both"; there are halves, interleaved');
      refuse({}, 'x', 'must be [B, H, T, D]', vector);
    });
  });
});
