// The layout below the sentence: the cards, the question, and the columns of their products.
import { sentence } from '../state/tour';
import { width } from './graphs';
import { round, type Laid } from './laid';

export interface Below {
  /** Height in pixels of an element, and of a complete card. */
  readonly cell: number;
  readonly tall: number;
  /** Each element has room for its sign. */
  readonly signed: boolean;
  /** The words above a card: stacked if a column is narrow, `pitch` apart. */
  readonly lined: boolean;
  /** The card's own word stands there, too, if the card is not below it. */
  readonly named: boolean;
  readonly pitch: number;
  /** Vertical positions: end of the words above the cards, the cards, and the question below them. */
  readonly labels: number;
  readonly cards: number;
  readonly question: number;
  /** Base line of the columns, their thickness, and pixels of one unit. */
  readonly base: number;
  readonly thick: number;
  readonly unit: number;
}

/** `strongest`: the largest magnitude in the question. */
export function belowOf(laid: Laid, strongest: number): Below {
  const { column, narrow, below, height } = laid;
  const cell = Math.min(14, (column - (narrow ? 4 : 14)) / width);
  const signed = cell >= 10;
  const tall = signed ? 18 : 14;
  const lined = column < 70;
  const pitch = narrow ? 12 : 15;
  const lines = (lined ? 2 : 1) + Number(narrow);
  const cards = below + 5 + lines * pitch + Number(!lined);
  const question = cards + tall + 14;
  const base = height - (narrow ? 8 : 22) - (height - question - 80) / 3;
  return {
    ...{
      cell,
      tall,
      signed,
      lined,
      named: narrow,
      pitch,
      labels: cards - 8,
      cards,
      question,
      base,
    },
    thick: Math.min(34, 0.62 * column),
    // Room for a card that agrees in every element.
    unit: (base - question - 62) / (width * strongest),
  };
}

/**
 * The paths of a card's elements: the outlines, the positive ones, the negative ones, and their signs. All have one
 * size; without room for signs, positive ones are in the upper half and negative ones in the lower.
 */
export const stripParts = ['back', 'entry', 'entry negative', 'sign'] as const;
export function stripOf(
  numbers: readonly number[],
  { cell, tall, signed }: Below,
  x: number,
  y: number,
): string[] {
  const box = (x: number, y: number, wide: number, high: number) =>
    `M${round(x)} ${round(y)}h${round(wide)}v${high}h${round(-wide)}z`;
  const high = signed ? tall : tall / 2;
  const boxes = (sign: number) =>
    numbers.map((value, i) =>
      Math.sign(value) === sign
        ? box(x + i * cell, sign > 0 ? y : y + tall - high, cell - 0.5, high)
        : '',
    );
  const signs = numbers.map((value, i) => {
    const [middle, line] = [round(x + (i + 0.5) * cell - 0.25), round(y + tall / 2)];
    const upright = value > 0 ? `M${middle} ${line - 3}v6` : '';
    return value === 0 || !signed ? '' : `M${middle - 3} ${line}h6${upright}`;
  });
  const back = box(x - 2, y - 2, cell * width + 4, tall + 4);
  return [back, ...[boxes(1), boxes(-1), signs].map((each) => each.join(''))];
}

/** Number of complete columns, the index of the question, and its progress there. */
export function meeting(met: number): { done: number; at: number; part: number } {
  const done = Math.floor(met);
  const at = Math.min(sentence.length - 1, done);
  return { done, at, part: met - at };
}

/**
 * Fractions of the time at a card after which all elements are multiplied, and after which the question leaves for the
 * next.
 */
export const multiplied = 0.62;
export const leaves = 0.78;

interface Piece {
  readonly low: number;
  readonly size: number;
  readonly up: boolean;
}
/** Products stacked up or down. */
export function stackOf(products: readonly number[]): Piece[] {
  let [up, down] = [0, 0];
  return products.map((product) => {
    const size = Math.abs(product);
    const low = product > 0 ? up : down;
    if (product > 0) up += size;
    else down += size;
    return { low, size, up: product > 0 };
  });
}
