// What is asked of a model that is opened further down its chapter: its cache, what it is without a part, and what an
// activation of another text does to it. Only plain data crosses.
import type { Without } from 'tril/training';
import type { MatrixData } from '../../page/protocol';

/** A text, and the tokens that came behind it. */
export interface Text {
  readonly text: string;
  readonly then: readonly number[];
}

/** A token, and how likely it is before and after a change. */
export interface Shift {
  readonly id: number;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

/** Of one head of a layer, as it reads a text. */
interface CacheCells {
  /** [T, D] */
  readonly q: MatrixData;
  readonly k: MatrixData;
  readonly v: MatrixData;
  /** [T, T] */
  readonly weights: MatrixData;
  /** By how much the keys and values of all layers but the last token's differ where that one is not there. */
  readonly apart: number;
}

export const cacheParts = ['projections', 'attention', 'feedForward', 'head'] as const;
export type CachePart = (typeof cacheParts)[number];

/** The last token of so many, computed alone or with all before it. */
interface CacheCount {
  readonly part: CachePart;
  readonly with: number;
  readonly without: number;
}

export interface CacheCounts {
  /** Operations, by the core's count. */
  readonly parts: readonly CacheCount[];
  readonly flops: { readonly with: number; readonly without: number };
  /** How many times as many. */
  readonly times: number;
  /** What the core takes for keys and values of so many tokens; null where it has no memory for them. */
  readonly bytes: number | null;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Milliseconds for the last token of so many. */
export interface CacheTime {
  readonly tokens: number;
  readonly with: Spread;
  readonly without: Spread;
  /** Nothing else was in the way. */
  readonly steady: boolean;
  /** How many times as long without. */
  readonly times: number;
}

/** What a model makes of a text, and how that changes. */
export interface Away {
  readonly tokens: readonly string[];
  /** Nats at each token but the first, given those before it; null of a single one. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Their means. */
  readonly loss: { readonly before: number; readonly after: number } | null;
  /** The likeliest next tokens of both. */
  readonly next: readonly Shift[];
}

export interface Cost {
  readonly layer: number;
  /** Without: all of the layer, or that part. */
  readonly head?: number;
  readonly part?: 'attention' | 'feedForward';
  /** By how much the loss on the text rises without it. */
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
  /** The last so many tokens of each: column by column. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Of the first column, in both. */
  readonly fromStart: number;
  readonly toStart: number;
  readonly layers: number;
  /** Answers to choose from; before: of the prompt that is changed; after: of the one that it is taken from. */
  readonly answers: readonly Shift[];
}

/** Behind this layer, -1 behind the embedding, in this column. */
export interface PatchCell {
  readonly layer: number;
  readonly column: number;
  /** Of each of the answers. */
  readonly shares: readonly number[];
}

export interface PatchAsk {
  readonly from: string;
  readonly to: string;
  readonly part: PatchPart;
}

export interface PatchSaid {
  /** With the first. */
  readonly about?: PatchAbout;
  readonly cells: readonly PatchCell[];
}

export interface AwayRequests {
  cacheCells: {
    ask: Text & { readonly layer: number; readonly head: number };
    part: never;
    answer: CacheCells;
  };
  cacheCounts: { ask: { readonly tokens: number }; part: never; answer: CacheCounts };
  cacheTimes: {
    ask: Text;
    part: CacheTime;
    /** The powers that both grow with. */
    answer: { readonly with: number; readonly without: number } | null;
  };
  away: {
    ask: Text & { readonly without: readonly Without[] };
    part: never;
    answer: Away;
  };
  ranking: { ask: Text; part: RankingSaid; answer: null };
  patch: { ask: PatchAsk; part: PatchSaid; answer: null };
  patched: {
    ask: PatchAsk & { readonly layer: number; readonly column: number };
    part: never;
    answer: readonly Shift[];
  };
}
