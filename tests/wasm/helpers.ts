// Helpers for the tests: one loaded module, and the requirements for every refused call.
import { loadTril, TrilError, type Tensor, type Tril } from 'tril';
import { expect } from 'vitest';

/** The plainest variant, so that the tests run on any engine. */
export const tril: Tril = await loadTril({ variant: 'simd' });

interface Refusal {
  readonly call: string;
  readonly argument: string;
  /** A part of the message. */
  readonly says: RegExp | string;
  /** The shapes in the error; checked if given. */
  readonly shapes?: Record<string, readonly number[]>;
  /** A tensor that the call was to write. */
  readonly out?: Tensor;
}

/**
 * Expects `body` to throw a TrilError that names call and argument, and to leave `out` unchanged, no memory allocated
 * and a working module.
 */
export function expectRefused(body: () => unknown, refusal: Refusal, module = tril): TrilError {
  const before = module.memory();
  const outBefore = refusal.out?.read();
  let error: unknown;
  try {
    body();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(TrilError);
  const refused = error as TrilError;
  expect(refused.call).toBe(refusal.call);
  expect(refused.argument).toBe(refusal.argument);
  if (typeof refusal.says === 'string') expect(refused.message).toContain(refusal.says);
  else expect(refused.message).toMatch(refusal.says);
  expect(refused.message.startsWith(`${refusal.call}: ${refusal.argument}: `)).toBe(true);
  if (refusal.shapes) expect(refused.shapes).toEqual(refusal.shapes);
  expect(module.memory()).toEqual(before);
  if (refusal.out) expect(refusal.out.read()).toEqual(outBefore);
  expectWorking(module);
  return refused;
}

/** The same helpers for another module. */
export const helpersOf = (module: Tril) => ({
  expectRefused: (body: () => unknown, refusal: Refusal, other: Tril = module) =>
    expectRefused(body, refusal, other),
  withoutLeak: (body: () => void) => withoutLeak(body, module),
});

/** A small round trip through the module. */
export function expectWorking(module: Tril = tril): void {
  const tensor = module.tensor([2, 2], [1, 2, 3, 4]);
  expect(tensor.toArray()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  tensor.dispose();
}

/** Runs `body` in a scope, and expects the same number of live tensors after it as before. */
export function withoutLeak(body: () => void, module = tril): void {
  const before = module.memory();
  module.scope(body);
  const { tensors, bytes } = module.memory();
  expect({ tensors, bytes }).toEqual({ tensors: before.tensors, bytes: before.bytes });
}
