// What a figure and the Worker that trains for it tell each other. Only plain data crosses.
import type { MatrixData } from '../../page/protocol';
import type { ChangeId } from './changes';
import type { TaskId } from './tasks';

/** How much of a head's weight is where a task's mechanism would have it: means over the rows that have such a place. */
export interface HeadScores {
  /** On the token before. */
  readonly previous: number;
  /** On all tokens that follow an earlier copy of the current one. */
  readonly copy: number;
}

/** A model after so many steps. */
export interface Frame {
  readonly step: number;
  /** Of sequences that it does not learn from. */
  readonly loss: number;
  /** Of those whose copies are as far apart as it has never seen. */
  readonly others: number | null;
  /** The share of answers that are right. */
  readonly right: number;
  /** Layer by layer, head by head: what each looks at in the example, [T, T]. */
  readonly weights: readonly MatrixData[];
  readonly scores: readonly HeadScores[];
}

export interface BornSaid {
  /** With the first. */
  readonly about?: BornAbout;
  readonly frame: Frame;
  /** Of the batch of each step since the frame before. */
  readonly losses: readonly number[];
  /** That each of these steps took: forward, backward and the move. */
  readonly milliseconds: readonly number[];
}

/** What holds for all of a training. */
export interface BornAbout {
  /** The sequence whose attention is shown. */
  readonly example: readonly number[];
  readonly parameters: number;
  /** The loss of who holds all answers for equally likely. */
  readonly ignorant: number;
  /** The weights before the first step, as a file of safetensors. */
  readonly beginning: Uint8Array;
}

interface BornEnd {
  readonly steps: number;
  /** That all of it has taken, with the looks at the heads on the way, without what it was held for. */
  readonly milliseconds: number;
  /** What the weights have become, as such a file, and the config.json beside it. */
  readonly weights: Uint8Array;
  readonly config: Uint8Array;
  /** The loss in the end with one head taken away, head by head. */
  readonly without: readonly number[];
}

/** Two models after so many steps, the usual one and the changed one; null where the loss is not finite any more. */
export interface WhatIfPoint {
  readonly step: number;
  /** Of sequences that they do not learn from. */
  readonly losses: readonly [number | null, number | null];
  readonly ignorant: number;
  /** That a step of either took, on the way here. */
  readonly milliseconds: readonly number[];
}

/** What one of them has come to. */
export interface WhatIfRun {
  readonly loss: number | null;
  /** The step in which its loss was not finite any more. */
  readonly broken: number | null;
  /** How many letters it has written behind the beginnings of sequences, and how many of them were right. */
  readonly letters: number;
  readonly right: number;
  /** What it has written behind the first. */
  readonly text: readonly number[];
}

/** What a model has written after so many steps. */
export interface OwnSample {
  readonly step: number;
  readonly text: string;
  /** Its longest run that stands in what is learned from, and where it stands there. */
  readonly from: number;
  readonly length: number;
  readonly at: number;
}

export interface OwnSaid {
  /** With the first. */
  readonly about?: {
    /** Tokens that are learned from, and those that the loss is measured on. */
    readonly letters: number;
    readonly heldOut: number;
    readonly parameters: number;
    /** The loss of what counting comes to, by how many letters are counted together. */
    readonly grams: readonly number[];
  };
  readonly step: number;
  /** Of the part that is not learned from. */
  readonly loss: number;
  /** Of as many letters of what it learns from, from its beginning. */
  readonly learned: number;
  /** The time of each step since the message before. */
  readonly milliseconds: readonly number[];
  readonly sample: OwnSample | null;
}

/** Of the sequences, and of the model. */
export interface PriceSize {
  readonly length: number;
  readonly width: number;
}

export type PricePart = 'forward' | 'backward' | 'optimizer' | 'step';

/** What a step costs, by the core's count. */
export interface Priced extends PriceSize {
  /** Of a step's batch. */
  readonly tokens: number;
  readonly parameters: number;
  readonly cost: Readonly<Record<PricePart, { readonly flops: number; readonly bytes: number }>>;
  /** How many times the operations of the forward pass alone. */
  readonly times: number;
}

/** How long a step takes here, in milliseconds. */
export interface Timed extends PriceSize {
  readonly spread: Readonly<
    Record<PricePart, { readonly median: number; readonly least: number; readonly most: number }>
  >;
  /** Nothing else was in the way. */
  readonly steady: boolean;
  /** How many times as long as the forward pass alone. */
  readonly times: number;
}

/** The power that something grows with. */
export type Growth = Readonly<Record<keyof PriceSize, number>>;

export type PriceSaid =
  { readonly counted: readonly Priced[]; readonly flops: Growth } | { readonly timed: Timed };

/** A session waits for "go" before its first step, and again after "wait". */
export type TrainingTold = 'go' | 'wait';

export interface TrainingSessions {
  born: {
    ask: { readonly task: TaskId; readonly seed: number };
    said: BornSaid;
    told: TrainingTold;
    answer: BornEnd;
  };
  whatIf: {
    ask: { readonly change: ChangeId; readonly seed: number };
    said: WhatIfPoint;
    told: TrainingTold;
    answer: {
      readonly sequence: readonly number[];
      readonly runs: readonly [WhatIfRun, WhatIfRun];
    };
  };
  own: {
    ask: { readonly text: string; readonly seed: number };
    said: OwnSaid;
    told: TrainingTold;
    /** After all steps it waits, and may be told to go on. */
    answer: never;
  };
  /** What a trained model of heads says behind tokens. */
  recall: {
    ask: {
      /** As a file of safetensors. */
      readonly weights: Uint8Array;
      readonly tokens: readonly number[];
      /** Each time it is asked, the heads that are switched off, layer by layer, from 0. */
      readonly off: readonly (readonly number[])[];
    };
    said: never;
    told: never;
    /** Each time, of each token that there is, to come next. */
    answer: { readonly chances: readonly (readonly number[])[] };
  };
  price: {
    ask: Record<string, never>;
    said: PriceSaid;
    told: TrainingTold;
    /** Of the times. */
    answer: { readonly milliseconds: Growth };
  };
}
