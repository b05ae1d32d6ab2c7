// The block as programs elsewhere, with all its weights, read from its graph; and by the single call of PyTorch and of
// the core, if they have one. The same with the words permuted.
import { isWhole, outputOf, shuffleGraph, sizes } from '../../compute/shared/handmade/block-graph';
import type { BlockAsk, ShuffleAnswer } from '../../compute/worker/lessons/block';
import { matrixOf, programsOf, type Found } from '../../figures/graph';
import { programs, type Dialect } from '../../figures/program';
import { encoderLayer, torchCall, torchLayer } from '../../figures/program-block';
import type { Scene } from './scene';

export { activationCode, depthCode, normCode } from './more-code';

function about(ask: BlockAsk, tokens: readonly string[]): string {
  const off = ask.off.length > 0 ? `, without ${ask.off.join(', ')}` : '';
  return `A Transformer block, ${ask.norm}-norm${off}: ${tokens.join(' ')}; random weights, seed ${ask.seed}`;
}

const weights = {
  'self_attn.in_proj_weight': 'W',
  'self_attn.out_proj.weight': 'W_O',
  'linear1.weight': 'W_1',
  'linear2.weight': 'W_2',
} as const;

/** The function `block` with that single call. */
function block(say: Dialect, ask: BlockAsk): string {
  const { width, heads, hidden } = sizes;
  const { norm, activation, causal, ids } = ask;
  const body = say.by({
    python: torchCall('layer(x, src_mask=mask)', causal, ids.length),
    cpp: (c) => `${c.matrices({ out: [ids.length, width] })}
tril::transformer_block(
    {x.data(), {1, ${ids.length}, ${width}}},
    {.self_attn = {.in_proj_weight = W, .out_proj_weight = W_O}, .linear1 = {.weight = W_1}, .linear2 = {.weight = W_2}},
    {.heads = ${heads}, .norm = tril::NormOrder::${norm}, .activation = tril::Activation::${activation}, .attention = {.causal = ${causal}}},
    {out.data(), {1, ${ids.length}, ${width}}});`,
  });
  const layer = say.by({
    python: torchLayer(encoderLayer(width, hidden, { heads, norm, activation, causal }), weights),
  });
  return `${layer && `${layer}\n`}${say.function('block', 'x', 'x', 'out', () => body)}`;
}

/**
 * Read from the graph; in PyTorch and C++ as one call of the complete block, if there is one, and the lines after it.
 */
function written(
  { ask, tokens, ...found }: Found & Pick<Scene, 'ask' | 'tokens'>,
  show: string,
  given: readonly string[],
  steps: (say: Dialect) => readonly string[],
) {
  const said = about(ask, tokens);
  const all = programsOf(said, found, [show]);
  if (!isWhole(ask)) return all;
  const names = [...given, ...Object.values(weights)];
  const inputs = Object.fromEntries(names.map((name) => [name, matrixOf(found.values, name)]));
  const expected = matrixOf(found.values, show);
  const { pytorch, cpp } = programs({ about: said, inputs, expected }, (say) => ({
    steps: [block(say, ask), ...steps(say)],
    result: show,
  }));
  return { ...all, pytorch, cpp };
}

export function blockCode({ ask, answer, tokens }: Scene) {
  const output = outputOf(ask);
  return written({ ask, tokens, ...answer }, output, ['x'], (say) => [
    say.call({ [output]: ['block', 'x'] }),
  ]);
}

/** The outputs of the permuted words minus the permuted outputs of the words. */
export function shuffleCode(
  { values }: ShuffleAnswer,
  ask: BlockAsk & { readonly order: readonly number[] },
  tokens: readonly string[],
) {
  const order = ask.order.join(', ');
  const graph = shuffleGraph(ask, ask.order);
  return written({ ask, tokens, graph, values }, 'gap', ['x', 'moved'], (say) => [
    say.call({ plain: ['block', 'x'], turned: ['block', 'moved'] }),
    say.by({
      python: `gap = turned - plain[[${order}]]`,
      cpp: (c) => `const tril::Index order[] = {${order}};
${c.matrices({ gap: values.gap.shape as [number, number] })}
${c.each('gap', `${c.at('turned')} - ${c.at('plain', 'order[i]')}`)}`,
    }),
  ]);
}
