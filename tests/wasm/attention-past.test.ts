import type { Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { tril, withoutLeak } from './helpers.js';
import { attentionTolerance as tolerance, headsOf } from './reference.js';
import { expectClose, randomMatrix, type Matrix } from './reference.js';

describe('past and present', () => {
  it('continue a sequence token by token', () => {
    withoutLeak(() => {
      const [T, H, D] = [7, 2, 3];
      const all = [1, 2, 3].map((seed) => headsOf(H, T, D, seed * 10));
      const [q, k, v] = all.map((each) => tril.tensor(each)) as [Tensor, Tensor, Tensor];
      const whole = tril.attention(q, k, v, { causal: true }).output.toArray() as Matrix[];
      const part = (which: number, first: number, last: number) =>
        tril.tensor(all[which]!.map((head) => head.slice(first, last)));
      let past = { key: part(1, 0, 2), value: part(2, 0, 2) };
      for (let t = 2; t < T; ++t) {
        const now = [0, 1, 2].map((which) => part(which, t, t + 1));
        const [qt, kt, vt] = now as [Tensor, Tensor, Tensor];
        const { output, present } = tril.attention(qt, kt, vt, { causal: true, past });
        expectClose(
          output.read(),
          whole.flatMap((head) => head[t]!),
          tolerance,
        );
        expect(present.key.shape).toEqual([H, t + 1, D]);
        expect(present.key.toArray()).toEqual(part(1, 0, t + 1).toArray());
        expect(present.value.toArray()).toEqual(part(2, 0, t + 1).toArray());
        past = present;
      }
    });
  });

  it('work with heads side by side', () => {
    withoutLeak(() => {
      const x = randomMatrix(5, 6, 1);
      const whole = tril.tensor([x]);
      const [before, now] = [tril.tensor([x.slice(0, 3)]), tril.tensor([x.slice(3)])];
      const past = { key: before, value: before };
      const options = { heads: 2, causal: true };
      const got = tril.attention(now, now, now, { ...options, past });
      expect(got.present.key.toArray()).toEqual(whole.toArray());
      const expected = tril.attention(whole, whole, whole, options).output.read();
      expectClose(got.output.read(), expected.slice(3 * 6), tolerance);
    });
  });
});
