// Matrices of this chapter as the figures draw them.
import type { MatrixData } from '../../compute/page/protocol';
import { numbered, type Drawn } from '../../figures/matrix';
import { drawnOf as drawn, type Look } from '../../figures/scene';
import text from '$texts/multiply.yaml';

const { axes } = text.readings;

export const drawnOf = (id: string, matrix: MatrixData, look: Omit<Look, 'rows' | 'cols'>): Drawn =>
  drawn(id, matrix, {
    ...look,
    ...numbered(matrix, axes.row, axes.column),
  });
