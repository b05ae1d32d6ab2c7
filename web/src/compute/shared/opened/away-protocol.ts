// Later queries to an open model: about its cache, ablations of its parts, and activations patched from another text.
// Only plain data crosses.
import type { Without } from 'tril/training';
import type { MatrixData } from '../../page/protocol';

/** A text, and the tokens after it. */
export interface Text {
  readonly text: string;
  readonly then: readonly number[];
}

/** A token, and its probability before and after a change. */
export interface Shift {
  readonly id: number;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

/** Values of one head of a layer for a text. */
interface CacheCells {
  /** [T, D] */
  readonly q: MatrixData;
  readonly k: MatrixData;
  readonly v: MatrixData;
  /** [T, T] */
  readonly weights: MatrixData;
  /** Maximum change of the earlier tokens' keys and values, in all layers, if the last token is removed. */
  readonly apart: number;
}

export const cacheParts = ['projections', 'attention', 'feedForward', 'head'] as const;
export type CachePart = (typeof cacheParts)[number];

/** Operations for the last of several tokens, computed alone or with all before it. */
interface CacheCount {
  readonly part: CachePart;
  readonly with: number;
  readonly without: number;
}

export interface CacheCounts {
  /** Operations, by the core's count. */
  readonly parts: readonly CacheCount[];
  readonly flops: { readonly with: number; readonly without: number };
  /** Ratio of the operations without a cache to those with it. */
  readonly times: number;
  /** Bytes for the keys and values of `tokens` tokens; null if memory is not enough. */
  readonly bytes: number | null;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Milliseconds for the last of `tokens` tokens. */
export interface CacheTime {
  readonly tokens: number;
  readonly with: Spread;
  readonly without: Spread;
  /** Nothing else disturbed it. */
  readonly steady: boolean;
  /** Ratio of the time without a cache to the time with it. */
  readonly times: number;
}

/** A model's result for a text, before and after an ablation. */
export interface Away {
  readonly tokens: readonly string[];
  /** Loss in nats at each token but the first, given those before it; empty for a single token. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Their means. */
  readonly loss: { readonly before: number; readonly after: number } | null;
  /** The likeliest next tokens of both. */
  readonly next: readonly Shift[];
}

export interface Cost {
  readonly layer: number;
  /** The ablated part: the complete layer, one of its heads, or one of its halves. */
  readonly head?: number;
  readonly part?: 'attention' | 'feedForward';
  /** Increase of the loss on the text. */
  readonly rise: number;
}

export interface RankingSaid {
  readonly done: number;
  readonly all: number;
  readonly costs: readonly Cost[];
}

export const patchParts = ['residual', 'attention', 'feedForward'] as const;
type PatchPart = (typeof patchParts)[number];

/** Two prompts, aligned at their ends. */
export interface PatchAbout {
  /** The last tokens of each, column by column. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Position of the first column, in both. */
  readonly fromStart: number;
  readonly toStart: number;
  readonly layers: number;
  /** Candidate answers, with their probabilities for the patched prompt (before) and for the source prompt (after). */
  readonly answers: readonly Shift[];
}

/** A patch after this layer (-1: the embedding), in this column. */
export interface PatchCell {
  readonly layer: number;
  readonly column: number;
  /** Probability of each of the answers. */
  readonly shares: readonly number[];
}

export interface PatchAsk {
  readonly from: string;
  readonly to: string;
  readonly part: PatchPart;
}

export interface PatchSaid {
  /** Sent with the first cells. */
  readonly about?: PatchAbout;
  readonly cells: readonly PatchCell[];
}

export interface AwayRequests {
  cacheCells: {
    ask: Text & { readonly layer: number; readonly head: number };
    answer: CacheCells;
  };
  cacheCounts: { ask: { readonly tokens: number }; answer: CacheCounts };
  cacheTimes: {
    ask: Text;
    part: CacheTime;
    /** The exponents with which both times grow. */
    answer: { readonly with: number; readonly without: number } | null;
  };
  away: {
    ask: Text & { readonly without: readonly Without[] };
    answer: Away;
  };
  ranking: { ask: Text; part: RankingSaid; answer: null };
  patch: { ask: PatchAsk; part: PatchSaid; answer: null };
  patched: {
    ask: PatchAsk & { readonly layer: number; readonly column: number };
    answer: readonly Shift[];
  };
}
