import { inspect } from 'node:util';
import { loadTril, Tensor, TrilError, type FloatArray } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { limited } from './limited.js';

describe('tensor', () => {
  it('takes its shape from nested numbers', () => {
    withoutLeak(() => {
      expect(tril.tensor([1, 2, 3]).shape).toEqual([3]);
      const cube = tril.tensor([
        [[1], [2]],
        [[3], [4]],
        [[5], [6]],
      ]);
      expect(cube.shape).toEqual([3, 2, 1]);
      expect(cube.rank).toBe(3);
      expect(cube.size).toBe(6);
      expect([...cube.read()]).toEqual([1, 2, 3, 4, 5, 6]);
      expect(tril.tensor(Float64Array.of(1, 2)).shape).toEqual([2]);
    });
  });

  it('takes flat numbers, nested numbers and typed arrays for a shape', () => {
    withoutLeak(() => {
      const nested = [
        [1, 2, 3],
        [4, 5, 6],
      ];
      const flat = nested.flat();
      for (const data of [
        nested,
        flat,
        Float32Array.from(flat),
        Float64Array.from(flat),
        Int8Array.from(flat),
        Uint16Array.from(flat),
      ]) {
        expect(tril.tensor([2, 3], data).toArray()).toEqual(nested);
      }
    });
  });

  it('is read into an array of yours, and written from one', () => {
    const kinds: { of(...values: number[]): FloatArray }[] = [Float32Array, Float64Array];
    // Node before 24 lacks it.
    const half = (globalThis as { Float16Array?: typeof Float32Array }).Float16Array;
    if (half) kinds.push(half);
    for (const kind of kinds) {
      withoutLeak(() => {
        const values = kind.of(1.5, -0.25, 65504, -0);
        const tensor = tril.zeros([2, 2]).write(values);
        expect(tril.tensor(values).shape).toEqual([4]);
        const into = kind.of(9, 9, 9, 9);
        expect(tensor.read(into)).toBe(into);
        expect(into).toEqual(values);
      });
    }
    withoutLeak(() => {
      const tensor = tril.tensor(Float64Array.of(0.1, 1e39));
      expect([...tensor.read(new Float64Array(2))]).toEqual([Math.fround(0.1), Infinity]);
    });
  });

  it.each([
    [new Float32Array(3), 'has 3 numbers, 4 are needed'],
    [new Int32Array(4), 'must be a Float32Array, Float64Array or Float16Array, is a Int32Array'],
    [[0, 0, 0, 0], 'must be a Float32Array, Float64Array or Float16Array, is an array'],
    [null, 'must be a Float32Array, Float64Array or Float16Array, is null'],
  ])('is not read into %o', (into, says) => {
    const tensor = tril.tensor([1, 2, 3, 4]);
    const body = () => tensor.read(into as Float32Array);
    expectRefused(body, { call: 'read', argument: 'into', says });
    if (into) expect([...into].every((value) => value === 0)).toBe(true);
    tensor.dispose();
  });

  it('rounds to float32, and keeps infinities, NaN and the sign of zero', () => {
    withoutLeak(() => {
      const values = [0.1, Infinity, -Infinity, NaN, -0, 1e-45, 3e38, 1e39];
      expect([...tril.tensor(values).read()]).toEqual(values.map(Math.fround));
    });
  });

  it('copies: later changes of the source are not seen', () => {
    withoutLeak(() => {
      const source = Float32Array.of(1, 2);
      const tensor = tril.tensor([2], source);
      source[0] = 9;
      expect([...tensor.read()]).toEqual([1, 2]);
      tensor.read()[0] = 9;
      expect([...tensor.read()]).toEqual([1, 2]);
    });
  });

  it('cannot be given another shape', () => {
    withoutLeak(() => {
      const tensor = tril.zeros([2, 3]);
      expect(Object.isFrozen(tensor.shape)).toBe(true);
      expect([...tensor.read()]).toEqual([0, 0, 0, 0, 0, 0]);
      expect(String(tensor)).toBe('Tensor [2, 3]');
    });
  });

  it('of a hundred million rows without elements is no array', () => {
    withoutLeak(() => {
      const tensor = tril.zeros([2 ** 27, 0]);
      expectRefused(() => tensor.toArray(), {
        ...{ call: 'toArray', argument: 'tensor' },
        says: 'has too many rows for arrays; shape is [134217728, 0]',
      });
      expect(inspect(tensor)).toBe('Tensor [134217728, 0]');
    });
  });

  it('keeps a large one whole', () => {
    withoutLeak(() => {
      const values = Float32Array.from({ length: 1_000_000 }, (_, i) => i);
      expect(tril.tensor([1000, 1000], values).read()).toEqual(values);
    });
  });

  it.each([
    [[2, NaN], 'axis 1 is not a whole number; shape is [2, NaN]'],
    [[2.5], 'axis 0 is not a whole number; shape is [2.5]'],
    [[Infinity], 'axis 0 is not a whole number'],
    [['2', 2], 'axis 0 is not a whole number'],
    [[, 2], 'axis 0 is not a whole number'],
    [[-1], 'axis 0 must be at least 0; shape is [-1]'],
    [[], 'at least one axis'],
    [[2 ** 31], 'larger than can be addressed'],
    [7, 'must be an array of sizes, is 7'],
    [[2, Symbol('2')], 'axis 1 is not a whole number; shape is [2, Symbol(2)]'],
    [[Object.create(null)], 'axis 0 is not a whole number; shape is [a bare object]'],
    [null, 'must be an array of sizes, is null'],
  ])('refuses the shape %o', (shape, says) => {
    const given = shape as number[];
    expectRefused(() => tril.zeros(given), { call: 'zeros', argument: 'shape', says });
    expectRefused(() => tril.tensor(given, [1]), { call: 'tensor', argument: 'shape', says });
    const random = () => tril.randomNormal(given, { seed: 1 });
    expectRefused(random, { call: 'randomNormal', argument: 'shape', says });
  });

  it.each([
    [[[1, 2], [3]], 'at [1] must be an array of 2, is an array of 1; shape is [2, 2]'],
    [[[1, 2], 3], 'at [1] must be an array of 2, is 3'],
    [[1, [2]], 'at [1] must be a number, is an array'],
    [[1, '2'], 'at [1] must be a number, is "2"'],
    [[1, undefined], 'at [1] must be a number, is undefined'],
    [[1, , 3], 'at [1] must be a number, is undefined'],
    ['12', 'must be an array of numbers or a typed array, is "12"'],
    [undefined, 'must be an array of numbers or a typed array, is undefined'],
    [new BigInt64Array(2), 'must be an array of numbers or a typed array, is a BigInt64Array'],
    [new Map(), 'must be an array of numbers or a typed array, is a Map'],
  ])('refuses the data %o', (data, says) => {
    const body = () => tril.tensor(data as number[]);
    expectRefused(body, { call: 'tensor', argument: 'data', says });
  });

  it('refuses data that does not fit the shape', () => {
    const refusal = { call: 'tensor', argument: 'data', shapes: { shape: [2, 3] } };
    const short = new Float32Array(5);
    const says = 'has 5 numbers, shape [2, 3] needs 6';
    expectRefused(() => tril.tensor([2, 3], short), { ...refusal, says });
    expectRefused(() => tril.tensor([2, 3], [1, 2, 3, 4, 5]), { ...refusal, says });
    const turned = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    const row = { ...refusal, says: 'at the top must be an array of 2, is an array of 3' };
    expectRefused(() => tril.tensor([2, 3], turned), row);
  });
});

it.each<[string, string, (x: Tensor, none: Tensor) => unknown]>([
  ['relu', 'x', (_, none) => tril.relu(none)],
  ['matmul', 'b', (x, none) => tril.matmul(x, none)],
  ['linear', 'weight', (x, none) => tril.linear(x, none)],
  ['layerNorm', 'x', (_, none) => tril.layerNorm(none)],
  ['attention', 'value', (x, none) => tril.attention(x, x, none)],
  ['compare', 'actual', (x, none) => tril.compare(x, none)],
  ['lowRankAttention', 'f', (x, none) => tril.lowRankAttention(x, x, x, { e: x, f: none })],
])('refuses null in %s as what is no tensor, %s', (call, argument, compute) => {
  withoutLeak(() => {
    const x = tril.zeros([2, 2]);
    const says = 'must be a tensor (tril.tensor makes one), is null';
    expectRefused(() => compute(x, null as unknown as Tensor), { call, argument, says });
  });
});

it('refuses an array that is inside itself', () => {
  const endless: unknown[] = [];
  endless.push(endless);
  expectRefused(() => tril.tensor(endless as number[]), {
    call: 'tensor',
    argument: 'data',
    says: 'must be a number, is an array',
  });
});

describe('out of memory', () => {
  it('is an error that says how much was asked for, and nothing is lost', () => {
    const tooMuch =
      /: memory: is not enough: a tensor of shape \[536870911\] takes 2047 MiB, and there are [0-9]+$/;
    const zeros = { call: 'zeros', argument: 'memory', says: tooMuch };
    expectRefused(() => limited.zeros([2 ** 29 - 1]), zeros, limited);
    const normal = { call: 'randomNormal', argument: 'memory', says: tooMuch };
    expectRefused(() => limited.randomNormal([2 ** 29 - 1], { seed: 1 }), normal, limited);
  });

  it('comes before an overflow of the size', () => {
    for (const shape of [
      [2 ** 31 - 1, 2 ** 31 - 1],
      [2 ** 16, 2 ** 16],
      [2 ** 16, 2 ** 16, 2 ** 16, 2 ** 16],
    ]) {
      const says = /too large/;
      expectRefused(() => tril.zeros(shape), { call: 'zeros', argument: 'shape', says });
    }
  });

  it('can be reached and left again in small steps', () => {
    const held: Tensor[] = [];
    const fill = () => {
      for (;;) held.push(limited.zeros([2 ** 24]));
    };
    expect(fill).toThrow('zeros: memory: is not enough: a tensor of shape [16777216] takes 64 MiB');
    expect(held.length).toBeGreaterThanOrEqual(6);
    expect(limited.memory().tensors).toBe(held.length);
    for (const tensor of held) tensor.dispose();
    expect(limited.memory()).toMatchObject({ tensors: 0, bytes: 0 });
    limited.zeros([2 ** 26]).dispose();
  });
});

describe('write', () => {
  it('overwrites all numbers and returns the tensor', () => {
    withoutLeak(() => {
      const tensor = tril.zeros([2, 2]);
      expect(tensor.write([1, 2, 3, 4])).toBe(tensor);
      expect([...tensor.read()]).toEqual([1, 2, 3, 4]);
    });
  });

  it('refuses what does not fit and writes nothing', () => {
    withoutLeak(() => {
      const out = tril.tensor([1, 2]);
      const refusal = { call: 'write', argument: 'data', out };
      expectRefused(() => out.write([1, 2, 3]), { ...refusal, says: 'has 3 numbers' });
      expectRefused(() => out.write([9, null as unknown as number]), {
        ...refusal,
        says: 'at [1] must be a number, is null',
      });
    });
  });
});

describe('dispose', () => {
  it('gives the memory back, once', () => {
    const before = tril.memory();
    const tensor = tril.zeros([4, 4]);
    expect(tril.memory()).toMatchObject({ tensors: before.tensors + 1, bytes: before.bytes + 64 });
    expect(tensor.disposed).toBe(false);
    tensor.dispose();
    tensor.dispose();
    expect(tensor.disposed).toBe(true);
    expect(tensor.shape).toEqual([4, 4]);
    expect(tril.memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
  });

  it('happens at the end of a using declaration', () => {
    const before = tril.memory().tensors;
    {
      using tensor = tril.zeros([2]);
      expect(tensor.disposed).toBe(false);
      expect(tril.memory().tensors).toBe(before + 1);
    }
    expect(tril.memory().tensors).toBe(before);
  });

  it('is an error for every later use', () => {
    const tensor = tril.zeros([2, 3]);
    tensor.dispose();
    const shapes = { tensor: [2, 3] };
    const says = 'has been disposed; its shape was [2, 3]';
    const refusal = { argument: 'tensor', says, shapes };
    expectRefused(() => tensor.read(), { call: 'read', ...refusal });
    expectRefused(() => tensor.toArray(), { call: 'read', ...refusal });
    expectRefused(() => tensor.view(() => 0), { call: 'view', ...refusal });
    expectRefused(() => tensor.write([1, 2, 3, 4, 5, 6]), { call: 'write', ...refusal });
  });
});

it('shows its shape and numbers on a console, and nothing of its inside', () => {
  const tensor = tril.tensor([2, 2], [1, 2, 3, 4.5]);
  expect(inspect(tensor)).toBe('Tensor [2, 2] [ [ 1, 2 ], [ 3, 4.5 ] ]');
  expect(inspect({ tensor })).toBe('{ tensor: Tensor [2, 2] [ [ 1, 2 ], [ 3, 4.5 ] ] }');
  expect(JSON.stringify({ tensor })).toBe('{"tensor":[[1,2],[3,4.5]]}');
  tensor.dispose();
  expect(inspect(tensor)).toBe('Tensor [2, 2], disposed');
  using large = tril.zeros([7, 11, 13]);
  expect(inspect(large)).toBe('Tensor [7, 11, 13]');
});

it('is made by calls, not by its constructor', () => {
  expect(() => new (Tensor as unknown as new () => unknown)()).toThrow(TrilError);
});

it('makes the same random numbers for the same seed in every variant', async () => {
  const numbers = (module: typeof tril, seed: number) =>
    module.scope(() => module.randomNormal([1000], { seed }).read());
  const expected = numbers(tril, 42);
  for (const variant of ['relaxed', 'simd-threads', 'relaxed-threads'] as const) {
    expect(numbers(await loadTril({ variant }), 42)).toEqual(expected);
  }
  expect(numbers(tril, 42)).toEqual(expected);
  expect(numbers(tril, 43)).not.toEqual(expected);
  // The mean of 1000 numbers is normal with deviation 1 / sqrt(1000); beyond 5 deviations is 1 in 1.7 million.
  const mean = expected.reduce((sum, value) => sum + value, 0) / expected.length;
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(expected.length));
});

it.each([
  [1, 0],
  [-3e38, 3e38],
  [NaN, 1],
])('refuses uniform numbers from %s to %s', (low, high) => {
  expectRefused(() => tril.randomUniform([2], { seed: 1, low, high }), {
    call: 'randomUniform',
    argument: 'high',
    says: `must be at least low, ${low}, and less than 2^128 above it, is ${high}`,
  });
});

it.each([[-1], [0.5], [NaN], [2 ** 53], [undefined]])('refuses the seed %s', (seed) => {
  expectRefused(() => tril.randomNormal([2], { seed: seed as number }), {
    call: 'randomNormal',
    argument: 'seed',
    says: 'must be a whole number from 0',
  });
});
