import type { Context } from '../context.js';
import { booleanOption, checkKeys, integerOption, stringOption } from '../names.js';
import { rawAttentionOptions, type AttentionOptions } from './attention.js';
import type { AttentionCost, AttentionCostOptions } from './cost-types.js';

/** The sizes of attention's tensors. */
export const attentionSizes = [
  'batches',
  'heads',
  'kvHeads',
  'queries',
  'keys',
  'width',
  'valueWidth',
];
/** The options of attention that its cost depends on. */
export const attentionOptions = ['causal', 'mask', 'softcap', 'keyLengths', 'method', 'past'];

type Given = Readonly<Record<string, unknown>>;

/** Checked sizes and options, and the call of the module. */
export const costReader =
  (context: Context) => (name: string, kind: string, names: readonly string[], given: object) => {
    const call = `cost.${name}`;
    checkKeys(call, 'sizes', 'size', given, names);
    const values = given as Given;
    const sizes: Record<string, number | string | boolean> = {};
    const reader = {
      size(size: string, fallback = Number.NaN) {
        return (sizes[size] = integerOption(call, size, values[size], fallback));
      },
      flag(flag: string, fallback: boolean) {
        sizes[flag] = booleanOption(call, flag, values[flag], fallback);
      },
      set(name: string, value: boolean | number) {
        sizes[name] = value;
      },
      text(text: string, fallback: string) {
        sizes[text] = stringOption(call, text, values[text], fallback);
      },
      /** The sizes of attention's tensors. */
      heads() {
        reader.size('batches', 1);
        const heads = reader.size('heads', 1);
        reader.size('kvHeads', heads);
      },
      tensors() {
        reader.heads();
        for (const size of ['queries', 'keys']) reader.size(size);
        const width = reader.size('width');
        reader.size('valueWidth', width);
      },
      cost(attends = false): AttentionCost {
        if (attends) reader.size('past', 0);
        const { causal, mask, softcap, keyLengths, method } = values as AttentionCostOptions;
        const options = attends ? { causal, mask, softcap, keyLengths, method } : {};
        const raw = rawAttentionOptions(
          context,
          call,
          options as AttentionOptions,
          attentionOptions,
        );
        const found = context.run(call, {}, () => context.raw._cost(kind, sizes, raw));
        const { scores, ...cost } = found;
        return (scores < 0 ? cost : found) as AttentionCost;
      },
    };
    return reader;
  };

export type CostReader = ReturnType<typeof costReader>;
