// The backward passes of tril/training: products, rotations and gates, against central differences of their definitions
// in double precision.
import type { FeedForwardWeights, MatmulOptions, RotaryOptions, Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGradient, gradient, rows } from './differences.js';
import { matmul, randomNumbers, transpose, type Matrix } from './reference.js';
import { expectRefused, tril, withoutLeak } from './trained.js';

const refuse = (call: string, body: () => unknown, argument: string, says: string | RegExp) =>
  expectRefused(body, { call, argument, says });

const product = (sizes: readonly number[]) => sizes.reduce((a, b) => a * b, 1);
const transposeLast = <Sizes extends readonly number[]>(shape: Sizes, turned = true) =>
  turned ? [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!] : [...shape];

/** NumPy's matmul for numbers with these shapes, of two or more axes. */
function stacked(
  a: readonly number[],
  aShape: readonly number[],
  b: readonly number[],
  bShape: readonly number[],
  { transposeA = false, transposeB = false }: MatmulOptions,
) {
  const rank = Math.max(aShape.length, bShape.length) - 2;
  const batch = Array.from({ length: rank }, (_, i) =>
    Math.max(...[aShape, bShape].map((shape) => shape[i + shape.length - 2 - rank] ?? 1)),
  );
  const at = (numbers: readonly number[], shape: readonly number[], place: number[]): Matrix => {
    const own = shape.slice(0, -2);
    const first = own.reduce((sum, size, i) => {
      const along = place[i + rank - own.length]!;
      return sum * size + (size === 1 ? 0 : along);
    }, 0);
    const [n, m] = shape.slice(-2) as [number, number];
    return rows(numbers.slice(first * n * m, (first + 1) * n * m), m);
  };
  return Array.from({ length: product(batch) }, (_, n) => {
    let left = n;
    const place = [...batch].reverse().map((size) => {
      const here = left % size;
      left = Math.floor(left / size);
      return here;
    });
    place.reverse();
    const [x, y] = [at(a, aShape, place), at(b, bShape, place)];
    return matmul(transposeA ? transpose(x) : x, transposeB ? transpose(y) : y);
  }).flat(2);
}

describe('matmulBackward', () => {
  it.each([
    [
      [3, 4],
      [4, 2],
      [3, 2],
    ],
    [
      [2, 3, 4],
      [4, 2],
      [2, 3, 2],
    ],
    [
      [2, 1, 3, 4],
      [3, 4, 2],
      [2, 3, 3, 2],
    ],
    [
      [1, 1],
      [5, 1, 1],
      [5, 1, 1],
    ],
    [
      [3, 4],
      [2, 1, 4, 2],
      [2, 1, 3, 2],
    ],
  ])('of %j and %j, transposed or not', (aShape, bShape, outShape) => {
    withoutLeak(() => {
      for (const transposeA of [false, true]) {
        for (const transposeB of [false, true]) {
          const options = { transposeA, transposeB };
          const [ofA, ofB] = [
            transposeLast(aShape, transposeA),
            transposeLast(bShape, transposeB),
          ] as const;
          const [a, b] = [randomNumbers(product(ofA), 1), randomNumbers(product(ofB), 2)];
          const d = randomNumbers(product(outShape), 3);
          const found = tril.matmulBackward(
            tril.tensor(outShape, d),
            tril.tensor(ofA, a),
            tril.tensor(ofB, b),
            options,
          );
          expect(found.dA.shape).toEqual(ofA);
          expect(found.dB.shape).toEqual(ofB);
          const { dA, dB } = found;
          const left = (moved: readonly number[]) => stacked(moved, ofA, b, ofB, options);
          const right = (moved: readonly number[]) => stacked(a, ofA, moved, ofB, options);
          expectGradient(dA, gradient(left, a, d));
          expectGradient(dB, gradient(right, b, d));
        }
      }
    });
  });

  it('of vectors, a row on the left and a column on the right', () => {
    withoutLeak(() => {
      const [vector, other, matrix] = [[1, 2, 3], [4, 5, 6], rows([1, 2, 3, 4, 5, 6], 2)];
      const backward = (dOutput: Tensor, a: unknown, b: unknown) => {
        const { dA, dB } = tril.matmulBackward(
          ...([dOutput, tril.tensor(a as number[]), tril.tensor(b as number[])] as const),
        );
        return [dA.toArray(), dB.toArray()];
      };
      expect(backward(tril.tensor([10]), vector, other)).toEqual([
        other.map((x) => 10 * x),
        vector.map((x) => 10 * x),
      ]);
      expect(backward(tril.tensor([1, 10]), vector, matrix)).toEqual([
        [21, 43, 65],
        [
          [1, 10],
          [2, 20],
          [3, 30],
        ],
      ]);
      expect(backward(tril.tensor([1, 10]), transpose(matrix), vector)).toEqual([
        [
          [1, 2, 3],
          [10, 20, 30],
        ],
        [21, 43, 65],
      ]);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const call = 'matmulBackward';
      const [a, b, d] = [tril.zeros([2, 3]), tril.zeros([3, 4]), tril.zeros([2, 4])];
      const [three, two, vector] = [tril.zeros([3, 2, 3]), tril.zeros([2, 3, 4]), tril.zeros([3])];
      const back = (...[dOutput, left, right, options]: unknown[]) =>
        tril.matmulBackward(dOutput as Tensor, left as Tensor, right as Tensor, options as object);
      refuse(call, () => back(a, a, b), 'dOutput', 'the shape of the output, [2, 4], is [2, 3]');
      refuse(call, () => back(d, a, d), 'b', 'depth 2 does not match');
      refuse(call, () => back(d, three, two), 'b', /broadcast|axis/);
      refuse(call, () => back(d, a, null), 'b', 'must be a tensor');
      refuse(call, () => back(d, a, b, { method: 'tiled' }), 'method', 'unknown option');
      refuse(call, () => back(d, a, b, { transposeA: 1 }), 'transposeA', 'true or false');
      const turned = () => back(d, vector, b, { transposeA: true });
      refuse(call, turned, 'transposeA', 'a vector cannot be transposed');
      expect(tril.matmulBackward(d, a, b).dA.shape).toEqual([2, 3]);
    });
  });
});

describe('rotaryPositionsBackward', () => {
  /** One head [T, D], by the definition. */
  const turn = (
    x: readonly number[],
    width: number,
    positions: readonly number[],
    interleaved: boolean,
    turned = width,
  ) =>
    rows(x, width).flatMap((row, t) => {
      const out = [...row];
      for (let i = 0; i < turned / 2; ++i) {
        const [a, b] = interleaved ? [2 * i, 2 * i + 1] : [i, turned / 2 + i];
        const angle = positions[t]! * 100 ** ((-2 * i) / turned);
        out[a] = Math.cos(angle) * row[a]! - Math.sin(angle) * row[b]!;
        out[b] = Math.sin(angle) * row[a]! + Math.cos(angle) * row[b]!;
      }
      return out;
    });

  it('gives the gradient for every form of angles', () => {
    withoutLeak(() => {
      const [x, d] = [randomNumbers(18, 1), randomNumbers(18, 2)];
      const positions = [4, 0, 7];
      for (const pairs of ['halves', 'interleaved'] as const) {
        for (const width of [4, 6]) {
          const f = (values: readonly number[]) =>
            turn(values, 6, positions, pairs === 'interleaved', width);
          const expected = gradient(f, x, d);
          const options: RotaryOptions = { positions, base: 100, pairs, width };
          const dOutput = tril.tensor([3, 6], d);
          expectGradient(tril.rotaryPositionsBackward(dOutput, options), expected);
          const angles = positions.map((p) =>
            Array.from({ length: width / 2 }, (_, i) => p * 100 ** ((-2 * i) / width)),
          );
          const tables = {
            cos: tril.tensor(angles.map((row) => row.map(Math.cos))),
            sin: tril.tensor(angles.map((row) => row.map(Math.sin))),
          };
          const given = { ...tables, pairs, out: dOutput };
          expect(tril.rotaryPositionsBackward(dOutput, given)).toBe(dOutput);
          expectGradient(dOutput, expected);
        }
      }
      // Heads side by side equal heads with an axis of their own.
      const packed = tril.rotaryPositionsBackward(tril.tensor([3, 6], d), { heads: 3 });
      const apart = tril.rotaryPositionsBackward(
        tril.tensor([0, 1, 2].map((h) => rows(d, 6).map((row) => row.slice(2 * h, 2 * h + 2)))),
      );
      const joined = rows([...apart.read()], 2);
      expect(rows([...packed.read()], 6)).toEqual(
        [0, 1, 2].map((t) => [0, 1, 2].flatMap((h) => joined[3 * h + t]!)),
      );
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const call = 'rotaryPositionsBackward';
      const [d, flat, other] = [tril.zeros([3, 6]), tril.zeros([6]), tril.zeros([6, 3])];
      const back = (options: unknown, dOutput: unknown = d) =>
        tril.rotaryPositionsBackward(dOutput as Tensor, options as RotaryOptions);
      refuse(call, () => back({}, null), 'dOutput', 'must be a tensor');
      refuse(call, () => back({}, flat), 'dOutput', /axes|\[6\]/);
      refuse(call, () => back({ positions: [1] }), 'positions', '1 positions for [');
      refuse(call, () => back({ width: 8 }), 'width', 'at most 6, the width of a head, is 8');
      refuse(call, () => back({ base: 0 }), 'base', 'above 0');
      refuse(call, () => back({ cos: d }), 'sin', 'together');
      refuse(call, () => back({ turns: 1 }), 'turns', 'unknown option');
      refuse(call, () => back({ out: other }), 'out', 'shape must be [3, 6]');
      expect(back({}).shape).toEqual([3, 6]);
    });
  });
});

describe('gates', () => {
  const slopes = {
    relu: (v: number) => Math.max(v, 0),
    silu: (v: number) => v / (1 + Math.exp(-v)),
    gelu_tanh: (v: number) =>
      0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3))),
  };
  const names = Object.keys(slopes) as (keyof typeof slopes)[];

  it('gatedActivation and its backward pass', () => {
    withoutLeak(() => {
      const [gate, up, d] = [1, 2, 3].map((seed) => randomNumbers(23, seed)) as [
        number[],
        number[],
        number[],
      ];
      const [g, u, dOutput] = [gate, up, d].map((each) => tril.tensor(each)) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      for (const activation of names) {
        const f = slopes[activation];
        const of = (gates: readonly number[], ups: readonly number[]) =>
          gates.map((v, i) => f(v) * ups[i]!);
        expectGradient(tril.gatedActivation(g, u, { activation }), of(gate, up));
        const found = tril.gatedActivationBackward(dOutput, g, u, { activation });
        const ofGate = gradient((moved) => of(moved, up), gate, d);
        expectGradient(found.dGate, ofGate);
        const ofUp = gradient((moved) => of(gate, moved), up, d);
        expectGradient(found.dUp, ofUp);
      }
      const silu = tril.gatedActivation(g, u).read();
      expect(tril.gatedActivation(g, u, { activation: 'silu', out: u })).toBe(u);
      expect(u.read()).toEqual(silu);
    });
  });

  it('gatedFeedForward and its backward pass', () => {
    withoutLeak(() => {
      const [N, C, F] = [3, 4, 5];
      const plain = {
        'linear1.weight': randomNumbers(2 * F * C, 1),
        'linear1.bias': randomNumbers(2 * F, 2),
        'linear2.weight': randomNumbers(C * F, 3),
        'linear2.bias': randomNumbers(C, 4),
      };
      const shapes = {
        'linear1.weight': [2 * F, C],
        'linear1.bias': [2 * F],
        'linear2.weight': [C, F],
        'linear2.bias': [C],
      };
      type Name = keyof typeof plain;
      const [x, d] = [randomNumbers(N * C, 5), randomNumbers(N * C, 6)];
      const of = (from: readonly number[], weights: typeof plain, f: (v: number) => number) => {
        const layer = (input: Matrix, name: 'linear1' | 'linear2', width: number) =>
          input.map((row) =>
            rows(weights[`${name}.weight`], width).map((own, o) =>
              own.reduce((sum, w, i) => sum + w * row[i]!, weights[`${name}.bias`][o]!),
            ),
          );
        const hidden = layer(rows(from, C), 'linear1', C);
        const activated = hidden.map((row) => row.slice(0, F).map((v, i) => f(v) * row[F + i]!));
        return { hidden, activated, output: layer(activated, 'linear2', F) };
      };
      const state = Object.fromEntries(
        Object.entries(plain).map(([name, v]) => [name, tril.tensor(shapes[name as Name], v)]),
      ) as unknown as FeedForwardWeights;
      const [from, dOutput] = [tril.tensor([1, N, C], x), tril.tensor([1, N, C], d)];
      for (const activation of names) {
        const f = slopes[activation];
        const expected = of(x, plain, f);
        const options = { activation, trace: true } as const;
        const { output, trace } = tril.gatedFeedForward(from, state, options);
        expect(output.shape).toEqual([1, N, C]);
        expectGradient(output, expected.output.flat());
        expect(trace.hidden.shape).toEqual([1, N, 2 * F]);
        expectGradient(trace.hidden, expected.hidden.flat());
        expectGradient(trace.activated, expected.activated.flat());
        const found = tril.gatedFeedForwardBackward(dOutput, from, state, { activation });
        const ofX = gradient((moved) => of(moved, plain, f).output.flat(), x, d);
        expectGradient(found.dX, ofX);
        for (const name of Object.keys(plain) as Name[]) {
          const moved = (values: readonly number[]) => ({ ...plain, [name]: [...values] });
          const slope = gradient((values) => of(x, moved(values), f).output.flat(), plain[name], d);
          const found_ = found.dWeights[name]!;
          expect(found_.shape).toEqual(shapes[name]);
          expectGradient(found_, slope);
        }
      }
      const out = tril.zeros([1, N, C]);
      expect(tril.gatedFeedForward(from, state, { out }).output).toBe(out);
      expect(out.read()).toEqual(
        tril.gatedFeedForward(from, state, { activation: 'silu' }).output.read(),
      );
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const [x, other] = [tril.zeros([2, 3]), tril.zeros([3, 2])];
      const wrong = { activation: 'tanh' } as never;
      const forward = () => tril.gatedActivation(x, other);
      refuse('gatedActivation', forward, 'up', 'must have the shape of gate, [2, 3], is [3, 2]');
      const unknown = () => tril.gatedActivation(x, x, wrong);
      refuse('gatedActivation', unknown, 'activation', 'there are relu, gelu');
      const call = 'gatedActivationBackward';
      refuse(call, () => tril.gatedActivationBackward(other, x, x), 'dOutput', 'of gate, [2, 3]');
      refuse(call, () => tril.gatedActivationBackward(x, x, other), 'up', 'of gate, [2, 3]');
      refuse(call, () => tril.gatedActivationBackward(x, x, x, wrong), 'activation', 'there are');
      refuse(call, () => tril.gatedActivationBackward(x, x, null as never), 'up', 'a tensor');

      const odd = {
        'linear1.weight': tril.zeros([5, 3]),
        'linear2.weight': tril.zeros([3, 2]),
      };
      const good = { ...odd, 'linear1.weight': tril.zeros([4, 3]) };
      for (const name of ['gatedFeedForward', 'gatedFeedForwardBackward'] as const) {
        const run = (weights: unknown, options = {}) =>
          name === 'gatedFeedForward'
            ? tril.gatedFeedForward(x, weights as FeedForwardWeights, options)
            : tril.gatedFeedForwardBackward(x, x, weights as FeedForwardWeights, options);
        refuse(name, () => run(odd), 'linear1.weight', /./);
        refuse(name, () => run({}), 'linear1.weight', 'no tensor given');
        const { 'linear1.weight': first } = good;
        refuse(name, () => run({ 'linear1.weight': first }), 'linear2.weight', 'no tensor given');
        refuse(name, () => run({ ...good, bias: x }), 'bias', 'unknown weight');
        refuse(name, () => run(good, wrong), 'activation', 'there are relu, gelu');
        refuse(name, () => run(good, { gate: 1 }), 'gate', 'unknown option');
        run(good);
      }
      const back = () => tril.gatedFeedForwardBackward(other, x, good);
      refuse('gatedFeedForwardBackward', back, 'dOutput', 'shape of the output, [2, 3], is [3, 2]');
    });
  });
});
