// The attention weights of a model's trace alone, for every family, here and in a Worker.
import { TrilError } from 'tril';
import { describe, expect, it } from 'vitest';
import { filesOf, tokens, tril, values, withModel } from './golden-models.js';
import { tril as remote } from './remote.js';

const families = ['gpt2', 'llama', 'qwen2', 'qwen3'];

describe('attention', () => {
  it.each(families)('is what the trace has of it: %s', (name) =>
    withModel(filesOf(name), (model) => {
      tril.scope(() => {
        const { trace } = model.forward(tokens, { trace: true });
        const found = model.attention(tokens);
        const [layers, heads] = [trace.layers.length, trace.layers[0]!.weights.shape[0]];
        expect([...found.tokens]).toEqual(tokens);
        expect(found.weights.shape).toEqual([layers, heads, tokens.length, tokens.length]);
        expect(values(found.weights)).toEqual(trace.layers.flatMap((each) => values(each.weights)));
        for (const row of found.weights.toArray().flat(2) as unknown as number[][]) {
          expect(row.reduce((sum, share) => sum + share)).toBeCloseTo(1, 6);
        }
      });
    }),
  );

  it('takes a text, in a Worker as here', async () => {
    const model = { layers: 1, heads: 2, width: 8, context: 8 };
    const files = tril.trainer({ model, data: 'the cat. '.repeat(40) }).export();
    const there = await remote.loadModel(files);
    const said = await there.attention('cat.');
    await withModel(files, (here) => {
      tril.scope(() => {
        const found = here.attention('cat.');
        expect(found.tokens).toEqual(here.encode('cat.'));
        expect(said.tokens).toEqual(found.tokens);
        expect(found.weights.shape).toEqual([1, 2, 4, 4]);
      });
    });
    expect(said.weights.shape).toEqual([1, 2, 4, 4]);
    await Promise.all([said.weights.dispose(), there.dispose()]);
  });

  it('is refused without tokens, with too many or with what is none, and nothing is kept', () =>
    withModel(filesOf('llama'), (model) => {
      const refusalOf = (given: unknown) => {
        const before = tril.memory();
        try {
          model.attention(given as string);
        } catch (error) {
          expect(error).toBeInstanceOf(TrilError);
          expect(tril.memory()).toMatchObject({ tensors: before.tensors, bytes: before.bytes });
          return (error as TrilError).message;
        }
        throw new Error('it was not refused');
      };
      expect(refusalOf([])).toMatch(
        /^attention: tokens: must be from 1 to the context of \d+, are 0$/,
      );
      expect(refusalOf(new Int32Array(9999))).toMatch(/, are 9999$/);
      expect(refusalOf([1, 48])).toBe(
        'attention: tokens: 48 at 1 is outside the vocabulary (0..47)',
      );
      expect(refusalOf('the')).toMatch(/^attention: tokenizer: /);
      expect(refusalOf({})).toMatch(/^attention: tokens: /);
      tril.scope(() =>
        expect(model.attention([1]).weights.read()).toHaveLength(model.attention([1]).weights.size),
      );
    }));
});
