// The Transformer block of chapter "Block" as a graph: norms after its parts or before them, positions, and any part switched off.
import { graph, type Calls, type Graph, type Size, type Value } from 'tril/graph';

export interface BlockSizes {
  /** T */
  readonly tokens: Size;
  /** C, a multiple of the number of heads. */
  readonly width: number;
  readonly heads: number;
  /** F */
  readonly hidden: number;
}
export const sizes: BlockSizes = { tokens: 'T', width: 8, heads: 2, hidden: 16 };

export type Part = 'norm1' | 'attention' | 'residual1' | 'norm2' | 'feedForward' | 'residual2';

export interface BlockForm {
  readonly norm: 'post' | 'pre';
  readonly positions: 'none' | 'sinusoidal' | 'rotary';
  readonly activation: 'relu' | 'gelu' | 'silu';
  readonly causal: boolean;
  /** Parts that add zeros, norms that let pass what comes, and residuals that drop it. */
  readonly off: readonly Part[];
}

/** The value that leaves the block. */
export const outputOf = ({ norm }: BlockForm) => (norm === 'pre' ? 'residual2' : 'normed2');

/** Whether it is what the core computes by one call. */
export const isWhole = ({ off, positions }: BlockForm) =>
  off.length === 0 && positions !== 'rotary';

type Given = Readonly<Record<string, Value>>;

/** Of the words and weights: sinusoidal positions are `places`, rotary ones cosines and sines in `turns`. */
function inputsOf(
  { tokens, width, heads, hidden }: BlockSizes,
  { positions }: BlockForm,
): Readonly<Record<string, readonly Size[]>> {
  return {
    words: [tokens, width],
    ...(positions === 'sinusoidal' && { places: [tokens, width] }),
    ...(positions === 'rotary' && { turns: [tokens, width / heads] }),
    ...{ W: [3 * width, width], W_O: [width, width] },
    ...{ W_1: [hidden, width], W_2: [width, hidden] },
  };
}

/** Pairs of entries half a width apart, turned. */
function turned(c: Calls, x: Value, turns: Value): Value {
  const [a, b] = c.split(x, 2, { axis: -1 });
  const [cosine, sine] = c.split(turns, 2, { axis: -1 });
  const first = c.subtract(c.multiply(a, cosine), c.multiply(b, sine));
  const second = c.add(c.multiply(b, cosine), c.multiply(a, sine));
  return c.concatenate([first, second], { axis: -1 });
}

function attended(c: Calls, from: Value, given: Given, of: BlockSizes, form: BlockForm) {
  const { tokens, width, heads } = of;
  const [wq, wk, wv] = c
    .split(given.W, 3)
    .map((weight) => c.reshape(weight, [heads, width / heads, width]));
  const [q, k, values] = [wq, wk, wv].map((each) => c.matmul(from, c.transpose(each, [0, 2, 1])));
  const isTurned = form.positions === 'rotary';
  const [queries, keys] = isTurned ? [q, k].map((each) => turned(c, each, given.turns)) : [q, k];
  const scores = c.divide(c.matmul(queries, c.transpose(keys, [0, 2, 1])), c.sqrt(width / heads));
  const masked = form.causal ? c.mask(scores) : scores;
  const weights = c.softmax(masked);
  const blended = c.matmul(weights, values);
  const joined = c.reshape(c.transpose(blended, [1, 0, 2]), [tokens, width]);
  return {
    ...{ wq, wk, wv, ...(isTurned && { unturnedq: q, unturnedk: k }), queries, keys, values },
    ...{ scores, ...(form.causal && { masked }), weights, heads: blended, joined },
  };
}

function blockOf(c: Calls, words: Value, given: Given, of: BlockSizes, form: BlockForm) {
  const on = (part: Part) => !form.off.includes(part);
  const norm = (part: Part, y: Value) =>
    on(part) ? c.layerNorm(y) : c.reshape(y, [of.tokens, of.width]);
  const part = (part: Part, made: Value) => (on(part) ? made : c.multiply(made, 0));
  const isAdded = form.positions === 'sinusoidal';
  const pre = form.norm === 'pre';

  const x = isAdded ? c.add(words, given.places) : words;
  const before = pre && norm('norm1', x);
  const inside = attended(c, before || x, given, of, form);
  const attention = part('attention', c.linear(inside.joined, given.W_O));
  const residual1 = c.add(part('residual1', x), attention);
  const normed1 = before || norm('norm1', residual1);
  const between = pre ? residual1 : normed1;
  const second = pre && norm('norm2', between);
  const hidden = c.linear(second || between, given.W_1);
  const activated = c[form.activation](hidden);
  const feedForward = part('feedForward', c.linear(activated, given.W_2));
  const residual2 = c.add(part('residual2', between), feedForward);
  const normed2 = second || norm('norm2', residual2);
  return {
    ...{ ...(isAdded && { x }), ...inside, attention, residual1, normed1 },
    ...{ hidden, activated, feedForward, residual2, normed2 },
  } as Given;
}

/** With its effect: the output minus another one, `whole`. */
export const blockGraph = (form: BlockForm, of: BlockSizes = sizes): Graph =>
  graph({ ...inputsOf(of, form), whole: [of.tokens, of.width] }, (given: Given, c) => {
    const made = blockOf(c, given.words, given, of, form);
    return { ...made, effect: c.subtract(made[outputOf(form)], given.whole) };
  });

/** Word i of the moved text is word `order[i]`. What comes of it, less the moved rows of what comes of the text. */
export function shuffleGraph(form: BlockForm, order: readonly number[]): Graph {
  const of = { ...sizes, tokens: order.length };
  return graph(inputsOf(of, form), (given, c) => {
    const words_moved = c.take(given.words, { indices: order });
    const plain = blockOf(c, given.words, given, of, form);
    const moved = blockOf(c, words_moved, given, of, form);
    const rearranged = c.take(plain[outputOf(form)], { indices: order });
    const named = (values: Given, of: string) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}_${of}`, value]));
    return {
      ...{ words_moved, ...named(plain, 'plain'), ...named(moved, 'moved'), rearranged },
      gap: c.subtract(moved[outputOf(form)], rearranged),
    };
  });
}
