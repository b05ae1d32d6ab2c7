// What a figure and the Worker that trains for it tell each other. Only plain data crosses.
import type { MatrixData } from '../protocol';
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
}

export interface BornEnd {
  readonly steps: number;
  /** The loss in the end with one head taken away, head by head. */
  readonly without: readonly number[];
}

export interface TrainingSessions {
  born: {
    ask: { readonly task: TaskId; readonly seed: number };
    said: BornSaid | BornAbout;
    /** It waits for "go" before its first step, and again after "wait". */
    told: 'go' | 'wait';
    answer: BornEnd;
  };
}
