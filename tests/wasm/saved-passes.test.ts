// Forward passes that save results for their backward pass: it gives the same bits as when it computes them again.
import type { DecoderBlockWeights, MultiHeadWeights, Tensor } from 'tril';
import type { TransformerBlockWeights, TransformerWeights } from 'tril';
import { describe, expect, it } from 'vitest';
import { asTensors, blockWeights, C, decoderWeights } from './block-reference.js';
import { H, prefixed, S, T, type Plain } from './block-reference.js';
import { expectRefused as refusedByBase, tril as base } from './helpers.js';
import { bits } from './reference.js';
import { expectRefused, tril, withoutLeak } from './trained.js';

type Result = { readonly output: Tensor; readonly saved?: Tensor };
/** A call and its backward pass, each taking further options. */
interface Pair {
  readonly forward: (more: object) => Result;
  readonly backward: (more: object) => object;
}

const attentionOf = (block: Plain): Plain =>
  Object.fromEntries(
    Object.entries(block)
      .filter(([name]) => name.startsWith('self_attn.'))
      .map(([name, value]) => [name.slice('self_attn.'.length), value]),
  );

/** Every call that can save, with fixed weights, and inputs that depend on `seed`. */
function pairs(norm: 'post' | 'pre', module = tril, seed = 1): Record<string, Pair> {
  const normal = (own: number, ...shape: number[]) => module.randomNormal(shape, { seed: own });
  const [x, memory, d] = [normal(seed, 2, T, C), normal(2, 2, S, C), normal(3, 2, T, C)];
  const of = <Weights>(plain: Plain) => asTensors<Weights>(plain, module);
  const heads = of<MultiHeadWeights>(attentionOf(blockWeights(1)));
  const block = of<TransformerBlockWeights>(blockWeights(2));
  const decoder = of<DecoderBlockWeights>(decoderWeights(3));
  const whole = of<TransformerWeights>({
    ...prefixed('encoder.layers.0.', blockWeights(4)),
    ...prefixed('encoder.layers.1.', blockWeights(5)),
    ...prefixed('decoder.layers.0.', decoderWeights(6)),
  });
  const options = { heads: H, norm, causal: true } as const;
  const own = { heads: H, causal: true, rotary: {} } as const;
  const cross = { heads: H, context: memory } as const;
  return {
    multiHeadAttention: {
      forward: (more) => module.multiHeadAttention(x, heads, { ...own, ...more }),
      backward: (more) => module.multiHeadAttentionBackward(d, x, heads, { ...own, ...more }),
    },
    'multiHeadAttention to a context': {
      forward: (more) => module.multiHeadAttention(x, heads, { ...cross, ...more }),
      backward: (more) => module.multiHeadAttentionBackward(d, x, heads, { ...cross, ...more }),
    },
    transformerBlock: {
      forward: (more) => module.transformerBlock(x, block, { ...options, ...more }),
      backward: (more) => module.transformerBlockBackward(d, x, block, { ...options, ...more }),
    },
    decoderBlock: {
      forward: (more) => module.decoderBlock(x, memory, decoder, { ...options, ...more }),
      backward: (more) =>
        module.decoderBlockBackward(d, x, memory, decoder, { ...options, ...more }),
    },
    transformer: {
      forward: (more) => module.transformer(memory, x, whole, { ...options, ...more }),
      backward: (more) => module.transformerBackward(d, memory, x, whole, { ...options, ...more }),
    },
  };
}

/** The bits of all tensors in a backward pass's result, by name. */
const bitsOf = (gradients: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(gradients).map(([name, value]) => [
      name,
      name === 'dWeights' ? bitsOf(value as object) : bits(value as Tensor),
    ]),
  );

describe.each(['post', 'pre'] as const)('what a forward pass saves, norm: %s', (norm) => {
  it.each(Object.keys(pairs(norm)))('gives the same bits: %s', (name) => {
    withoutLeak(() => {
      const { forward, backward } = pairs(norm)[name]!;
      const plain = forward({});
      expect(plain.saved).toBeUndefined();
      const { output, saved } = forward({ saved: true });
      expect(bits(output)).toEqual(bits(plain.output));
      expect(saved!.shape).toEqual([saved!.size]);
      const expected = bitsOf(backward({}));
      expect(bitsOf(backward({ saved }))).toEqual(expected);
      // A copy works as well, and is really read.
      const copy = tril.tensor(saved!.shape, saved!.read());
      expect(bitsOf(backward({ saved: copy }))).toEqual(expected);
      const other = pairs(norm, tril, 7)[name]!.forward({ saved: true });
      expect(bitsOf(backward({ saved: other.saved }))).not.toEqual(expected);
      const out = tril.zeros(output.shape);
      expect(forward({ saved: true, out }).output).toBe(out);
      expect(bits(out)).toEqual(bits(output));
    });
  });
});

describe('what does not fit', () => {
  it.each(Object.keys(pairs('post')))('is refused, and nothing is left behind: %s', (name) => {
    withoutLeak(() => {
      const { forward, backward } = pairs('post')[name]!;
      const [call] = name.split(' ') as [string];
      const { saved } = forward({ saved: true });
      const back = (given: unknown, says: string) =>
        expectRefused(() => backward({ saved: given }), {
          ...{ call: `${call}Backward`, argument: 'saved', says },
        });
      back(tril.zeros([saved!.size - 1]), `of these inputs and options saved, [${saved!.size}]`);
      back(tril.zeros([1, saved!.size]), `of these inputs and options saved, [${saved!.size}]`);
      back(3, 'must be a tensor');
      const there = (more: object, says: string, argument = 'saved') =>
        expectRefused(() => forward({ saved: true, ...more }), { call, argument, says });
      there({ trace: true }, 'does not go with trace');
      there({ saved: 1 }, 'must be true or false');
      if (name !== 'transformer') {
        const past = tril.keyValueCache({ batch: 2, heads: H, width: C / H, capacity: T });
        there({ past }, 'does not go with past');
        if (name === 'decoderBlock') there({ memoryPast: past }, 'does not go with memoryPast');
        past.dispose();
      }
      there({ heads: 0 }, 'at least 1', 'heads');
      there({ out: tril.zeros([1]) }, 'shape must be', 'out');
      expect(bitsOf(backward({ saved }))).toEqual(bitsOf(backward({})));
    });
  });

  const ofAttention = ['causal', 'scale', 'softcap', 'heads'];
  const ofBlocks = [...ofAttention, 'norm', 'activation', 'eps'];
  const names: Record<string, string[]> = {
    multiHeadAttention: [...ofAttention, 'mask', 'keyLengths', 'rotary'],
    'multiHeadAttention to a context': [...ofAttention, 'mask', 'keyLengths', 'context'],
    transformerBlock: [...ofBlocks, 'mask', 'keyLengths'],
    decoderBlock: [...ofBlocks, 'mask', 'keyLengths', 'memoryMask'],
    transformer: [...ofBlocks, 'sourceMask', 'targetMask', 'memoryMask'],
  };
  it.each(Object.keys(names))('is refused where it is of other options: %s', (name) => {
    withoutLeak(() => {
      const { forward, backward } = pairs('post')[name]!;
      const mask = tril.mask.window({ left: 1 });
      const others: Record<string, unknown> = {
        ...{ scale: 0.125, softcap: 2, heads: 1, keyLengths: [2, 3] },
        ...{ norm: 'pre', activation: 'gelu', eps: 1e-3, rotary: { base: 100 } },
        ...{ mask, sourceMask: mask, targetMask: mask, memoryMask: mask },
        causal: name.endsWith('context'),
        context: tril.randomNormal([2, S + 1, C], { seed: 2 }),
      };
      const call = `${name.split(' ')[0]}Backward`;
      for (const option of names[name]!) {
        const { saved } = forward({ saved: true, [option]: others[option] });
        // If the size differs, too, the message says that instead.
        const says = new RegExp(`options saved, (and that had another ${option}$|\\[\\d+\\], is)`);
        expectRefused(() => backward({ saved }), { call, argument: 'saved', says });
        expect(backward({ saved, [option]: others[option] })).toBeDefined();
      }
    });
  });

  it('does not depend on how it was computed', () => {
    withoutLeak(() => {
      const { forward, backward } = pairs('post')['transformerBlock']!;
      const { saved } = forward({ saved: true, method: 'full' });
      expect(backward({ saved, kvHeads: H })).toBeDefined();
    });
  });

  it('is refused by a module without training', () => {
    base.scope(() => {
      for (const [name, { forward }] of Object.entries(pairs('post', base as typeof tril))) {
        const [call] = name.split(' ') as [string];
        refusedByBase(() => forward({ saved: true }), {
          ...{ call, argument: 'training', says: 'not in the module' },
        });
      }
    });
  });
});
