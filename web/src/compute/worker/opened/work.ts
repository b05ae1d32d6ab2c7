// What answers of a model that is there are given: the model, and who waits.
import type { Tensor, TokenBatch, Trainer } from 'tril';
import type { Model, TrainingTril } from 'tril/training';
import type { Shape } from './shape';

/** What the model has become, until it learns another text, or is closed. */
export interface Pupil {
  readonly trainer: Trainer;
  /** Of the part that is not learned from. */
  readonly unseen: TokenBatch;
  readonly beginning: Readonly<Record<string, Tensor>>;
  /** What the model itself goes on with, behind the last prompt. */
  before: { readonly prompt: string; readonly text: string } | null;
  dispose(): void;
}

/** A model in the Worker. */
export interface Opened {
  readonly tril: TrainingTril;
  readonly model: Model;
  readonly shape: Shape;
  readonly tokenizer: boolean;
  /** What learns a text of the visitor's from it. */
  pupil?: Pupil | undefined;
}

/** Of an answer that takes long. */
export interface Work<Part> {
  say(part: Part): void;
  /** Lets others have their turn, every tenth of a second at least; refused once nobody wants the answer any more. */
  turn(): Promise<void>;
}
