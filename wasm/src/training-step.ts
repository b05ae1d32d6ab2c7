// The report of a training step. Errors carry such reports, so this file imports nothing.

/** The report of a training step. */
export interface TrainingStep {
  /** Number of the step, from 0. */
  readonly step: number;
  /** Mean loss over all targets before the step, in nats. */
  readonly loss: number;
  /** Norm of the gradient before clipping. */
  readonly gradientNorm: number;
  /** Learning rate of the step. */
  readonly learningRate: number;
  /** Duration of the step in milliseconds. */
  readonly milliseconds: number;
  /** Number of tokens in its batches. */
  readonly tokens: number;
  /** Duration of each part in milliseconds. */
  readonly parts: TrainingParts<number>;
}

/** A value for each part of a step. */
export interface TrainingParts<Each> {
  /** The forward pass, up to the loss. Running a model takes this part, too. */
  readonly forward: Each;
  /** The backward pass, down to the gradients. */
  readonly backward: Each;
  /** The norm of the gradients, clipping, and the update of all parameters. */
  readonly optimizer: Each;
}
