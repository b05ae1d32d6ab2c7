import type { AttentionOptions } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { attention, attentionTolerance as tolerance, epsilon } from './reference.js';
import { expectClose, randomMatrix, tracedMethods } from './reference.js';

const additive = { kind: 'additive' } as const;

describe('masks', () => {
  const n = 9;
  const x = randomMatrix(n, 4, 5);
  const rules: [string, () => AttentionOptions, (t: number, s: number) => boolean][] = [
    ['causal', () => ({ mask: tril.mask.causal() }), (t, s) => s <= t],
    ['the causal option', () => ({ causal: true }), (t, s) => s <= t],
    [
      'window',
      () => ({ mask: tril.mask.window({ left: 2, right: 1 }) }),
      (t, s) => s >= t - 2 && s <= t + 1,
    ],
    ['window without end', () => ({ mask: tril.mask.window({ right: 1 }) }), (t, s) => s <= t + 1],
    ['window without limits', () => ({ mask: tril.mask.window({}) }), () => true],
    [
      'strided',
      () => ({ mask: tril.mask.strided({ local: 2, stride: 3 }) }),
      (t, s) => Math.abs(t - s) < 2 || (t - s) % 3 === 0,
    ],
    ['padding', () => ({ mask: tril.mask.padding([4]) }), (_, s) => s < 4],
    [
      'all of several',
      () => ({
        causal: true,
        mask: tril.mask.and(tril.mask.window({ left: 3 }), tril.mask.padding([7])),
      }),
      (t, s) => s <= t && s >= t - 3 && s < 7,
    ],
    ['none of several', () => ({ mask: tril.mask.and() }), () => true],
    [
      'boolean',
      () => ({
        mask: tril.mask.dense(
          tril.tensor(x.map((_, t) => x.map((__, s) => ((t * s) % 3 === 0 ? 1 : 0)))),
          { kind: 'boolean' },
        ),
      }),
      (t, s) => (t * s) % 3 === 0,
    ],
    [
      'additive -inf',
      () => ({
        mask: tril.mask.dense(
          tril.tensor(x.map((_, t) => x.map((__, s) => (s === t ? -Infinity : 0)))),
          { kind: 'additive' },
        ),
      }),
      (t, s) => s !== t,
    ],
  ];

  it.each(rules)('%s', (_, options, sees) => {
    withoutLeak(() => {
      const tensor = tril.tensor(x);
      for (const method of tracedMethods) {
        const got = tril.attention(tensor, tensor, tensor, {
          ...options(),
          method,
          ...{ trace: true },
        } as const);
        const expected = attention(x, x, x, sees);
        expectClose(got.trace.masked.read(), expected.masked.flat(), tolerance);
        expectClose(got.output.read(), expected.output.flat(), tolerance);
      }
      const online = { ...options(), method: 'online' } as const;
      const { output } = tril.attention(tensor, tensor, tensor, online);
      expectClose(output.read(), attention(x, x, x, sees).output.flat(), tolerance);
    });
  });

  it('are values that can be used again, with dense ones broadcast over heads and batches', () => {
    withoutLeak(() => {
      const q = tril.tensor([2, 3, 2, 2], randomMatrix(1, 24, 1)[0]!);
      for (const shape of [[2], [2, 2], [3, 1, 2], [2, 1, 2, 2], [1, 1, 1, 1]]) {
        const count = shape.reduce((a, b) => a * b, 1);
        const values = randomMatrix(1, count, 7)[0]!;
        const mask = tril.mask.dense(tril.tensor(shape, values), { kind: 'additive' });
        const run = () => tril.attention(q, q, q, { mask, trace: true }).trace;
        const { scores, masked } = run();
        const [before, after] = [scores.read(), masked.read()];
        const full = [...Array<number>(4 - shape.length).fill(1), ...shape];
        const at = (index: number[]) =>
          values[
            index.reduce((sum, i, axis) => sum * full[axis]! + (full[axis] === 1 ? 0 : i), 0)
          ]!;
        before.forEach((score, i) => {
          const index = [Math.floor(i / 12), Math.floor(i / 4) % 3, Math.floor(i / 2) % 2, i % 2];
          expect(Math.abs(after[i]! - (score + at(index)))).toBeLessThanOrEqual(4 * epsilon);
        });
        expect(run().masked.read()).toEqual(after);
      }
    });
  });

  it('refuse bad numbers when they are made', () => {
    withoutLeak(() => {
      const mask = tril.mask;
      const bad = (body: () => unknown, call: string, argument: string, says: string) =>
        expectRefused(body, { call: `mask.${call}`, argument, says });
      bad(() => mask.window({ left: -1 }), 'window', 'left', 'at least 0, is -1');
      bad(() => mask.window({ right: NaN }), 'window', 'right', 'is NaN');
      bad(() => mask.window({ lft: 1 } as object), 'window', 'lft', 'did you mean "left"?');
      bad(() => mask.strided({ local: 0, stride: 1 }), 'strided', 'local', 'at least 1');
      bad(() => mask.strided({ local: 1 } as never), 'strided', 'stride', 'at least 1');
      bad(() => mask.padding([1, -1]), 'padding', 'lengths', 'at least 0, is -1');
      bad(() => mask.padding([1, 0.5]), 'padding', 'lengths', 'is 0.5');
      bad(() => mask.padding(3 as never), 'padding', 'lengths', 'must be an array');
      const tensor = tril.zeros([2, 2]);
      bad(
        () => mask.dense(tensor, {} as never),
        'dense',
        'kind',
        'must be "additive" or "boolean"',
      );
      bad(() => mask.dense([1] as never, { kind: 'boolean' }), 'dense', 'tensor', 'a tensor');
      bad(() => mask.and(mask.causal(), {} as never), 'and', 'mask', 'must be a mask');
    });
  });

  it.each([null, undefined, 1])('are nothing else, such as %o', (mask) => {
    const says = 'must be a mask (tril.mask makes one)';
    const and = () => tril.mask.and(tril.mask.causal(), mask as never);
    expectRefused(and, { call: 'mask.and', argument: 'mask', says });
    const drawn = () => tril.mask.toTensor(mask as never, [2, 2]);
    expectRefused(drawn, { call: 'mask.toTensor', argument: 'mask', says });
  });

  it('refuse shapes that do not fit when they are used', () => {
    withoutLeak(() => {
      const x = tril.zeros([2, 1, 3, 4]);
      const wide = tril.zeros([3, 4]);
      const deep = tril.zeros([1, 1, 1, 1, 1]);
      const kind = 'additive';
      const use = (mask: ReturnType<typeof tril.mask.causal>, says: RegExp | string) =>
        expectRefused(() => tril.attention(x, x, x, { mask }), {
          call: 'attention',
          argument: 'mask',
          says,
        });
      use(tril.mask.dense(wide, { kind }), /\[1, 1, 3, 4\]/);
      use(tril.mask.dense(deep, { kind }), 'at most four axes');
      use(tril.mask.padding([1, 2, 3]), /3/);
      use(tril.mask.padding([1, 5]), /5/);
      const gone = tril.zeros([3, 3]);
      const mask = tril.mask.dense(gone, { kind });
      gone.dispose();
      use(mask, 'has been disposed; its shape was [3, 3]');
    });
  });

  it('can be shorter than the keys where that is asked for', () => {
    withoutLeak(() => {
      const x = tril.randomNormal([5, 4], { seed: 1 });
      const values = tril.tensor([[1, -Infinity, 3]]);
      for (const kind of ['additive', 'boolean'] as const) {
        const mask = tril.mask.dense(values, { kind, allowFewerKeys: true });
        const { trace } = tril.attention(x, x, x, { mask, trace: true });
        const sees = kind === 'additive' ? [true, false, true] : [true, true, true];
        trace.masked.toArray<number[][]>().forEach((row) => {
          expect(row.map((score) => score > -Infinity)).toEqual([...sees, false, false]);
        });
        expectRefused(() => tril.attention(x, x, x, { mask: tril.mask.dense(values, { kind }) }), {
          ...{ call: 'attention', argument: 'mask', says: 'does not broadcast' },
        });
      }
      const narrow = tril.zeros([2, 2]);
      const mask = tril.mask.dense(values, { kind: 'additive', allowFewerKeys: true });
      expectRefused(() => tril.attention(narrow, narrow, narrow, { mask }), {
        ...{ call: 'attention', argument: 'mask', says: 'does not broadcast' },
      });
      const allowFewerKeys = 1 as unknown as boolean;
      expectRefused(() => tril.mask.dense(values, { kind: 'additive', allowFewerKeys }), {
        ...{ call: 'mask.dense', argument: 'allowFewerKeys', says: 'true or false' },
      });
    });
  });

  it('can be drawn: as what they add to scores of a shape', () => {
    withoutLeak(() => {
      const no = -Infinity;
      const { mask } = tril;
      expect(mask.toTensor(mask.causal(), [2, 3]).toArray()).toEqual([
        [0, no, no],
        [0, 0, no],
      ]);
      expect(mask.toTensor(mask.causal(), [2, 3], { past: 1 }).toArray()).toEqual([
        [0, 0, no],
        [0, 0, 0],
      ]);
      const both = mask.and(mask.padding([1, 2]), mask.dense(tril.tensor([5, 6]), additive));
      expect(mask.toTensor(both, [2, 1, 1, 2]).toArray()).toEqual([[[[5, no]]], [[[5, 6]]]]);
      expect(mask.toTensor(mask.window({ left: 0, right: 0 }), [1, 2, 2]).toArray()).toEqual([
        [
          [0, no],
          [no, 0],
        ],
      ]);
      const call = 'mask.toTensor';
      const bad = (body: () => unknown, argument: string, says: string) =>
        expectRefused(body, { call, argument, says });
      bad(() => mask.toTensor(mask.causal(), [3]), 'shape', 'must be [T, S]');
      bad(() => mask.toTensor(mask.causal(), [3, -1]), 'shape', 'at least 0');
      bad(() => mask.toTensor(mask.padding([1]), [2, 1, 2, 2]), 'mask', '1 lengths for 2 batches');
      bad(() => mask.toTensor(mask.padding([4]), [2, 2]), 'mask', 'length 4 is more');
      bad(() => mask.toTensor({} as never, [2, 2]), 'mask', 'must be a mask');
      bad(() => mask.toTensor(mask.causal(), [2, 2], { past: -1 }), 'past', 'at least 0');
    });
  });
});
