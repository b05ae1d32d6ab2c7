// PyTorch's numbers in ../golden, and the random generator of their inputs. It is written from the definitions, not
// from the core: it is also the reference for tril's random numbers.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Tensor } from 'tril';
import { expect } from 'vitest';

const mask64 = 2n ** 64n - 1n;

/** PCG32 (O'Neill 2014), as in golden.py. */
export class Random {
  #state: bigint;

  constructor(seed: number) {
    this.#state = Random.#next((1442695040888963407n + BigInt(seed)) & mask64);
  }

  static #next(state: bigint): bigint {
    return (state * 6364136223846793005n + 1442695040888963407n) & mask64;
  }

  /** 32 random bits. */
  bits(): number {
    const old = this.#state;
    this.#state = Random.#next(old);
    const mixed = Number((((old >> 18n) ^ old) >> 27n) & 0xffffffffn);
    const turn = Number(old >> 59n);
    return ((mixed >>> turn) | (mixed << (-turn & 31))) >>> 0;
  }

  /** A uniform number in [0, 1), a multiple of 2^-24. */
  unit(): number {
    return (this.bits() >>> 8) * 2 ** -24;
  }

  /** Uniform numbers in [-1, 1), times `bound`, in float32. */
  uniform(count: number, bound = 1): Float32Array {
    return Float32Array.from({ length: count }, () =>
      Math.fround((2 * this.unit() - 1) * Math.fround(bound)),
    );
  }

  /** Normal numbers by Box and Muller's transform. */
  normal(count: number): Float32Array {
    return Float32Array.from({ length: count }, () => {
      const radius = 1 - this.unit();
      return Math.sqrt(-2 * Math.log(radius)) * Math.cos(2 * Math.PI * this.unit());
    });
  }
}

export interface Golden {
  readonly shape: number[];
  readonly values: Float32Array;
}

/** Reads tests/golden/NAME.npy: little-endian float32 in row-major order (NumPy's format, version 1). */
export function golden(name: string): Golden {
  const file = readFileSync(fileURLToPath(new URL(`../golden/${name}.npy`, import.meta.url)));
  const headerBytes = file.readUInt16LE(8);
  const header = file.toString('latin1', 10, 10 + headerBytes);
  if (!/'descr': '<f4', 'fortran_order': False/.test(header)) throw new Error(`${name}: ${header}`);
  const shape = [.../\(([^)]*)\)/.exec(header)![1]!.matchAll(/\d+/g)].map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  const bytes = file.subarray(10 + headerBytes);
  if (bytes.length !== 4 * count) throw new Error(`${name}: ${bytes.length} bytes for ${header}`);
  return {
    shape,
    values: Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(4 * i)),
  };
}

/** The tolerances atol 1e-5 and rtol 1.3e-6 of PyTorch's own tests of a single operation. */
export function expectGolden(actual: Tensor, name: string, absolute = 1e-5): void {
  const { shape, values } = golden(name);
  expect(actual.shape).toEqual(shape);
  expectPyTorchs(actual.read(), values, name, absolute);
}

/** The same for plain numbers. */
export function expectPyTorchs(
  got: ArrayLike<number>,
  values: Float32Array,
  name: string,
  absolute = 1e-5,
): void {
  expect(got.length).toBe(values.length);
  values.forEach((value, i) => {
    const error = Math.abs(got[i]! - value);
    if (error <= absolute + 1.3e-6 * Math.abs(value)) return;
    expect.fail(`${name}: number ${i} of ${values.length}: expected ${value}, is ${got[i]}`);
  });
}
