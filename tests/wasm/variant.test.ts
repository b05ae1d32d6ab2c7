import { chooseVariant, detectFeatures, TrilError, variants, type Features } from 'tril';
import { describe, expect, it } from 'vitest';

const booleans = [false, true];
/** All 16 possible engines. */
const engines: Features[] = booleans.flatMap((simd) =>
  booleans.flatMap((exceptions) =>
    booleans.flatMap((relaxedSimd) =>
      booleans.map((threads) => ({ simd, exceptions, relaxedSimd, threads })),
    ),
  ),
);

/** Whether the engine has the features in the variant's name. */
const runs = (engine: Features, variant: string) =>
  engine.simd &&
  engine.exceptions &&
  (engine.relaxedSimd || !variant.includes('relaxed')) &&
  (engine.threads || !variant.includes('threads'));

describe.each(engines)('on an engine with %o', (engine) => {
  it.each([undefined, 1, 2, 8])('with threads: %s', (threads) => {
    const wish = { threads };
    if (!engine.simd || !engine.exceptions) {
      expect(() => chooseVariant(engine, wish)).toThrow(TrilError);
      expect(() => chooseVariant(engine, wish)).toThrow(engine.simd ? 'exceptions' : 'SIMD');
      return;
    }
    const variant = chooseVariant(engine, wish);
    expect(runs(engine, variant)).toBe(true);
    expect(variant.startsWith('relaxed')).toBe(engine.relaxedSimd);
    expect(variant.endsWith('threads')).toBe(engine.threads && (threads ?? 1) > 1);
  });

  it.each(variants)('with variant: %s', (variant) => {
    const choose = () => chooseVariant(engine, { variant });
    if (runs(engine, variant)) expect(choose()).toBe(variant);
    else expect(choose).toThrow(new RegExp(`^loadTril: variant: .*"${variant}"`));
  });
});

it('changes none of its arguments and gives the same again', () => {
  const engine = Object.freeze({ simd: true, exceptions: true, relaxedSimd: true, threads: true });
  const wish = Object.freeze({ threads: 2 });
  expect(chooseVariant(engine, wish)).toBe('relaxed-threads');
  expect(chooseVariant(engine, wish)).toBe('relaxed-threads');
});

it('names the nearest variant for an unknown one', () => {
  const variant = 'relaxd' as 'relaxed';
  expect(() => chooseVariant(detectFeatures(), { variant })).toThrow('did you mean "relaxed"?');
});

it('sees what Node can do', () => {
  expect(detectFeatures()).toMatchObject({ simd: true, exceptions: true, threads: true });
});

it('asks no process for modules but Node’s: that of Next.js on the edge throws', () => {
  const { process } = globalThis;
  const edge = {
    env: {},
    get getBuiltinModule(): never {
      throw new Error('not supported in the Edge Runtime');
    },
  };
  Object.assign(globalThis, { process: edge });
  try {
    expect(detectFeatures()).toMatchObject({ simd: true, threads: false });
  } finally {
    Object.assign(globalThis, { process });
  }
});
