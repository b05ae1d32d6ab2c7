// Every call of the package and of its objects, with random values of every kind, most of them wrong: each ends in a
// result or in a TrilError, the next call works, and nothing is left behind. `TRIL_SEED=n` repeats a failed seed;
// `TRIL_CALLS=n` makes more calls.
import { activations, attentionMethods, matmulMethods } from 'tril';
import { KeyValueCache, Tensor, TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectWorking } from './helpers.js';
import { tril as explained } from './explained.js';
import { tril as trained } from './trained.js';

const seed = Number(process.env['TRIL_SEED'] ?? 1);
const calls = Number(process.env['TRIL_CALLS'] ?? 20_000);

/** Random numbers of mulberry32. */
function generator(state: number) {
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { below, pick: <Value>(values: readonly Value[]): Value => values[below(values.length)]! };
}

type Call = (...values: unknown[]) => unknown;

/** Every call, by its dotted name. */
function callsOf(object: object, before: readonly string[] = []): [string, Call][] {
  return Object.entries(object).flatMap(([name, value]): [string, Call][] => {
    const path = [...before, name];
    if (typeof value === 'function') return [[path.join('.'), value as Call]];
    return typeof value === 'object' && value !== null ? callsOf(value as object, path) : [];
  });
}

/** The methods of a class, to be called on any `this`. */
function methodsOf(kind: { readonly name: string; readonly prototype: object }): [string, Call][] {
  return Object.entries(Object.getOwnPropertyDescriptors(kind.prototype)).flatMap(
    ([name, { value }]): [string, Call][] => {
      // Constructors and raw() are not public, and a disposed object would be missing later.
      if (typeof value !== 'function' || ['constructor', 'raw', 'dispose'].includes(name))
        return [];
      return [[`${kind.name}.${name}`, value as Call]];
    },
  );
}

// runPeak() would take most of the time, a second per round; trainers of all sizes have their own tests; and after
// close() every call fails.
const withoutThese = ['runPeak', 'trainer', 'close'];
const ofTensor = methodsOf(Tensor);
const ofCache = methodsOf(KeyValueCache);

const optionNames = [
  ...['out', 'axis', 'axes', 'eps', 'weight', 'bias', 'mask', 'causal', 'scale', 'softcap', 'past'],
  ...['keyLengths', 'heads', 'kvHeads', 'method', 'trace', 'transposeA', 'transposeB', 'levels'],
  ...['temperature', 'seed', 'low', 'high', 'shape', 'left', 'right', 'local', 'stride', 'kind'],
  ...[
    'allowFewerKeys',
    'short',
    'positions',
    'base',
    'cos',
    'sin',
    'pairs',
    'width',
    'activation',
    'approximate',
  ],
  ...['part', 'diagonal', 'reset', 'featureMap', 'order', 'normalise', 'needWeights', 'e', 'f'],
  ...['context', 'valueContext', 'averageWeights', 'preNorm', 'memoryMask', 'blocks', 'wavelength'],
  ...['ratio', 'absolute', 'relative', 'key', 'value', 'queries', 'keys', 'rows', 'cols', 'depth'],
  ...['batches', 'block', 'lineBytes', 'ways', 'sets', 'sum', 'hidden', 'dtype', 'linear1.weight'],
  ...['in_proj_weight', 'out_proj.weight', 'w_q', 'w_k', 'v', 'linear2.weight', 'stable'],
  ...['logSumExp', 'rotary', 'capacity', 'batch', 'norm', 'sourceMask', 'targetMask', 'threads'],
  ...['keepDims'],
];
const words = [
  ...[...attentionMethods, ...matmulMethods, ...activations],
  ...['additive', 'boolean', 'upper', 'interleaved', 'identity', 'dots', 'tanh', 'float16', ''],
];
const numbers = [0, 1, 2, 3, 4, 5, 8, -1, -2, 0.5, NaN, Infinity, -Infinity, 1e5, 2 ** 31, 2 ** 53];
const shapes = [
  '1',
  '2',
  '4',
  '0',
  '2 4',
  '4 4',
  '4 2',
  '3 0',
  '0 4',
  '2 4 4',
  '1 2 4 4',
  '2 2 4 4',
]
  .concat('2 0 4', '1 2 0 4', '2 1 1 1 2', '1 1 1 1 1 1 1 1 2')
  .map((sizes) => sizes.split(' ').map(Number));
const odd: readonly unknown[] = [
  ...[null, undefined, true, false, Symbol('odd'), 5n, () => 1, async () => 1, new Map(), {}],
  ...[[], [[]], [[1, 2], [3]], [1, 2, 3], ['a'], [Symbol('odd')], [null], [[1], [2]]],
  ...[Object.create(null), new Date(), new Float32Array(4), new Int32Array([1, 2])],
  ...[new Uint8Array(8), new ArrayBuffer(3)],
];

describe('random calls', () => {
  it.each([
    ['lessons', explained],
    ['training', trained],
  ])(
    `of %s are answered or refused by a TrilError, seed ${seed}`,
    async (_, tril) => {
      const random = generator(seed);
      const ofModule = callsOf(tril).filter(([name]) => !withoutThese.includes(name));
      const known = [...ofModule, ...ofTensor, ...ofCache];
      const before = tril.memory().tensors;
      const pool: Tensor[] = shapes.map((shape) => tril.randomNormal(shape, { seed: 1 }));
      const caches = [2, 4].map((heads) => tril.keyValueCache({ heads, width: 4, capacity: 8 }));
      const gone = [tril.zeros([2]), tril.keyValueCache({ width: 4, capacity: 1 })];
      for (const each of gone) each.dispose();
      const masks = [
        tril.mask.causal(),
        tril.mask.padding([1, 2]),
        tril.mask.dense(pool[4]!, { kind: 'additive' }),
      ];
      const values = (depth: number): unknown => {
        const kind = random.below(depth > 2 ? 6 : 10);
        if (kind < 4) return random.pick(pool);
        if (kind === 4) return random.pick(numbers);
        if (kind === 5) {
          const lists = [masks, caches, gone, odd, odd, words, words];
          return random.pick<unknown>(random.pick<readonly unknown[]>(lists));
        }
        if (kind === 6) return random.pick(shapes);
        const options: Record<string, unknown> = {};
        for (let n = random.below(4); n > 0; --n) {
          options[random.pick(optionNames)] = values(depth + 1);
        }
        return options;
      };
      const failures: string[] = [];
      for (let n = 0; n < calls; ++n) {
        const [name, call] = random.pick(known);
        const given = Array.from({ length: random.below(5) }, () => values(0));
        const owners: readonly unknown[] = ofTensor.some(([each]) => each === name)
          ? [...pool, gone[0]]
          : ofCache.some(([each]) => each === name)
            ? [...caches, gone[1]]
            : [undefined];
        try {
          const result = tril.scope(() => {
            const made = call.apply(random.pick(owners), given);
            // The objects of a promise outlive this scope.
            return made instanceof Promise ? { promise: made } : undefined;
          });
          await result?.promise;
        } catch (error) {
          if (!(error instanceof TrilError)) {
            failures.push(`${n}: ${name} with ${given.length} values: ${String(error)}`);
          }
          expectWorking(tril);
        }
      }
      for (const owned of [...pool, ...caches]) owned.dispose();
      expect(failures).toEqual([]);
      expect(tril.memory().tensors - before).toBe(0);
    },
    120_000,
  );
});
