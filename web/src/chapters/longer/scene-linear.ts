// The two orders and the weights of linear attention as matrices that can be drawn, and what is said of each number.
import type { LinearOrders } from '../../compute/worker/lessons/longer';
import { matrixOf, type Showing } from '../../figures/graph-values';
import { numerals } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import { letter, word } from '../../figures/scene';
import type { LinearCell, Source } from '../../state/longer';
import { tokenAxis } from './source';
import text from '$texts/longer.yaml';

const { linear: words, axes } = text;
const { symbols, why } = words;

export function shownOf(
  { graph, values }: LinearOrders,
  source: Source,
): Showing<LinearCell['matrix']> {
  const [tokens, width] = values.right.shape;
  const rows = tokenAxis(source, tokens, axes.query);
  const entries = { rows, cols: numerals(width, axes.entry), titled: true };
  const pairs = { ...entries, rows: numerals(values.pairs.shape[0], axes.entry) };
  const keys = { ...entries, cols: tokenAxis(source, tokens, axes.key) };
  const end = scaleEnd(matrixOf(values, 'left').data, matrixOf(values, 'right').data);
  const outputs = { ...entries, role: 'v', end, shared: true } as const;
  const weights = { ...keys, role: 'weight' } as const;
  const shares = { ...weights, kind: 'weights', end: 1 } as const;
  const areShares = values.features.data.every((weight) => weight >= 0 && weight <= 1);
  return {
    ...{ graph, values, roles: { Q: 'q', K: 'k', V: 'v' } },
    shown: {
      scores: {
        look: { ...keys, role: 'score', symbol: letter(symbols.scores) },
        note: why.scores,
      },
      pairs: { look: { ...pairs, role: 'weight', symbol: letter(symbols.pairs) }, note: why.pairs },
      left: { look: { ...outputs, symbol: letter(symbols.left) }, note: why.left },
      right: { look: { ...outputs, symbol: letter(symbols.right) }, note: why.right },
      soft: { look: { ...shares, symbol: word(words.soft) }, note: why.soft, brief: true },
      features: {
        look: { ...(areShares ? shares : weights), symbol: word(words.features) },
        ...{ note: why.features, say: () => [] },
      },
    },
  };
}
