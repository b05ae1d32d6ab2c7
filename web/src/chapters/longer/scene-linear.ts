// Linear attention's matrices as they are drawn, and the explanation of each number.
import type { LinearOrders } from '../../compute/worker/lessons/longer';
import { at, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import {
  colByCol,
  drawnOf,
  letter,
  markCol,
  markRow,
  rowByCol,
  rowByRow,
  word,
  type Look,
} from '../../figures/scene';
import { sumOf, whyAt, type Part, type Why } from '../../figures/why';
import type { LinearCell, Source } from '../../state/longer';
import { tokenAxis } from './source';
import text from '$texts/longer.yaml';

const words = text.linear;
type Id = LinearCell['matrix'];

export interface Scene {
  readonly orders: LinearOrders;
  readonly drawn: Readonly<Record<Id, Drawn>>;
}

export function sceneOf(orders: LinearOrders, source: Source): Scene {
  const down = tokenAxis(source, orders.q.rows, text.axes.query);
  const across = tokenAxis(source, orders.k.rows, text.axes.key);
  const entries = (matrix: MatrixData) => numerals(matrix.cols, text.axes.entry);
  const draw = (id: Id, role: Role, matrix: MatrixData, look: Partial<Look>): Drawn =>
    drawnOf(id, matrix, {
      ...{ role, rows: down, cols: entries(matrix), titled: true },
      symbol: id === 'soft' || id === 'features' ? word(words[id]) : letter(words.symbols[id]),
      ...look,
    });
  const { scores, pairs, left, right, soft, features } = orders;
  const outputs = { end: scaleEnd(left.data, right.data), shared: true };
  const positive = features.data.every((weight) => weight >= 0 && weight <= 1);
  return {
    orders,
    drawn: {
      scores: draw('scores', 'score', scores, { cols: across }),
      pairs: draw('pairs', 'weight', pairs, { rows: numerals(pairs.rows, text.axes.entry) }),
      left: draw('left', 'v', left, outputs),
      right: draw('right', 'v', right, outputs),
      soft: draw('soft', 'weight', soft, { cols: across, kind: 'weights', end: 1 }),
      features: draw('features', 'weight', features, {
        cols: across,
        ...(positive ? { kind: 'weights', end: 1 } : {}),
      }),
    },
  };
}

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: LinearCell): Mark[] {
  if (matrix === 'left') return markRow(drawn.scores, row);
  return matrix === 'right' ? markCol(drawn.pairs, col) : [];
}

function explain({ orders }: Scene, { matrix, row, col }: LinearCell): Part[] {
  const { q, k, v, scores, pairs } = orders;
  switch (matrix) {
    case 'scores':
      return sumOf(rowByRow(q, row, k, col), 'q', 'k');
    case 'pairs':
      return sumOf(colByCol(k, row, v, col), 'k', 'v');
    case 'left':
      return sumOf(rowByCol(scores, row, v, col), 'score', 'v');
    case 'right':
      return sumOf(rowByCol(q, row, pairs, col), 'q', 'weight');
    case 'soft': {
      const score = {
        text: `${inText(at(scores, row, col))} / √${q.cols}`,
        role: 'score',
        raised: true,
      };
      return [{ text: 'e' }, score, { text: ' / …' }];
    }
    case 'features':
      return [];
  }
}

export const whyOf = (scene: Scene, cell: LinearCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => ({
    parts: explain(scene, cell),
    note: words.why[cell.matrix],
  }));
