// What is asked of a model that is opened so that it learns a visitor's text. Only plain data crosses.
import type { LoraSettings, TrainingSettings } from 'tril';

/** Steps of all, and from one look at what it has become to the next. */
export const [steps, every] = [40, 10];
/** Letters of the text, at the most. */
export const most = 20_000;
export const training = { batch: 2, learningRate: 5e-4, warmup: 5, steps, seed: 1 } as const;
/** What is trained: all weights, or an adapter (LoRA). */
export const trainedIds = ['all', 'lora'] as const;
export const ranks = [1, 2, 4, 8, 16] as const;
/** An adapter begins at 0, and is small. */
const adapterRate = 5e-3;

export interface Adapter {
  readonly rank: number;
  /** Matrices that it changes, by the ends of their names; none: those that the package has by default. */
  readonly targets: readonly string[];
}
/** The settings of a training, of all weights without an adapter. */
export function settingsOf(lora: Adapter | null): TrainingSettings & { lora?: LoraSettings } {
  if (!lora) return training;
  const { rank, targets } = lora;
  return {
    ...{ ...training, learningRate: adapterRate },
    lora: targets.length > 0 ? { rank, targets } : { rank },
  };
}
/** Of windows that it learns from, at the most, where its positions let it see fewer tokens than it could. */
export const widest = 256;
/** Tokens that it writes. */
export const written = 40;

export interface FurtherPoint {
  readonly step: number;
  /** How many numbers are trained, by the core. */
  readonly trained: number;
  /** Of the last tenth of the text, which it does not learn from. */
  readonly loss: number;
  /** What follows the prompt: by the model, and by what it has become. */
  readonly prompt: string;
  readonly before: string;
  readonly now: string;
  /** Layer by layer, of each head: how far its matrices have moved, over how large they were. */
  readonly moved: readonly (readonly number[])[];
}

export interface FurtherRequests {
  /** Trains up to so many steps: with a text, it begins anew from the model; without, it goes on. Says how many are done. */
  further: {
    ask: {
      readonly text: string | null;
      readonly lora: Adapter | null;
      readonly prompt: string;
      readonly upTo: number;
    };
    part: number;
    answer: FurtherPoint;
  };
  /** How many numbers an adapter has. */
  adapter: { ask: Adapter; part: never; answer: number };
  /** What it has become, as files. */
  furtherFiles: {
    ask: Record<string, never>;
    part: never;
    answer: Readonly<Record<string, Uint8Array>>;
  };
}
