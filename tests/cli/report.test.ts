// The reports of the commands: on files, differences and speed.
import { describe, expect, it } from 'vitest';
import { npy, report, safetensors, tril, write, writeNpy } from './program.js';

const halves = Float32Array.of(0.5, 1.5, -1, 0);

describe('info', () => {
  it('tells type, shape and statistics', () => {
    writeNpy('x.npy', [2, 3], [1, 2, 3, 4, NaN, Infinity]);
    expect(tril('info', 'x.npy').out).toBe(
      'x.npy: float32 [2, 3], 1 to 4, mean 2.5, deviation 1.118, 1 NaN, 1 infinite\n',
    );
    expect(report('info', 'x.npy')).toEqual({
      file: 'x.npy',
      format: 'npy',
      tensors: [
        {
          type: 'float32',
          shape: [2, 3],
          elements: 6,
          zero: 0,
          nan: 1,
          infinite: 1,
          smallest: 1,
          largest: 4,
          mean: 2.5,
          deviation: Math.sqrt(1.25),
        },
      ],
    });
  });

  it('reads doubles as doubles', () => {
    const values = Float64Array.of(1e300, 1e300 + 1e285);
    write('x.npy', npy('<f8', [2], new Uint8Array(values.buffer)));
    const { smallest, largest } = report('info', 'x.npy').tensors[0];
    expect([smallest, largest]).toEqual([...values]);
  });

  it('tells each tensor of a .safetensors file, and what is written beside them', () => {
    const tensors = {
      'a.weight': { shape: [2, 2], values: halves },
      b: { shape: [], values: Float32Array.of(7) },
    };
    write('x.safetensors', safetensors(tensors, { format: 'pt', 'a\nb': 'ü' }));
    expect(tril('info', 'x.safetensors').out.split('\n')).toEqual([
      'a.weight: float32 [2, 2], -1 to 1.5, mean 0.25, deviation 0.9014, 1 zero',
      'b: float32 [], 7 to 7, mean 7, deviation 0',
      '"a\\nb" = "ü"',
      '"format" = "pt"',
      '',
    ]);
    const { metadata, tensors: told } = report('info', 'x.safetensors');
    expect(metadata).toEqual({ format: 'pt', 'a\nb': 'ü' });
    expect(told.map(({ name, shape }: { name: string; shape: number[] }) => [name, shape])).toEqual(
      [
        ['a.weight', [2, 2]],
        ['b', []],
      ],
    );
  });
});

describe('check', () => {
  it('takes a file for the same as itself, NaN and all', () => {
    writeNpy('x.npy', [4], [NaN, Infinity, -Infinity, 1]);
    const outcome = tril('check', 'x.npy', 'x.npy', '--atol', '0', '--rtol', '0');
    expect(outcome).toMatchObject({ code: 0, error: '' });
    expect(outcome.out).toMatch(
      /beyond the tolerance {4}0\nthe same within 0 \+ 0 \* \|expected\|\n$/,
    );
    expect(outcome.out).toContain('\n  NaN in both             1, which count as the same\n');
    const [{ nan_in_both: both }] = JSON.parse(
      tril('check', 'x.npy', 'x.npy', '--json').out,
    ).tensors;
    expect(both).toBe(1);
    writeNpy('y.npy', [4], [NaN, Infinity, -Infinity, NaN]);
    const other = tril('check', 'x.npy', 'y.npy');
    expect(other.code).toBe(1);
    expect(other.out).toMatch(/beyond the tolerance {4}1\ndifferent/);
  });

  it('tells norms, the worst element and how many are beyond', () => {
    writeNpy('expected.npy', [2, 3], [1, 2, 4, 0, 0, 0]);
    writeNpy('actual.npy', [2, 3], [1, 2, 4.5, 0, 0.25, 0]);
    const both = ['expected.npy', 'actual.npy'];
    const { code, out } = tril('check', ...both, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      passes: false,
      atol: 1e-5,
      rtol: 1.3e-6,
      tensors: [
        {
          shape: [2, 3],
          elements: 6,
          frobenius: Math.hypot(0.5, 0.25),
          relative_frobenius: expect.closeTo(Math.hypot(0.5, 0.25) / Math.sqrt(21), 14),
          max_absolute: 0.5,
          max_relative: null, // 0.25 / 0
          worst: { index: [0, 2], expected: 4, actual: 4.5 },
          beyond: 2,
          passes: false,
        },
      ],
    });
    expect(tril('check', ...both, '--atol', '0.5').code).toBe(0);
    expect(tril('check', ...both, '--atol', '0.25', '--rtol', '0.05').code).toBe(1);
    expect(tril('check', ...both, '--atol', '0.25', '--rtol', '0.0625').code).toBe(0);
  });

  it('has no share of nothing to tell', () => {
    writeNpy('nothing.npy', [2], [0, 0]);
    writeNpy('little.npy', [2], [0.25, 0]);
    const { out } = tril('check', 'nothing.npy', 'little.npy');
    expect(out).toContain('norm of the difference  0.25, over that of EXPECTED inf\n');
  });

  it('sees what only doubles can tell apart', () => {
    for (const [name, value] of Object.entries({ one: 1, more: 1 + 2 ** -40 })) {
      write(`${name}.npy`, npy('<f8', [1], new Uint8Array(Float64Array.of(value).buffer)));
    }
    const { code, out } = tril(
      'check',
      'one.npy',
      'more.npy',
      '--atol',
      '0',
      '--rtol',
      '0',
      '--json',
    );
    expect(code).toBe(1);
    expect(JSON.parse(out).tensors[0].max_absolute).toBe(2 ** -40);
  });

  it('finds shapes and names that differ', () => {
    writeNpy('x.npy', [4], halves);
    writeNpy('y.npy', [2, 2], halves);
    expect(tril('check', 'x.npy', 'y.npy')).toMatchObject({
      code: 1,
      out: expect.stringContaining('shape [2, 2], expected [4]'),
    });
    const tensor = { shape: [4], values: halves };
    write('x.safetensors', safetensors({ a: tensor, b: tensor }));
    write('y.safetensors', safetensors({ b: tensor, c: tensor }));
    const { code, out } = tril('check', 'x.safetensors', 'y.safetensors');
    expect(code).toBe(1);
    expect(out).toMatch(/^a: missing in y\.safetensors\nb: 4 elements/);
    expect(out).toMatch(/^c: missing in x\.safetensors$/m);
    expect(tril('check', 'x.safetensors', 'x.safetensors').code).toBe(0);
  });
});

it('bench measures what it is asked for, beside the peak', () => {
  const sizes = ['--sizes', '16,32', '--tokens', '8', '--rounds', '2'];
  const { rounds, threads, results } = report('bench', ...sizes);
  expect({ rounds, threads }).toEqual({ rounds: 2, threads: 1 });
  const names = results.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['peak of one thread', 'matmul 16', 'matmul 32', 'causal attention 8']);
  for (const { gflops, smallest, largest, share_of_peak } of results) {
    expect(smallest).toBeGreaterThan(0);
    expect(gflops).toBeGreaterThanOrEqual(smallest);
    expect(largest).toBeGreaterThanOrEqual(gflops);
    expect(share_of_peak).toBeGreaterThan(0);
  }
  expect(results[0].share_of_peak).toBe(1);
});
