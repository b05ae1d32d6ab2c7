// The colours of one cell in an SVG drawing, the same as in a matrix.
import { at } from '../compute/page/protocol';
import { share, type Drawn } from './matrix';
import { css, theme } from './palette.svelte';
import { groundOf, mix } from './paint';

interface Ground {
  readonly fill: string;
  /** Colour of its digits. */
  readonly ink: string;
}

export function groundAt(drawn: Drawn, row: number, col: number): Ground {
  const value = at(drawn.matrix, row, col);
  const role = value < 0 ? 'neg' : drawn.role;
  const strength = groundOf(share(drawn, value));
  const { palette, turning } = theme;
  return {
    fill: css(mix(palette[role], palette.paper, strength)),
    ink: css(palette[strength >= turning[role] ? 'number-on' : 'number']),
  };
}
