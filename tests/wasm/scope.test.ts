import type { Tensor } from 'tril';
import { loadTril } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril } from './helpers.js';

const training = await loadTril({ variant: 'simd' });
const alive = () => tril.memory().tensors;

describe('scope', () => {
  it('disposes what was made inside, and keeps what is returned', () => {
    const before = alive();
    let inner: Tensor | undefined;
    const kept = tril.scope(() => {
      inner = tril.zeros([3]);
      return tril.zeros([2]);
    });
    expect(inner!.disposed).toBe(true);
    expect(kept.disposed).toBe(false);
    expect(alive()).toBe(before + 1);
    kept.dispose();
  });

  it('owns whatever holds memory of the module, and keeps what of it is returned', () => {
    const before = training.memory();
    const sizes = { sourceVocabulary: 9, targetVocabulary: 9, context: 6 };
    const make = () => {
      const data = 'the cat sat on the mat. '.repeat(20);
      const trainer = training.trainer({
        model: { layers: 1, heads: 1, width: 8 },
        data,
      });
      return [
        ...[
          trainer,
          training.sequenceTrainer({ model: sizes }),
          training.wordVectors({ data, width: 8 }),
        ],
        ...[
          training.keyValueCache({ width: 2, capacity: 4 }),
          training.tokenizer(trainer.export()),
        ],
        training.prepareWeights({ weight: training.zeros([2, 2]) }).weight,
      ];
    };
    let inner: ReturnType<typeof make> = [];
    const kept = training.scope(() => {
      inner = make();
      return make();
    });
    expect(inner.map(({ disposed }) => disposed)).toEqual(Array(6).fill(true));
    expect(kept.map(({ disposed }) => disposed)).toEqual(Array(6).fill(false));
    for (const each of kept) each.dispose();
    const after = training.memory();
    expect([after.tensors, after.bytes]).toEqual([before.tensors, before.bytes]);
  });

  it('owns what was made before once it is handed over, such as a model', async () => {
    const before = training.memory();
    const trainer = training.trainer({
      model: { layers: 1, heads: 1, width: 8, context: 4 },
      data: 'abcd'.repeat(9),
    });
    const model = await training.loadModel(trainer.export());
    const session = model.session();
    const x = training.scope((own) => {
      expect(own(trainer)).toBe(trainer);
      own(model);
      return own(training.zeros([2]));
    });
    expect([trainer, model, session, x].map(({ disposed }) => disposed)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    training.scope((own) => {
      own(x);
      expect(training.scope((inner) => inner(x))).toBe(x); // returned to the surrounding scope
      expect(x.disposed).toBe(false);
    });
    expect(x.disposed).toBe(true);
    const after = training.memory();
    expect([after.tensors, after.bytes]).toEqual([before.tensors, before.bytes]);
  });

  it('refuses to own what it cannot, and goes on', () => {
    const before = alive();
    const foreign = training.zeros([1]);
    const gone = tril.zeros([2]);
    gone.dispose();
    let late: ((tensor: Tensor) => Tensor) | undefined;
    const kept = tril.scope((own) => {
      late = own;
      const refused: readonly (readonly [unknown, string])[] = [
        [gone, 'has been disposed'],
        [foreign, 'belongs to another loaded module'],
        [[tril.zeros([1])], 'is given an array'],
        [undefined, 'is given undefined'],
      ];
      for (const [value, says] of refused) {
        expectRefused(() => own(value as Tensor), { call: 'scope', argument: 'own', says });
      }
      return tril.zeros([3]);
    });
    expectRefused(() => late!(kept), {
      call: 'scope',
      argument: 'own',
      says: 'after the scope has ended',
    });
    expect(kept.disposed).toBe(false);
    kept.dispose();
    foreign.dispose();
    expect(alive()).toBe(before);
  });

  it('keeps tensors nested in arrays, objects, maps and sets, also in circles', () => {
    const before = alive();
    interface Kept {
      list: Tensor[];
      deep: { map: Map<string, Tensor>; set: Set<Tensor> };
      numbers: Float32Array;
      self?: Kept;
    }
    const kept = tril.scope(() => {
      tril.zeros([1]);
      const result: Kept = {
        list: [tril.zeros([2]), tril.zeros([3])],
        deep: {
          map: new Map([['a', tril.zeros([4])]]),
          set: new Set([tril.zeros([5])]),
        },
        numbers: new Float32Array(10),
      };
      result.self = result;
      return result;
    });
    const tensors = [...kept.list, ...kept.deep.map.values(), ...kept.deep.set];
    expect(tensors.map((tensor) => tensor.disposed)).toEqual([false, false, false, false]);
    expect(alive()).toBe(before + 4);
    for (const tensor of tensors) tensor.dispose();
    expect(alive()).toBe(before);
  });

  it('hands what an inner scope returns to the outer one', () => {
    const before = alive();
    let middle: Tensor | undefined;
    tril.scope(() => {
      middle = tril.scope(() => {
        tril.zeros([1]);
        return tril.zeros([2]);
      });
      expect(middle.disposed).toBe(false);
      expect(alive()).toBe(before + 1);
    });
    expect(middle!.disposed).toBe(true);
    expect(alive()).toBe(before);
  });

  it('leaves alone what was made outside or is disposed already', () => {
    const before = alive();
    const outside = tril.zeros([2]);
    tril.scope(() => {
      tril.zeros([3]).dispose();
      return outside.size;
    });
    expect(outside.disposed).toBe(false);
    outside.dispose();
    expect(alive()).toBe(before);
  });

  it('disposes everything when the body throws', () => {
    const before = alive();
    const body = () =>
      tril.scope(() => {
        tril.zeros([2]);
        throw new RangeError('mine');
      });
    expect(body).toThrow(RangeError);
    expect(alive()).toBe(before);
  });

  it('refuses an asynchronous body', () => {
    const body = () =>
      tril.scope(async () => {
        tril.zeros([2]);
      });
    expectRefused(body, {
      call: 'scope',
      argument: 'body',
      says: 'is asynchronous',
    });
  });

  it('holds no memory over many rounds', () => {
    const before = tril.memory();
    for (let round = 0; round < 200; ++round) {
      tril.scope(() => {
        for (let i = 0; i < 10; ++i) tril.randomNormal([100, 100], { seed: i });
      });
    }
    expect(tril.memory()).toEqual(before);
  });
});

it('gives the memory of forgotten tensors back when garbage is collected', async () => {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const before = alive();
  const forget = () => {
    for (let i = 0; i < 100; ++i) tril.zeros([10]);
  };
  forget();
  expect(alive()).toBe(before + 100);
  for (let tries = 0; tries < 50 && alive() > before; ++tries) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(alive()).toBe(before);
});
