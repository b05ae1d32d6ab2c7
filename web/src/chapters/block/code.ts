// The block as a program elsewhere, with all its weights: NumPy step by step, PyTorch by its own layer, C++ by
// cpp-block.ts; and the same with the words moved.
import type { BlockAsk, ShuffleAnswer } from '../../compute/worker/lessons/block';
import { below, type Program } from '../../figures/code';
import { programs, type Dialect } from '../../figures/program';
import { blockFunctions, encoderLayer, torchCall, torchLayer } from '../../figures/program-block';
import { cppBlock, isWhole } from './cpp-block';
import type { ActivationId } from '../../state/block';
import type { Scene } from './scene';

/** W_Q, W_K and W_V of all heads, one below the other. */
function inputs({ answer }: Scene): Program['inputs'] {
  const { x, wo, w1, w2 } = answer.whole;
  const parts = (['wq', 'wk', 'wv'] as const).flatMap((id) => answer.perHead[id]);
  return { x, W: below(...parts), W_O: wo, W_1: w1, W_2: w2 };
}

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

/** The function `block`: of PyTorch its own layer, where it has such a one. */
function block(say: Dialect, ask: BlockAsk): string {
  const form = {
    ...{ heads: 2, causal: ask.causal, norm: ask.norm, off: ask.off },
    activation: ask.activation as ActivationId,
    rotary: ask.positions === 'rotary',
  };
  const tokens = ask.ids.length;
  let above = '';
  const body = say.by({
    python: (p) => {
      if (p.language === 'pytorch' && isWhole(ask)) {
        above = torchLayer(encoderLayer(8, 16, form), weights);
        return torchCall('layer(x, src_mask=mask)', ask.causal, tokens);
      }
      const steps = blockFunctions(p, form, weights);
      above = steps.functions;
      return steps.body;
    },
    cpp: (c) => cppBlock(c, ask, tokens),
  });
  return `${above && `${above}\n`}${say.function('block', 'x', 'x', 'out', () => body)}`;
}

export function blockCode(scene: Scene) {
  const { ask, answer, tokens } = scene;
  const given = {
    about: about(ask, tokens),
    inputs: inputs(scene),
    expected: answer.whole['output'],
  };
  return programs(given, (say) => ({
    steps: [block(say, ask), say.call({ output: ['block', 'x'] })],
    result: 'output',
  }));
}

/** The outputs of the moved words less the moved outputs of the words. */
export function shuffleCode(
  { given: { x, moved: other, ...rest }, gap }: ShuffleAnswer,
  ask: BlockAsk & { readonly order: readonly number[] },
  moved: readonly string[],
) {
  const order = ask.order.join(', ');
  const given = {
    about: about(ask, moved),
    inputs: { x, moved: other, ...rest },
    expected: gap,
  };
  return programs(given, (say) => ({
    steps: [
      block(say, ask),
      say.call({ plain: ['block', 'x'], turned: ['block', 'moved'] }),
      say.by({
        python: `gap = turned - plain[[${order}]]`,
        cpp: (c) => `const tril::Index order[] = {${order}};
${c.matrices({ gap: [x.rows, x.cols] })}
${c.each('gap', `${c.at('turned')} - ${c.at('plain', 'order[i]')}`)}`,
      }),
    ],
    result: 'gap',
  }));
}
