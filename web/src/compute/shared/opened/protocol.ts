// Messages between a figure and the Worker that holds a model. Only plain data crosses.
import type { Interventions } from 'tril/training';
import type { Loading } from '../../worker/fetched';
import type { CostData } from '../../page/protocol';
import type { AwayRequests } from './away-protocol';
import type { FurtherRequests } from './further-protocol';
import type { Shape } from '../../worker/opened/shape';

/** Source of a model: files of the page, or a folder of the visitor's. */
export type Source =
  | { readonly address: string; readonly bytes: Readonly<Record<string, number>> }
  | { readonly files: readonly File[] };

/** A loaded model. */
export interface About {
  readonly shape: Shape;
  readonly parameters: number;
  /** Size of the parameters in bytes. */
  readonly memory: number;
  /** Size of all its files in bytes. */
  readonly bytes: number;
  /** Without a tokenizer, a text is a list of token ids. */
  readonly tokenizer: boolean;
  /** Maximum number of tokens of a text that are shown. */
  readonly places: number;
}

/** A token and its text; a part of a character is shown by a replacement sign. */
export interface Piece {
  readonly id: number;
  readonly text: string;
}

export interface Guess extends Piece {
  readonly p: number;
}

/** A text, and the tokens after it. */
export interface TextAsk {
  readonly text: string;
  readonly then: readonly number[];
  readonly changes?: Interventions;
}

/** The position with a head's largest weight, and that weight. */
export interface Look {
  readonly to: number;
  readonly weight: number;
}

export interface Reading {
  readonly tokens: readonly Piece[];
  /** The text of the tokens after it. */
  readonly written: string;
  /** Layer by layer, position by position: the likeliest next tokens if the model ended there. */
  readonly lens: readonly (readonly (readonly Guess[])[])[];
  /** Layer by layer, position by position: the largest weight of each head. */
  readonly looks: readonly (readonly (readonly Look[])[])[];
  /** Layer by layer, for all heads one after another: [H, T, T]. */
  readonly weights: readonly Float32Array[];
  /** Layer by layer, position by position: norm of the residual stream. */
  readonly norms: readonly (readonly number[])[];
  readonly cost: CostData;
  /** Time of the forward pass with its trace. */
  readonly milliseconds: number;
}

export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

export type CutId = 'topK' | 'topP' | 'minP';

/** A candidate for the next token. */
export interface Bar extends Piece {
  /** Softmax of the logits. */
  readonly plain: number;
  /** Softmax with the temperature. */
  readonly warm: number;
  /** Share after the cuts, normalized to sum to 1. */
  readonly left: number;
  /** The cut that removed it. */
  readonly cut: CutId | null;
  /** Its `left` with every part on; null if none is off. */
  readonly before: number | null;
}

/** Effect of one of the cuts, in their order. */
export interface Cut {
  readonly id: CutId;
  readonly removed: number;
  readonly kept: number;
  /** Share of what was there before it. */
  readonly share: number;
}

/** A token's part of the line from 0 to 1, on which the remaining tokens lie in the order of their ids. */
export interface Stretch extends Piece {
  readonly from: number;
  readonly to: number;
}

export interface Next {
  /** The likeliest, now or before parts were switched off, and the sampled one. */
  readonly bars: readonly Bar[];
  /** All others. */
  readonly others: {
    readonly count: number;
    readonly plain: number;
    readonly warm: number;
    readonly left: number;
  };
  readonly cuts: readonly Cut[];
  /** Number of remaining tokens. */
  readonly kept: number;
  readonly line: readonly Stretch[];
  /** The random number, from 0 to 1; null at temperature 0, where none is drawn. */
  readonly number: number | null;
  /** The sampled token; null if the text ends. */
  readonly drawn: Stretch | null;
}

/** Data that the chapter shows before any model is loaded. */
export interface Opening {
  readonly about: About;
  /** Sizes in bytes of the model's files. */
  readonly sizes: Readonly<Record<string, number>>;
  /** All weights are separate: only later figures show them. */
  readonly reading: Omit<Reading, 'weights'>;
  readonly next: Next;
}

/** Queries to a loaded model: kind by kind, with the parts before an answer if there are any. */
export interface OpenedRequests extends AwayRequests, FurtherRequests {
  tokens: { ask: { readonly text: string }; answer: readonly Piece[] };
  read: { ask: TextAsk; answer: Reading };
  next: {
    ask: TextAsk & { readonly sampling: Sampling; readonly seed: number };
    answer: Next;
  };
}
export type RequestKind = keyof OpenedRequests;
/** Those that are answered in parts. */
export type OpenedParts = Pick<OpenedRequests, 'cacheTimes' | 'ranking' | 'patch' | 'further'>;

/** Sent with every request about a model. */
export interface OpenedAsk {
  /** The handle of the model. */
  readonly model: number;
  readonly ask: unknown;
}

export type OpenedPart =
  Loading | { readonly what: 'open'; readonly model: number; readonly about: About };

/** Keeps a model open until it is cancelled. */
export interface OpenedSession {
  opened: { ask: Source; part: OpenedPart; answer: never };
}
