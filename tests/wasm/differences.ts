// Gradients by central differences, and the tolerance for comparing gradients with them.
import type { Tensor } from 'tril';
import { epsilon, expectClose, type Matrix } from './reference.js';

/**
 * All numbers here are below 2, sums have up to 32 terms, and the differences are exact to 1e-9: 64 roundings of
 * numbers of that size.
 */
export function gradient(
  f: (x: readonly number[]) => readonly number[],
  x: readonly number[],
  d: readonly number[],
): number[] {
  const h = 1e-5;
  const at = (i: number, step: number) =>
    f(x.map((value, j) => (i === j ? value + step : value))).reduce(
      (sum, value, j) => sum + value * d[j]!,
      0,
    );
  return x.map((_, i) => (at(i, h) - at(i, -h)) / (2 * h));
}

export const rows = (numbers: readonly number[], width: number): Matrix =>
  Array.from({ length: numbers.length / width }, (_, i) =>
    numbers.slice(i * width, (i + 1) * width),
  );

/**
 * All numbers here are below 2, sums have up to 32 terms, and the differences are exact to 1e-9: 64
 * roundings of numbers of that size.
 */
export const tolerance = 128 * epsilon;

export function expectGradient(actual: Tensor, expected: readonly number[]): void {
  expectClose(actual.read(), expected, tolerance);
}
