// Computes the chapter in Node on the package, from the text's tokens alone: the content, the order of X's columns and
// the weights of the heads are written again here, so that the page is not compared with itself.
import type { Tensor } from 'tril';
import { loadTril, type LessonsTril as Tril } from 'tril/lessons';

export type Matrices = Record<string, number[][]>;

let loading: Promise<Tril> | undefined;
export function tril(): Promise<Tril> {
  return (loading ??= loadTril());
}

function rowsOf(tensor: Tensor): number[][] {
  const [rows, cols] = tensor.shape.slice(-2);
  const data = tensor.read();
  return Array.from({ length: rows }, (_, row) =>
    Array.from(data.subarray(row * cols, (row + 1) * cols)),
  );
}

/** A token's content: its id in base 4, three digits, each a hand (x, y) turned by that many quarter turns. */
export function contentOf(id: number): number[] {
  const hands = { 0: [0, 1], 1: [1, 0], 2: [0, -1], 3: [-1, 0] } as const;
  return [...id.toString(4).padStart(3, '0')].flatMap((digit) => hands[Number(digit) as 0]);
}

/** A token's position: three hands that turn once in 4, 16 and 64 tokens. */
export function positionOf(place: number): number[] {
  return periods.flatMap((period) => {
    const angle = (2 * Math.PI * place) / period;
    return [Math.sin(angle), Math.cos(angle)];
  });
}

const periods = [4, 16, 64];
/** The default strictness of heads in chapter "Attend", and the largest. */
const soft = 3;
export const strictest = 12;

export type HeadId = 'previous' | 'same' | 'first' | 'average';
/** Matrices [out, in]; X is [1 | content | position]. */
export type HeadWeights = Record<'wq' | 'wk' | 'wv', number[][]>;

/**
 * The weights of a head. Its query asks for the position one token back (its hands turned back), the token's own
 * content, the first position (all hands up), or nothing. Its keys hold the same property; values are the content,
 * rotated for tokens.
 */
export function weightsOf(
  {
    head,
    tokens,
    strict = soft,
    turn = true,
  }: Pick<Chapter, 'head' | 'tokens' | 'strict' | 'turn'>,
  width: number,
): HeadWeights {
  const inputs = 1 + width + 6;
  /** Rows with the given entries, by column. */
  const rows = (...entries: Record<number, number>[]) =>
    entries.map((row) => Array.from({ length: inputs }, (_, col) => row[col] ?? 0));
  const carry = (count: number, from: number, factor: number) =>
    rows(...Array.from({ length: count }, (_, i) => ({ [from + i]: factor })));
  const [content, place] = [1, 1 + width];
  const back = periods.flatMap((period, hand) => {
    const angle = (2 * Math.PI) / period;
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)].map((one) =>
      Number((strict * one).toFixed(4)),
    );
    const [x, y] = [place + 2 * hand, place + 2 * hand + 1];
    return rows({ [x]: cosine, [y]: -sine }, { [x]: sine, [y]: cosine });
  });
  const up = periods.flatMap(() => rows({}, { 0: strict }));
  /** Rotates each hand by 20 degrees, and the last two into each other by 30. */
  function turned() {
    const [x, y, c, s] = [20, 30].flatMap((degrees) => {
      const angle = (Math.PI * degrees) / 180;
      return [Math.cos(angle), Math.sin(angle)];
    });
    const among = [
      [1, 0, 0],
      [0, c, -s],
      [0, s, c],
    ];
    const row = (hands: readonly number[], ...entries: readonly number[]) =>
      Object.fromEntries(
        hands.flatMap((share, hand) =>
          entries.map((one, i) => [content + 2 * hand + i, Number((share * one).toFixed(4))]),
        ),
      );
    return rows(...among.flatMap((hands) => [row(hands, x, -y), row(hands, y, x)]));
  }
  const queries: Record<HeadId, number[][]> = {
    previous: back,
    same: carry(width, content, tokens ? strict : strict / soft),
    first: up,
    average: carry(6, place, 0),
  };
  return {
    wq: queries[head],
    wk: head === 'same' ? carry(width, content, 1) : carry(6, place, 1),
    wv: tokens && turn ? turned() : carry(width, content, 1),
  };
}

export interface Chapter {
  /** Rows of content: contentOf() of tokens, or any numbers. */
  readonly content: readonly (readonly number[])[];
  readonly head: HeadId;
  readonly causal: boolean;
  readonly tokens: boolean;
  readonly strict?: number;
  /** Whether values are rotated, as in this chapter alone. */
  readonly turn?: boolean;
  readonly change?: (weights: HeadWeights) => void;
}

/** Ids in order of first appearance. */
export function idsOf(tokens: readonly string[]): number[] {
  const distinct = [...new Set(tokens)];
  return tokens.map((token) => distinct.indexOf(token));
}

export async function chapter(asked: Chapter): Promise<Matrices> {
  const { content, causal, change } = asked;
  const core = await tril();
  return core.scope(() => {
    const rows = content.map((row, place) => [1, ...row, ...positionOf(place)]);
    const x = core.tensor(rows);
    const weights = weightsOf(asked, content[0].length);
    change?.(weights);
    const [wq, wk, wv] = [weights.wq, weights.wk, weights.wv].map((weight) => core.tensor(weight));
    const [q, k, v] = [wq, wk, wv].map((weight) => core.linear(x, weight));
    const { output, trace } = core.attention(q, k, v, { causal, trace: true });
    const tensors = {
      ...{ x, wq, wk, wv, q, k, v },
      scores: core.matmul(q, k, { transposeB: true }),
      scaled: trace.scores,
      ...{ masked: trace.masked, weights: trace.weights, output },
    };
    return Object.fromEntries(
      Object.entries(tensors).map(([name, tensor]) => [name, rowsOf(tensor)]),
    );
  });
}
