// The blocks and stacks against PyTorch in float64: the tables of ../golden/make_block_golden.py.
import type { DecoderBlockWeights, Mask, Tensor, TransformerBlockWeights } from 'tril';
import { activations, type TransformerWeights } from 'tril';
import { describe, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { tril, withoutLeak } from './helpers.js';

type Shapes = [name: string, shape: number[]][];

const attentionShapes = (part: string, width: number): Shapes => [
  [`${part}.in_proj_weight`, [3 * width, width]],
  [`${part}.in_proj_bias`, [3 * width]],
  [`${part}.out_proj.weight`, [width, width]],
  [`${part}.out_proj.bias`, [width]],
];
const norm = (name: string, width: number): Shapes => [
  [`${name}.weight`, [width]],
  [`${name}.bias`, [width]],
];
const linear = (name: string, out: number, width: number): Shapes => [
  [`${name}.weight`, [out, width]],
  [`${name}.bias`, [out]],
];

/** The parameters of a layer in the order of PyTorch's state_dict. */
const layerShapes = (width: number, hidden: number, decodes: boolean): Shapes => [
  ...attentionShapes('self_attn', width),
  ...(decodes ? attentionShapes('multihead_attn', width) : []),
  ...linear('linear1', hidden, width),
  ...linear('linear2', width, hidden),
  ...norm('norm1', width),
  ...norm('norm2', width),
  ...(decodes ? norm('norm3', width) : []),
];

/** The values that make_block_golden.py's `drawn` sets; the classic block has no scales, and biases of 0. */
function drawn<Weights>(shapes: Shapes, random: Random, plain: boolean): Weights {
  const values = (name: string, shape: number[]): Float32Array => {
    const count = shape.reduce((a, b) => a * b, 1);
    const isScale = name.includes('norm') && name.endsWith('weight');
    if (shape.length === 2) {
      const halvings = Math.ceil(Math.log2(shape[1]!) / 2);
      return random.uniform(count).map((x) => x * 2 ** -halvings);
    }
    if (plain) return new Float32Array(count).fill(isScale ? 1 : 0);
    return random.uniform(count).map((x) => (isScale ? 1 + x / 4 : x / 8));
  };
  return Object.fromEntries(
    shapes.map(([name, shape]) => [name, tril.tensor(shape, values(name, shape))]),
  ) as Weights;
}

const draw = (random: Random, ...shape: number[]): Tensor =>
  tril.tensor(shape, random.uniform(shape.reduce((a, b) => a * b, 1)));

const optionsOf = (index: number) =>
  ({
    norm: Math.floor(index / 2) % 2 === 1 ? 'pre' : 'post',
    activation: activations[index % 4]!,
    eps: index % 7 === 0 ? 1e-3 : 1e-5,
  }) as const;
const lengths = (batches: number, tokens: number, less = 0): number[] =>
  Array.from({ length: batches }, (_, b) => Math.max(1, tokens - 3 * b - less));

const widths = [
  [1, 7],
  [2, 10],
  [3, 9],
  [8, 24],
] as const;

describe('nn.TransformerEncoderLayer', () => {
  const grid = widths.flatMap(([heads, width]) =>
    [1, 2, 7, 64, 100, 129].flatMap((tokens) =>
      [1, 3].map((batches) => [heads, width, tokens, batches] as const),
    ),
  );
  it.each(grid.map((sizes, index) => [...sizes, index] as const))(
    '%i heads, width %i, %i tokens, batch %i',
    (heads, width, tokens, batches, index) => {
      withoutLeak(() => {
        const random = new Random(1000 + index);
        const shapes = layerShapes(width, 2 * width + 1, false);
        const weights = drawn<TransformerBlockWeights>(shapes, random, index % 5 === 0);
        const x = draw(random, batches, tokens, width);
        const masks: { causal?: boolean; mask?: Mask }[] = [
          { causal: true },
          { mask: tril.mask.padding(lengths(batches, tokens)) },
          {},
        ];
        const options = { heads, ...optionsOf(index), ...masks[index % 3] };
        const { output } = tril.transformerBlock(x, weights, options);
        const name = `block/transformer_block_h${heads}_t${tokens}_b${batches}`;
        expectGolden(output, name);
      });
    },
  );
});

describe('nn.TransformerDecoderLayer', () => {
  const grid = widths.flatMap(([heads, width]) =>
    (
      [
        [1, 129],
        [2, 7],
        [7, 2],
        [64, 100],
        [7, 7],
        [12, 1],
      ] as const
    ).map(([tokens, keys]) => [heads, width, tokens, keys] as const),
  );
  it.each(grid.map((sizes, index) => [...sizes, index] as const))(
    '%i heads, width %i, %i tokens, a memory of %i',
    (heads, width, tokens, keys, index) => {
      withoutLeak(() => {
        const batches = index % 2 === 0 ? 1 : 3;
        const random = new Random(2000 + index);
        const shapes = layerShapes(width, 2 * width + 1, true);
        const weights = drawn<DecoderBlockWeights>(shapes, random, index % 5 === 0);
        const x = draw(random, batches, tokens, width);
        const memory = draw(random, batches, keys, width);
        const { output } = tril.decoderBlock(x, memory, weights, {
          heads,
          ...optionsOf(index),
          causal: index % 3 !== 2,
          ...(index % 3 !== 0 && { memoryMask: tril.mask.padding(lengths(batches, keys)) }),
        });
        const name = `block/decoder_block_h${heads}_t${tokens}_s${keys}`;
        expectGolden(output, name);
      });
    },
  );
});

describe('nn.Transformer', () => {
  it.each(
    [
      ['post', 2, 10, 2, 3, 3, 9, 7, false, 'relu', false, true],
      ['pre', 3, 9, 3, 1, 1, 64, 12, true, 'gelu', false, false],
      ['plain', 1, 7, 1, 2, 3, 2, 1, false, 'silu', true, false],
      ['eight', 8, 24, 1, 1, 1, 100, 129, true, 'relu', false, true],
    ].map((row, index) => [...row, index] as const) as unknown as Stack[],
  )(
    '%s: %i heads, width %i, %i + %i layers',
    (name, heads, width, encoders, decoders, batches, keys, tokens, pre, activation, ...rest) => {
      const [plain, padded, index] = rest;
      withoutLeak(() => {
        const random = new Random(3000 + index);
        const stack = (part: string, count: number): Shapes => [
          ...Array.from({ length: count }, (_, layer) =>
            layerShapes(width, 2 * width + 1, part === 'decoder').map(
              ([own, shape]) => [`${part}.layers.${layer}.${own}`, shape] as Shapes[number],
            ),
          ).flat(),
          ...norm(`${part}.norm`, width),
        ];
        const shapes = [...stack('encoder', encoders), ...stack('decoder', decoders)];
        const weights = drawn<TransformerWeights>(shapes, random, plain);
        const source = draw(random, batches, keys, width);
        const target = draw(random, batches, tokens, width);
        const mask = tril.mask.padding(lengths(batches, keys, 1));
        const { output } = tril.transformer(source, target, weights, {
          ...{ heads, norm: pre ? 'pre' : 'post', activation, causal: true },
          ...(padded && { sourceMask: mask, memoryMask: mask }),
        });
        expectGolden(output, `block/transformer_${name}`);
      });
    },
  );
});

type Stack = [
  name: string,
  heads: number,
  width: number,
  encoders: number,
  decoders: number,
  batches: number,
  keys: number,
  tokens: number,
  pre: boolean,
  activation: 'relu' | 'gelu' | 'silu',
  plain: boolean,
  padded: boolean,
  index: number,
];

describe('the classic block (d = 64, 4 heads, ff = 128, T = 100, causal)', () => {
  it.each([
    [7, 'plain', 'post'],
    [7, 'plain', 'pre'],
    [8, 'full', 'post'],
    [8, 'full', 'pre'],
  ] as const)('seed %i, %s weights, %s-norm', (seed, kind, order) => {
    withoutLeak(() => {
      const random = new Random(seed);
      const shapes = layerShapes(64, 128, false);
      const weights = drawn<TransformerBlockWeights>(shapes, random, kind === 'plain');
      const x = draw(random, 1, 100, 64);
      const options = { heads: 4, norm: order, causal: true };
      const compare = (given: TransformerBlockWeights) =>
        expectGolden(
          tril.transformerBlock(x, given, options).output,
          `block/classic_${kind}_${order}`,
        );
      compare(weights);
      if (kind === 'full') return;
      // Weights without scales and biases equal those with 1 and 0.
      const bare = Object.fromEntries(
        Object.entries(weights).filter(([, weight]) => (weight as Tensor).rank === 2),
      ) as unknown as TransformerBlockWeights;
      compare(bare);
    });
  });
});
