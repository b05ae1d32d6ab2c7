// The query to the core about two texts and the masks between them.
import { handWidth, type ModeId } from '../compute/shared/handmade/towers-weights';
import type { TowersAsk } from '../compute/worker/lessons/towers';
import type { MatrixData } from '../compute/page/protocol';
import { maxWords, type MaskId, type TowersState } from '../state/towers';
import { tokenize } from './tokens';

/** The start token of both texts. */
export const start = '‹s›';

export interface Texts {
  /** The encoder's input: the start token, and the words. */
  readonly source: readonly string[];
  /** The text to be written. */
  readonly target: readonly string[];
  /** The decoder's input while it writes: the start token, and the target without its last word. */
  readonly inputs: readonly string[];
  readonly vocabulary: readonly string[];
}

function wordsOf(text: string): readonly string[] {
  const words = tokenize(text, 'words').tokens.slice(0, maxWords);
  return words.length > 0 ? words : ['…'];
}

export function textsOf({ source, target }: TowersState): Texts {
  const [from, to] = [wordsOf(source), wordsOf(target)];
  const vocabulary = [...new Set([start, ...from, ...to])];
  while (vocabulary.length < handWidth) vocabulary.push('·'.repeat(vocabulary.length));
  return {
    ...{ source: [start, ...from], target: to, vocabulary },
    inputs: [start, ...to.slice(0, -1)],
  };
}

function mask(rows: number, cols: number, sees: (row: number, col: number) => boolean): MatrixData {
  const data = Float32Array.from({ length: rows * cols }, (_, i) =>
    Number(sees(Math.floor(i / cols), i % cols)),
  );
  return { rows, cols, data };
}

/** 0 where a query may look, -inf elsewhere. */
export const hiding = ({ rows, cols, data }: MatrixData): MatrixData => ({
  ...{ rows, cols },
  data: data.map((sees) => (sees ? 0 : -Infinity)),
});

/** The query to the core about a state. */
export function askOf(state: TowersState, change: Partial<TowersState> = {}): TowersAsk {
  const now = { ...state, ...change };
  const { source, target, vocabulary } = textsOf(now);
  const [S, T] = [source.length, target.length];
  const turned = (id: MaskId, row: number, col: number) =>
    now.flips.some((flip) => flip.matrix === id && flip.row === row && flip.col === col);
  const real = S - Math.min(now.padding, S - 1);
  return {
    source: source.map((word) => vocabulary.indexOf(word)),
    target: target.map((word) => vocabulary.indexOf(word)),
    words: vocabulary.length,
    mode: now.mode as ModeId,
    masks: {
      source: mask(S, S, (row, col) => col < real !== turned('sourceMask', row, col)),
      target: mask(
        T,
        T,
        (row, col) => (!now.causal || col <= row) !== turned('targetMask', row, col),
      ),
      memory: mask(
        T,
        S,
        (row, col) => (!now.hides || col < real) !== turned('memoryMask', row, col),
      ),
    },
  };
}

/** Whether a query has these words, not only as many. */
export function sameWords(asked: TowersAsk | null, state: TowersState): boolean {
  const { source, target, words } = askOf(state);
  return (
    asked !== null &&
    asked.words === words &&
    asked.source.join() === source.join() &&
    asked.target.join() === target.join()
  );
}
