// The logits after the last token alone.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { farthest, filesOf, tokens, tril, values, withModel } from './golden-models.js';

const families = ['gpt2', 'llama', 'qwen2'];

function refusalOf(body: () => unknown): string {
  const before = tril.memory();
  let error: unknown;
  try {
    body();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(TrilError);
  expect(tril.memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
  return (error as TrilError).message;
}

describe('the last row of logits', () => {
  it.each(families)('is that of all, alone or with a trace: %s', (name) =>
    withModel(filesOf(name), (model) => {
      tril.scope(() => {
        const all = model.forward(tokens, { trace: true });
        const row = values(all.logits).slice(-48);
        const last = model.forward(tokens, { last: true });
        expect(last.logits.shape).toEqual([48]);
        expect('trace' in last).toBe(false);
        expect(farthest(values(last.logits), row)).toBeLessThan(1e-5);
        expect(values(model.forward(tokens, { last: false }).logits)).toEqual(values(all.logits));
        const traced = model.forward(tokens, { last: true, trace: true });
        expect(traced.logits.shape).toEqual([48]);
        expect(farthest(values(traced.logits), row)).toBeLessThan(1e-5);
        const layer = traced.trace.layers.at(-1)!;
        expect(values(layer.logits!)).toEqual(values(all.trace.layers.at(-1)!.logits!));
        expect(values(traced.trace.lnFinal)).toEqual(values(all.trace.lnFinal));
        const without = [{ layer: 0 }];
        const changed = model.forward(tokens, { last: true, without });
        const whole = values(model.forward(tokens, { without }).logits).slice(-48);
        expect(farthest(values(changed.logits), whole)).toBeLessThan(1e-5);
        expect(values(model.forward([5], { last: true }).logits)).toEqual(
          values(model.forward([5]).logits),
        );
      });
    }),
  );

  it('is refused as all are', () =>
    withModel(filesOf('llama'), (model) => {
      const refusal = (options: object, ids = [1]) => refusalOf(() => model.forward(ids, options));
      expect(refusal({ last: 1 })).toBe('forward: last: must be true or false, is 1');
      expect(refusal({ last: true }, [])).toBe('forward: tokens: there are none');
      expect(refusal({ last: true }, [999])).toMatch(/^forward: tokens: 999/);
    }));
});
