// The results of the commands, against PyTorch's numbers in ../golden and exact products.
import { describe, expect, it } from 'vitest';
import { Random, golden } from '../wasm/golden.js';
import {
  expectClose,
  npy,
  read,
  readNpy,
  report,
  safetensors,
  tril,
  write,
  writeNpy,
} from './program.js';

const size = (shape: readonly number[]) => shape.reduce((product, each) => product * each, 1);

/** Writes queries, keys and values as make_attention.py draws them for case number `index`. */
function writeInputs(index: number, sizes: readonly number[]): Random {
  const [b, h, hk, t, s, d, dv] = sizes as [number, number, number, number, number, number, number];
  const random = new Random(100 + index);
  const shapes = { q: [b, h, t, d], k: [b, hk, s, d], v: [b, hk, s, dv] };
  for (const [name, shape] of Object.entries(shapes)) {
    writeNpy(`${name}.npy`, shape, random.normal(size(shape)));
  }
  return random;
}
const inputs = ['--q', 'q.npy', '--k', 'k.npy', '--v', 'v.npy', '-o', 'out.npy'];

function expectGolden(name: string) {
  const expected = golden(`attention/${name}`);
  const actual = readNpy('out.npy');
  expect(actual.shape).toEqual(expected.shape);
  expectClose(actual.values, expected.values);
}

describe('attention', () => {
  it.each<[string, number, number[], string[]]>([
    ['pair_causal', 1, [3, 2, 2, 2, 2, 3, 5], ['--causal']],
    ['odd', 2, [1, 3, 3, 7, 5, 5, 3], []],
    ['grouped', 10, [3, 8, 2, 7, 7, 4, 4], ['--causal', '--threads', '2']],
    ['scale', 12, [1, 2, 2, 7, 7, 4, 4], ['--scale', '0.3']],
    [
      'softcap',
      13,
      [1, 2, 2, 7, 9, 4, 4],
      ['--scale', '2', '--softcap', '1.5', '--causal', '--threads', '1'],
    ],
    ['past', 22, [3, 2, 1, 7, 12, 4, 4], ['--past', '5', '--causal']],
  ])('gives PyTorch’s %s', (name, index, sizes, options) => {
    writeInputs(index, sizes);
    for (const method of ['auto', 'full', 'blocked', 'online']) {
      const { output } = report('attention', ...inputs, ...options, '--method', method);
      expect(output).toEqual({
        file: 'out.npy',
        type: 'float32',
        shape: golden(`attention/${name}`).shape,
      });
      expectGolden(name);
    }
  });

  it('adds a mask of floats', () => {
    const random = writeInputs(19, [3, 2, 2, 7, 9, 4, 4]);
    writeNpy('mask.npy', [3, 1, 7, 9], random.normal(3 * 7 * 9));
    report('attention', ...inputs, '--mask', 'mask.npy');
    expectGolden('additive');
  });

  it('hides by a mask of bools', () => {
    const random = writeInputs(21, [3, 2, 2, 7, 9, 4, 4]);
    const visible = Uint8Array.from(random.uniform(2 * 7 * 9), (u) => Number(u < 0.5));
    write('mask.npy', npy('|b1', [1, 2, 7, 9], visible));
    report('attention', ...inputs, '--mask', 'mask.npy');
    expectGolden('boolean');
  });

  it('has no rows without queries, and zeros without keys', () => {
    const attend = (queries: number, keys: number, ...more: string[]) => {
      writeNpy('q.npy', [2, queries, 4], new Float32Array(8 * queries));
      writeNpy('k.npy', [2, keys, 4], new Float32Array(8 * keys));
      writeNpy('v.npy', [2, keys, 3], new Float32Array(6 * keys));
      report('attention', ...inputs, ...more);
      return readNpy('out.npy');
    };
    for (const method of ['auto', 'full', 'blocked', 'online']) {
      const more = ['--method', method];
      expect(attend(0, 5, ...more)).toEqual({ shape: [2, 0, 3], values: new Float32Array() });
      expect(attend(0, 0, ...more).shape).toEqual([2, 0, 3]);
      const zeros = { shape: [2, 5, 3], values: new Float32Array(30) };
      expect(attend(5, 0, ...more)).toEqual(zeros);
      expect(attend(5, 0, '--causal', ...more)).toEqual(zeros);
    }
    attend(5, 0, '--weights', 'weights.npy');
    expect(readNpy('weights.npy').shape).toEqual([1, 2, 5, 0]);
    expect(report('info', 'weights.npy').tensors).toMatchObject([{ elements: 0, nan: 0 }]);
    expect(report('check', 'weights.npy', 'weights.npy')).toMatchObject({ passes: true });
    write('two.npy', Buffer.concat([read('q.npy'), read('k.npy')]));
    expect(report('info', 'two.npy').tensors).toMatchObject([
      { name: 'arr_0', shape: [2, 5, 4] },
      { name: 'arr_1', shape: [2, 0, 4] },
    ]);
    expect(report('check', 'two.npy', 'two.npy').tensors).toHaveLength(2);
  });

  it('takes heads side by side, and writes them so', () => {
    const [b, h, t, d] = [3, 2, 7, 4];
    const random = new Random(1);
    const drawn = ['q', 'k', 'v'].map((name) => ({ name, values: random.normal(b * h * t * d) }));
    for (const { name, values } of drawn) {
      writeNpy(`${name}.npy`, [b, t, h * d], values);
    }
    const args = ['--causal', '--weights', 'weights.npy'];
    const { output, weights } = report('attention', ...inputs, '--heads', '2', ...args);
    expect(output.shape).toEqual([b, t, h * d]);
    expect(weights.shape).toEqual([b, h, t, t]);
    const together = readNpy('out.npy').values;
    // The same with the heads separated.
    const apart = (values: Float32Array) =>
      Float32Array.from(values, (_, i) => {
        const [x, token] = [i % d, Math.floor(i / d) % t];
        const [head, batch] = [Math.floor(i / (d * t)) % h, Math.floor(i / (d * t * h))];
        return values[((batch * t + token) * h + head) * d + x]!;
      });
    for (const { name, values } of drawn) writeNpy(`${name}.npy`, [b, h, t, d], apart(values));
    report('attention', ...inputs, '--causal');
    expect(readNpy('out.npy').values).toEqual(apart(together));
    const rows = readNpy('weights.npy').values;
    expect([rows[0], rows[1]]).toEqual([1, 0]);
  });
});

describe('matmul', () => {
  /** Integers, whose products are exact. */
  const whole = (count: number, seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: count }, () => (random.bits() % 17) - 8);
  };
  const product = (a: number[], b: number[], rows: number, depth: number, cols: number) =>
    Array.from({ length: rows * cols }, (_, at) => {
      const [i, j] = [Math.floor(at / cols), at % cols];
      let sum = 0;
      for (let k = 0; k < depth; ++k) sum += a[i * depth + k]! * b[k * cols + j]!;
      return sum;
    });

  it.each('auto tiled strassen eigen blocked ijk ikj jik jki kij kji'.split(' '))(
    'is exact by %s',
    (method) => {
      const [a, b] = [whole(33 * 20, 1), whole(20 * 9, 2)];
      writeNpy('a.npy', [33, 20], a);
      writeNpy('b.npy', [20, 9], b);
      report('matmul', 'a.npy', 'b.npy', '-o', 'out.npy', '--method', method);
      expect([...readNpy('out.npy').values]).toEqual(product(a, b, 33, 20, 9));
    },
  );

  it('of no terms is 0, and of no matrices is none', () => {
    writeNpy('a.npy', [2, 0], []);
    writeNpy('b.npy', [0, 3], []);
    report('matmul', 'a.npy', 'b.npy', '-o', 'out.npy');
    expect(readNpy('out.npy')).toEqual({ shape: [2, 3], values: new Float32Array(6) });
    writeNpy('a.npy', [0, 2, 4], []);
    writeNpy('b.npy', [1, 4, 3], new Float32Array(12));
    report('matmul', 'a.npy', 'b.npy', '-o', 'out.npy');
    expect(readNpy('out.npy').shape).toEqual([0, 2, 3]);
  });

  it('broadcasts, and takes vectors, as NumPy does', () => {
    const [a, b] = [whole(2 * 3 * 4, 3), whole(4 * 5, 4)];
    writeNpy('a.npy', [2, 1, 3, 4], a);
    writeNpy('b.npy', [4, 5], b);
    writeNpy('row.npy', [4], b.slice(0, 4));
    const shapeOf = (left: string, right: string) =>
      report('matmul', left, right, '-o', 'out.npy').output.shape;
    expect(shapeOf('a.npy', 'b.npy')).toEqual([2, 1, 3, 5]);
    expect([...readNpy('out.npy').values]).toEqual(product(a, b, 6, 4, 5));
    expect(shapeOf('a.npy', 'row.npy')).toEqual([2, 1, 3]);
    expect([...readNpy('out.npy').values]).toEqual(product(a, b.slice(0, 4), 6, 4, 1));
    expect(shapeOf('row.npy', 'b.npy')).toEqual([5]);
    expect([...readNpy('out.npy').values]).toEqual(product(b.slice(0, 4), b, 1, 4, 5));
    expect(shapeOf('row.npy', 'row.npy')).toEqual([]);
    expect([...readNpy('out.npy').values]).toEqual(product(b.slice(0, 4), b.slice(0, 4), 1, 4, 1));
  });

  it('transposes', () => {
    const [a, b] = [whole(6, 5), whole(8, 6)];
    const turned = (values: number[], rows: number) =>
      values.map((_, at) => values[(at % rows) * (values.length / rows) + Math.floor(at / rows)]!);
    writeNpy('a.npy', [2, 3], turned(a, 3));
    writeNpy('b.npy', [4, 2], turned(b, 2));
    report('matmul', 'a.npy', 'b.npy', '-o', 'out.npy', '--transpose-a', '--transpose-b');
    expect([...readNpy('out.npy').values]).toEqual(product(a, b, 3, 2, 4));
  });
});

describe('block', () => {
  /** nn.TransformerEncoderLayer's state_dict, drawn as in tests/core/block_weights.h. */
  function layer(random: Random, width: number, inner: number, plain: boolean, prefix = '') {
    const matrix = (out: number, inputs: number) => {
      let scale = 1;
      for (let squared = 1; squared < inputs; squared *= 4) scale /= 2;
      return {
        shape: [out, inputs],
        values: random.uniform(out * inputs).map((u) => u * scale),
      };
    };
    const vector = (length: number, base: number, scale: number) => ({
      shape: [length],
      values: random.uniform(length).map((u) => base + u * scale),
    });
    const parts: [string, () => { shape: number[]; values: Float32Array }][] = [
      ['self_attn.in_proj_weight', () => matrix(3 * width, width)],
      ['self_attn.in_proj_bias', () => vector(3 * width, 0, 1 / 8)],
      ['self_attn.out_proj.weight', () => matrix(width, width)],
      ['self_attn.out_proj.bias', () => vector(width, 0, 1 / 8)],
      ['linear1.weight', () => matrix(inner, width)],
      ['linear1.bias', () => vector(inner, 0, 1 / 8)],
      ['linear2.weight', () => matrix(width, inner)],
      ['linear2.bias', () => vector(width, 0, 1 / 8)],
      ['norm1.weight', () => vector(width, 1, 1 / 4)],
      ['norm1.bias', () => vector(width, 0, 1 / 8)],
      ['norm2.weight', () => vector(width, 1, 1 / 4)],
      ['norm2.bias', () => vector(width, 0, 1 / 8)],
    ];
    const kept = parts.filter(([name]) => !plain || !/bias|norm/.test(name));
    return Object.fromEntries(kept.map(([name, draw]) => [prefix + name, draw()]));
  }

  it.each([
    ['plain', 7],
    ['full', 8],
  ])('gives PyTorch’s, %s', (kind, seed) => {
    for (const order of ['post', 'pre']) {
      const random = new Random(seed);
      write('layer.safetensors', safetensors(layer(random, 64, 128, kind === 'plain')));
      writeNpy('x.npy', [1, 100, 64], random.uniform(6400));
      const args = ['--x', 'x.npy', '--heads', '4', '--causal', '--norm', order, '-o', 'out.npy'];
      report('block', '--weights', 'layer.safetensors', ...args);
      const expected = golden(`block/classic_${kind}_${order}`);
      expect(readNpy('out.npy').shape).toEqual(expected.shape);
      expectClose(readNpy('out.npy').values, expected.values);
    }
  });

  it('finds one layer of a whole model by its prefix', () => {
    const random = new Random(8);
    const weights = layer(random, 64, 128, false, 'encoder.layers.1.');
    const other = { 'embedding.weight': { shape: [2], values: Float32Array.of(1, 2) } };
    write('model.safetensors', safetensors({ ...other, ...weights }, { format: 'pt' }));
    writeNpy('x.npy', [100, 64], random.uniform(6400));
    const args = ['--x', 'x.npy', '--heads', '4', '--causal', '-o', 'out.npy'];
    const prefix = ['--prefix', 'encoder.layers.1.'];
    const { output } = report('block', '--weights', 'model.safetensors', ...prefix, ...args);
    expect(output.shape).toEqual([100, 64]);
    expectClose(readNpy('out.npy').values, golden('block/classic_full_post').values);
  });
});

it('says on stdout what it wrote', () => {
  writeNpy('a.npy', [1, 2], [1, 2]);
  writeNpy('b.npy', [2, 3], [1, 2, 3, 4, 5, 6]);
  expect(tril('matmul', 'a.npy', 'b.npy', '-o', 'out.npy')).toEqual({
    code: 0,
    out: 'out.npy: float32 [1, 3]\n',
    error: '', // no progress, since this is not a terminal
  });
  expect(read('out.npy').subarray(128)).toEqual(Buffer.from(Float32Array.of(9, 12, 15).buffer));
});
