// Models with replaced activations and parts switched off, against equivalent results.
import type { ForwardOptions, Replacement, TextOptions } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { farthest, filesOf, tokens, tril, values, withModel } from './golden-models.js';

describe('a model that is changed', () => {
  const others = tokens.map((token) => (5 * token + 11) % 48);

  it.each(['gpt2', 'qwen2'])('by its own activations says the same to the bit (%s)', (name) =>
    withModel(filesOf(name), (model) => {
      tril.scope(() => {
        const { logits, trace } = model.forward(tokens, { trace: true });
        const width = trace!.embedded.shape[1]!;
        const replace: Replacement[] = trace!.layers.flatMap((at, layer) => [
          ...at.heads.toArray<number[][][]>().map((rows, head) => ({ layer, head, values: rows })),
          { layer, part: 'attention' as const, values: at.attnOut },
          { layer, part: 'feedForward' as const, values: at.mlpOut },
          { layer, part: 'residual' as const, values: at.residPost },
        ]);
        replace.push({ layer: -1, part: 'residual', values: trace!.embedded });
        for (const each of [...replace.map((one) => [one]), replace]) {
          expect(values(model.forward(tokens, { replace: each }).logits)).toEqual(values(logits));
        }
        // The outputs of attention and feed-forward are the differences of the residual stream.
        const [x, added, between] = [
          trace!.embedded,
          trace!.layers[0]!.attnOut,
          trace!.layers[0]!.residMid,
        ];
        expect(values(x).map((one, i) => Math.fround(one + values(added)[i]!))).toEqual(
          values(between),
        );
        expect(added.shape).toEqual([24, width]);
      });
    }),
  );

  it('by activations of another text says what that says', () =>
    withModel(filesOf('llama'), (model) => {
      tril.scope(() => {
        const here = model.forward(tokens, { trace: true });
        const there = model.forward(others, { trace: true });
        const [ours, theirs] = [here, there].map(({ logits }) => logits.toArray<number[][]>());
        const rows = there.trace!.layers[1]!.residPost.toArray<number[][]>();
        const patched = (...replace: Replacement[]) =>
          model.forward(tokens, { replace }).logits.toArray<number[][]>();
        // A patch after the last layer, at the last position.
        const last = patched({ layer: 1, part: 'residual', positions: 23, values: rows[23]! });
        expect(last).toEqual([...ours!.slice(0, 23), theirs![23]]);
        const some = patched({
          layer: 1,
          part: 'residual',
          positions: [3, 20],
          values: [rows[3]!, rows[20]!],
        });
        expect(some).toEqual(ours!.map((row, t) => (t === 3 || t === 20 ? theirs![t] : row)));
        // A patch before the first layer, at every position.
        expect(patched({ layer: -1, part: 'residual', values: there.trace!.embedded })).toEqual(
          theirs,
        );
        // A patch of a head: earlier positions stay, and later positions look back at it.
        const head = there.trace!.layers[0]!.heads.toArray<number[][][]>()[2]!;
        const behind = patched({
          layer: 0,
          head: 2,
          positions: 10,
          values: Float32Array.from(head[10]!),
        });
        expect(behind.slice(0, 10)).toEqual(ours!.slice(0, 10));
        expect(farthest(behind[10]!, ours![10]!)).toBeGreaterThan(1e-5);
        expect(farthest(behind[23]!, ours![23]!)).toBeGreaterThan(1e-6);
        // The model keeps no patch.
        expect(model.forward(tokens).logits.toArray()).toEqual(ours);
      });
    }));

  it('is without heads and parts, at some positions or all', () =>
    withModel(filesOf('gpt2'), (model) => {
      tril.scope(() => {
        const said = (options: ForwardOptions) => values(model.forward(tokens, options).logits);
        const zeros = (
          layer: number,
          part: 'attention' | 'feedForward',
          positions?: number,
        ): Replacement => ({
          ...{ layer, part, values: new Float32Array(16) },
          ...(positions !== undefined && { positions }),
        });
        expect(said({ without: [{ layer: 1, part: 'attention' }] })).toEqual(
          said({ replace: [zeros(1, 'attention')] }),
        );
        expect(said({ without: [{ layer: 0, positions: 4 }] })).toEqual(
          said({ replace: [zeros(0, 'attention', 4), zeros(0, 'feedForward', 4)] }),
        );
        const all = { without: [{ layer: 0, positions: tokens.map((_, t) => t) }] };
        expect(said(all)).toEqual(said({ without: [{ layer: 0 }] }));
        const head = said({ without: [{ layer: 0, head: 1, positions: [20] }] });
        const before = said({});
        expect(head.slice(0, 20 * 48)).toEqual(before.slice(0, 20 * 48));
        expect(farthest(head.slice(20 * 48), before.slice(20 * 48))).toBeGreaterThan(1e-5);
      });
    }));

  it('goes on with a text so', () =>
    withModel(filesOf('llama'), async (model) => {
      const prompt = tokens.slice(0, 6);
      const drawn = async (options: TextOptions) => {
        const found: number[] = [];
        const given = { maxTokens: 8, temperature: 0, ...options };
        for await (const { token } of model.generate(prompt, given))
          if (token !== undefined) found.push(token);
        return found;
      };
      const { trace, logits } = model.forward(others, { trace: true });
      const rows = trace!.layers[1]!.residPost.toArray<number[][]>();
      logits.dispose();
      const changes = {
        without: [{ layer: 0, head: 1 }],
        replace: [
          { layer: 1, part: 'residual' as const, positions: [5, 7], values: [rows[5]!, rows[7]!] },
        ],
      };
      const found = await drawn(changes);
      const all = [...prompt];
      for (const token of found) {
        const { logits: said } = model.forward(all, {
          without: changes.without,
          replace: changes.replace.map((each) => {
            const positions = each.positions.filter((position) => position < all.length);
            return { ...each, positions, values: each.values.slice(0, positions.length) };
          }),
        });
        const last = said.toArray<number[][]>().at(-1)!;
        said.dispose();
        expect(token).toBe(last.indexOf(Math.max(...last)));
        all.push(token);
      }
      expect(found).not.toEqual(await drawn({}));
      for (const each of [
        trace!.embedded,
        trace!.lnFinal,
        ...trace!.layers.flatMap((layer) => Object.values(layer)),
      ])
        each.dispose();
    }));
});
