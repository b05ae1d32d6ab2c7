// Playwright records every expectation as a step, with its stack, and sends it to the reporter. That takes half a
// millisecond, and tests that read every cell have hundreds of thousands of them; and it compares files of megabytes
// byte by byte, in half a minute. Here plain data that equal the expected value pass at once; everything else goes to
// Playwright.
import { isDeepStrictEqual } from 'node:util';
import { expect as playwrights } from '@playwright/test';

type Holds = (value: unknown, expected: unknown) => boolean;

const plain = (value: unknown) =>
  ['number', 'string', 'boolean'].includes(typeof value) ||
  Array.isArray(value) ||
  ArrayBuffer.isView(value) ||
  (typeof value === 'object' && value?.constructor === Object);
const numbers =
  (holds: (value: number, limit: number) => boolean): Holds =>
  (value, limit) =>
    typeof value === 'number' && typeof limit === 'number' && holds(value, limit);

/** Each check passes only if Playwright's matcher of the same name does. */
const held: Partial<Record<string, Holds>> = {
  toBe: Object.is,
  toEqual: (value, expected) =>
    plain(value) && plain(expected) && isDeepStrictEqual(value, expected),
  toBeLessThan: numbers((value, limit) => value < limit),
  toBeLessThanOrEqual: numbers((value, limit) => value <= limit),
  toBeGreaterThan: numbers((value, limit) => value > limit),
  toBeGreaterThanOrEqual: numbers((value, limit) => value >= limit),
};

type Matcher = (...expected: unknown[]) => unknown;

/** Makes the failure point to the test's line instead of this file. */
function elsewhere(match: () => unknown): unknown {
  try {
    return match();
  } catch (error) {
    const { stack } = error as Error;
    const frames = stack?.split('\n').filter((line) => !line.includes('/tests/web/expect.ts'));
    if (frames) (error as Error).stack = frames.join('\n');
    throw error;
  }
}

export const expect: typeof playwrights = new Proxy(playwrights, {
  apply(_expect, _this, [value, message]: [unknown, string?]) {
    const matchers = () => playwrights(value, message) as unknown as Record<string, Matcher>;
    const get = (_matchers: object, name: string) => {
      const holds = held[name];
      if (!holds) return matchers()[name];
      return (...expected: unknown[]) =>
        expected.length === 1 && holds(value, expected[0])
          ? undefined
          : elsewhere(() => matchers()[name](...expected));
    };
    return new Proxy({}, { get });
  },
});
