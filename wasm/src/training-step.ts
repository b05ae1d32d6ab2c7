// What a step of training reports. Errors carry such reports, too, so this file knows no other.

/** What a step was. */
export interface TrainingStep {
  /** Its number, from 0. */
  readonly step: number;
  /** Before it, the mean over all targets, in nats. */
  readonly loss: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  readonly learningRate: number;
  /** That it took. */
  readonly milliseconds: number;
  /** That it looked at. */
  readonly tokens: number;
  /** Milliseconds of each part. */
  readonly parts: TrainingParts<number>;
}

/** Something of each part of a step. */
export interface TrainingParts<Each> {
  /** To the loss: what a model that is only run does, too. */
  readonly forward: Each;
  /** To the gradients. */
  readonly backward: Each;
  /** Their norm, clipping, and the move of all parameters. */
  readonly optimizer: Each;
}
