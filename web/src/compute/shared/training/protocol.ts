// Messages between a figure and the Worker that trains for it. Only plain data crosses.
import type { MatrixData } from '../../page/protocol';
import type { ChangeId } from './changes';
import type { TaskId } from './tasks';

/**
 * The share of a head's weight at the positions of a task's mechanism: means over the rows that have such a position.
 */
export interface HeadScores {
  /** Weight on the previous token. */
  readonly previous: number;
  /** Weight on all tokens that follow an earlier copy of the current one. */
  readonly copy: number;
}

/** A model after some steps. */
export interface Frame {
  readonly step: number;
  /** Loss on held-out sequences. */
  readonly loss: number;
  /** Loss on sequences whose copies have distances that it has never seen. */
  readonly others: number | null;
  /** Share of right answers. */
  readonly right: number;
  /** Layer by layer, head by head: attention in the example, [T, T]. */
  readonly weights: readonly MatrixData[];
  readonly scores: readonly HeadScores[];
}

export interface BornSaid {
  /** Sent with the first frame. */
  readonly about?: BornAbout;
  readonly frame: Frame;
  /** Loss on the batch of each step since the previous frame. */
  readonly losses: readonly number[];
  /** Duration of each of these steps: forward pass, backward pass and update. */
  readonly milliseconds: readonly number[];
}

/** Constant data of a training. */
export interface BornAbout {
  /** The sequence whose attention is shown. */
  readonly example: readonly number[];
  readonly parameters: number;
  /** The loss of a uniform guess. */
  readonly ignorant: number;
  /** The weights before the first step, as a safetensors file. */
  readonly beginning: Uint8Array;
}

interface BornEnd {
  readonly steps: number;
  /** Duration of the training and its reports, without pauses. */
  readonly milliseconds: number;
  /** The final weights, as a safetensors file, and their config.json. */
  readonly weights: Uint8Array;
  readonly config: Uint8Array;
  /** The final loss with one head ablated, head by head. */
  readonly without: readonly number[];
}

/** Two models after some steps, the default and the changed one; null if the loss is not finite any more. */
export interface WhatIfPoint {
  readonly step: number;
  /** Loss on held-out sequences. */
  readonly losses: readonly [number | null, number | null];
  readonly ignorant: number;
  /** Duration of a step of either since the previous point. */
  readonly milliseconds: readonly number[];
}

/** The result of one of them. */
export interface WhatIfRun {
  readonly loss: number | null;
  /** The step in which its loss became infinite or NaN. */
  readonly broken: number | null;
  /** Number of letters written after the beginnings of sequences, and of right ones among them. */
  readonly letters: number;
  readonly right: number;
  /** The letters written after the first. */
  readonly text: readonly number[];
}

/** Text that a model has written after some steps. */
export interface OwnSample {
  readonly step: number;
  readonly text: string;
  /** Its longest run that occurs in the training text, and its position there. */
  readonly from: number;
  readonly length: number;
  readonly at: number;
}

export interface OwnSaid {
  /** Sent with the first point. */
  readonly about?: {
    /** Number of tokens for training, and for the loss. */
    readonly letters: number;
    readonly heldOut: number;
    readonly parameters: number;
    /** Loss of n-gram counts, by order. */
    readonly grams: readonly number[];
  };
  readonly step: number;
  /** Loss on the held-out part. */
  readonly loss: number;
  /** Loss on the first letters of the training text, as many as are held out. */
  readonly learned: number;
  /** Duration of each step since the previous message. */
  readonly milliseconds: readonly number[];
  readonly sample: OwnSample | null;
}

/** Length of the sequences, and width of the model. */
export interface PriceSize {
  readonly length: number;
  readonly width: number;
}

export type PricePart = 'forward' | 'backward' | 'optimizer' | 'step';

/** Cost of a step, by the core's count. */
export interface Priced extends PriceSize {
  /** Number of tokens in a step's batch. */
  readonly tokens: number;
  readonly parameters: number;
  readonly cost: Readonly<Record<PricePart, { readonly flops: number; readonly bytes: number }>>;
  /** Ratio to the operations of the forward pass alone. */
  readonly times: number;
}

/** Duration of a step on this machine, in milliseconds. */
export interface Timed extends PriceSize {
  readonly spread: Readonly<
    Record<PricePart, { readonly median: number; readonly least: number; readonly most: number }>
  >;
  /** Nothing else disturbed it. */
  readonly steady: boolean;
  /** Ratio to the duration of the forward pass alone. */
  readonly times: number;
}

/** The exponent with which a quantity grows. */
export type Growth = Readonly<Record<keyof PriceSize, number>>;

export type PriceSaid =
  { readonly counted: readonly Priced[]; readonly flops: Growth } | { readonly timed: Timed };

/** A session waits for "go" before its first step, and again after "wait". */
export type TrainingTold = 'go' | 'wait';

export interface TrainingSessions {
  born: {
    ask: { readonly task: TaskId; readonly seed: number };
    part: BornSaid;
    told: TrainingTold;
    answer: BornEnd;
  };
  whatIf: {
    ask: { readonly change: ChangeId; readonly seed: number };
    part: WhatIfPoint;
    told: TrainingTold;
    answer: {
      readonly sequence: readonly number[];
      readonly runs: readonly [WhatIfRun, WhatIfRun];
    };
  };
  own: {
    ask: { readonly text: string; readonly seed: number };
    part: OwnSaid;
    told: TrainingTold;
    /** After all steps it waits, and may be continued. */
    answer: never;
  };
  price: {
    ask: Record<string, never>;
    part: PriceSaid;
    told: TrainingTold;
    /** Exponents of the times. */
    answer: { readonly milliseconds: Growth };
  };
}

export interface TrainingQuestions {
  /** The predictions of a trained model of heads after some tokens. */
  recall: {
    ask: {
      /** Weights as a safetensors file. */
      readonly weights: Uint8Array;
      readonly tokens: readonly number[];
      /** Heads that are switched off, for each prediction; numbered layer by layer, from 0. */
      readonly off: readonly (readonly number[])[];
    };
    /** For each prediction, the probability of each token of the vocabulary. */
    answer: { readonly chances: readonly (readonly number[])[] };
  };
}
