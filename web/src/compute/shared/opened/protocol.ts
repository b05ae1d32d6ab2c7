// What a figure and the Worker that holds a model tell each other. Only plain data crosses.
import type { Interventions } from 'tril/training';
import type { Loading } from '../../worker/fetched';
import type { CostData } from '../../page/protocol';
import type { AwayRequests } from './away-protocol';
import type { FurtherRequests } from './further-protocol';
import type { Shape } from '../../worker/opened/shape';

/** Where a model comes from: files of the page, or a folder of the visitor's. */
export type Source =
  | { readonly address: string; readonly bytes: Readonly<Record<string, number>> }
  | { readonly files: readonly File[] };

/** A model that is there. */
export interface About {
  readonly shape: Shape;
  readonly parameters: number;
  /** What the parameters take, in bytes. */
  readonly memory: number;
  /** Of all its files. */
  readonly bytes: number;
  /** Without one, a text is numbers of tokens. */
  readonly tokenizer: boolean;
  /** How many tokens of a text are shown at the most. */
  readonly places: number;
}

/** A token, and what it stands for; a part of a letter is the sign for what cannot be shown. */
export interface Piece {
  readonly id: number;
  readonly text: string;
}

export interface Guess extends Piece {
  readonly p: number;
}

/** A text, and the tokens that came behind it. */
export interface TextAsk {
  readonly text: string;
  readonly then: readonly number[];
  readonly changes?: Interventions;
}

/** Where a head looks most, by its place in the text, and with which weight. */
export interface Look {
  readonly to: number;
  readonly weight: number;
}

export interface Reading {
  readonly tokens: readonly Piece[];
  /** What the tokens behind the text say, as prose. */
  readonly written: string;
  /** Layer by layer, place by place: the likeliest next tokens if the model ended there. */
  readonly lens: readonly (readonly (readonly Guess[])[])[];
  /** Layer by layer, place by place: of each of its heads. */
  readonly looks: readonly (readonly (readonly Look[])[])[];
  /** Layer by layer, of all its heads, one after another: [H, T, T]. */
  readonly weights: readonly Float32Array[];
  /** Layer by layer, place by place: how long the vector of the residual stream is. */
  readonly norms: readonly (readonly number[])[];
  readonly cost: CostData;
  /** That the forward pass took, with all that is kept of it. */
  readonly milliseconds: number;
}

export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

export type CutId = 'topK' | 'topP' | 'minP';

/** A token that may come next. */
export interface Bar extends Piece {
  /** Softmax of the logits. */
  readonly plain: number;
  /** With the temperature. */
  readonly warm: number;
  /** After the cuts, made to add up to 1 again. */
  readonly left: number;
  /** What removed it. */
  readonly cut: CutId | null;
  /** What was left of it with every part on; null where none is off. */
  readonly before: number | null;
}

/** What one of the cuts does, in their order. */
export interface Cut {
  readonly id: CutId;
  readonly removed: number;
  readonly kept: number;
  /** Of what was there before it. */
  readonly share: number;
}

/** A token's part of the line from 0 to 1, where all that are left lie in the order of their numbers. */
export interface Stretch extends Piece {
  readonly from: number;
  readonly to: number;
}

export interface Next {
  /** The likeliest, now or before parts were switched off, and the one that was drawn. */
  readonly bars: readonly Bar[];
  /** All others. */
  readonly others: {
    readonly count: number;
    readonly plain: number;
    readonly warm: number;
    readonly left: number;
  };
  readonly cuts: readonly Cut[];
  /** How many are left. */
  readonly kept: number;
  readonly line: readonly Stretch[];
  /** That the die gives, from 0 to 1; at temperature 0 it is not cast. */
  readonly number: number | null;
  /** The token where it falls; null where the text ends. */
  readonly drawn: Stretch | null;
}

/** What the chapter shows before any model is loaded. */
export interface Opening {
  readonly about: About;
  /** Bytes of the model's files. */
  readonly sizes: Readonly<Record<string, number>>;
  /** All weights are apart: only figures further down show them. */
  readonly reading: Omit<Reading, 'weights'>;
  readonly next: Next;
}

/** What a model that is there can be asked: kind by kind, with what it says on the way. */
export interface OpenedRequests extends AwayRequests, FurtherRequests {
  tokens: { ask: { readonly text: string }; part: never; answer: readonly Piece[] };
  read: { ask: TextAsk; part: never; answer: Reading };
  next: {
    ask: TextAsk & { readonly sampling: Sampling; readonly seed: number };
    part: never;
    answer: Next;
  };
}
export type RequestKind = keyof OpenedRequests;

export type OpenedSaid =
  | Loading
  | { readonly what: 'open'; readonly about: About }
  | { readonly what: 'part'; readonly id: number; readonly part: unknown }
  | { readonly what: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly what: 'failed'; readonly id: number; readonly why: string };

export type OpenedTold =
  | {
      readonly what: 'ask';
      readonly id: number;
      readonly kind: RequestKind;
      readonly ask: unknown;
    }
  | { readonly what: 'drop'; readonly id: number };

export interface OpenedSession {
  opened: { ask: Source; said: OpenedSaid; told: OpenedTold; answer: never };
}
