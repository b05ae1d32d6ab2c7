// Context of a loaded model's answers: the model, and the receiver of partial answers.
import type { Tensor, TokenBatch, Trainer } from 'tril';
import type { Model, TrainingTril } from 'tril/training';
import type { Session } from '../answers';
import type { Shape } from './shape';

/** The trained copy of the model, until it learns another text, or is closed. */
export interface Pupil {
  readonly trainer: Trainer;
  /** The held-out part of the text. */
  readonly unseen: TokenBatch;
  readonly beginning: Readonly<Record<string, Tensor>>;
  /** The model's own continuation of the last prompt. */
  before: { readonly prompt: string; readonly text: string } | null;
  dispose(): void;
}

/** A model in the Worker. */
export interface Opened {
  readonly tril: TrainingTril;
  readonly model: Model;
  readonly shape: Shape;
  readonly tokenizer: boolean;
  /** The copy that learns a text of the visitor's. */
  pupil?: Pupil | undefined;
}

/** The part of a session that answers in parts use. */
export type Work<Part> = Pick<Session<Part>, 'say' | 'turn'>;
