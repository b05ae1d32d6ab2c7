// Positions of one head's parameters in the files of a model: queries, keys, values and output.
import type { Tensor, Tril } from 'tril';
import type { Shape } from '../../worker/opened/shape';

/** `count` rows or columns of a matrix. */
interface Piece {
  readonly name: string;
  readonly axis: 0 | 1;
  readonly from: number;
  readonly count: number;
}

type Sizes = Pick<Shape, 'family' | 'layers' | 'heads' | 'kvHeads' | 'headWidth'>;

/** Pieces of a head. Heads that share keys and values have the same pieces there. */
export function piecesOfHead(shape: Sizes, layer: number, head: number): Piece[] {
  const { family, heads, kvHeads, headWidth: count } = shape;
  const shared = Math.floor((head * kvHeads) / heads);
  const piece = (name: string, axis: 0 | 1, at: number): Piece => ({
    ...{ name: `${name}.weight`, axis, from: at * count, count },
  });
  if (family === 'gpt2') {
    const attention = `h.${layer}.attn`;
    const fused = [0, 1, 2].map((n) => piece(`${attention}.c_attn`, 1, n * heads + head));
    return [...fused, piece(`${attention}.c_proj`, 0, head)];
  }
  if (family === 'gpt_neox') {
    const attention = `gpt_neox.layers.${layer}.attention`;
    const fused = [0, 1, 2].map((n) => piece(`${attention}.query_key_value`, 0, 3 * head + n));
    return [...fused, piece(`${attention}.dense`, 1, head)];
  }
  const attention = `model.layers.${layer}.self_attn`;
  const output = piece(`${attention}.o_proj`, 1, head);
  if (family === 'phi3') {
    const places = [head, heads + shared, heads + kvHeads + shared];
    return [...places.map((at) => piece(`${attention}.qkv_proj`, 0, at)), output];
  }
  return [
    piece(`${attention}.q_proj`, 0, head),
    ...['k', 'v'].map((which) => piece(`${attention}.${which}_proj`, 0, shared)),
    output,
  ];
}

/** The matrices that contain a part of each head. */
export const namesOfHeads = (shape: Sizes): string[] => [
  ...new Set(
    Array.from({ length: shape.layers }, (_, layer) =>
      piecesOfHead(shape, layer, 0).map(({ name }) => name),
    ).flat(),
  ),
];

const moduleOf = (name: string) => name.split('.').at(-2)!;

/** Matrices of a layer's feed-forward part. */
const feedForward: Readonly<Record<string, readonly string[]>> = {
  gpt2: ['c_fc', 'c_proj'],
  gpt_neox: ['dense_h_to_4h', 'dense_4h_to_h'],
  phi3: ['gate_up_proj', 'down_proj'],
  starcoder2: ['c_fc', 'c_proj'],
};

/** Names of the matrices of layers: all of them, and those of queries and values. */
export function matricesOf(shape: Sizes): {
  readonly all: readonly string[];
  readonly queriesAndValues: readonly string[];
} {
  const ofHead = piecesOfHead(shape, 0, 0).map(({ name }) => moduleOf(name));
  const others = feedForward[shape.family] ?? ['gate_proj', 'up_proj', 'down_proj'];
  return {
    all: [...new Set([...ofHead, ...others])],
    queriesAndValues: [...new Set([ofHead[0], ofHead[2]])],
  };
}

/** Layer by layer, for each head: the norm of the difference, divided by the norm before. */
export function movedOf(
  tril: Tril,
  shape: Sizes,
  before: Readonly<Record<string, Tensor>>,
  now: Readonly<Record<string, Tensor>>,
): number[][] {
  return Array.from({ length: shape.layers }, (_, layer) =>
    Array.from({ length: shape.heads }, (__, head) =>
      tril.scope(() => {
        const all = (of: Readonly<Record<string, Tensor>>) =>
          tril.concatenate(
            piecesOfHead(shape, layer, head).map(({ name, axis, from, count }) => {
              const range = [from, from + count] as const;
              if (axis === 0) return tril.slice(of[name], [range]);
              return tril.transpose(tril.slice(of[name], [null, range]));
            }),
          );
        return tril.compare(all(before), all(now)).relative;
      }),
    ),
  );
}
