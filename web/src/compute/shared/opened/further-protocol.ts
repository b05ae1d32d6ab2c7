// Queries by which an open model learns a visitor's text. Only plain data crosses.
import type { LoraSettings, TrainingSettings } from 'tril';

/** Number of steps, and of steps between two reports. */
export const [steps, every] = [40, 10];
/** Maximum number of letters of the text. */
export const most = 20_000;
export const training = { batch: 2, learningRate: 5e-4, warmup: 5, steps, seed: 1 } as const;
/** The trained parameters: all weights, or an adapter (LoRA). */
export const trainedIds = ['all', 'lora'] as const;
export const ranks = [1, 2, 4, 8, 16] as const;
/** An adapter begins at 0, and is small, so its learning rate is higher. */
const adapterRate = 5e-3;

export interface Adapter {
  readonly rank: number;
  /** Matrices that it changes, by the ends of their names; none: the package's default. */
  readonly targets: readonly string[];
}
/** The settings of a training; without an adapter it trains all weights. */
export function settingsOf(lora: Adapter | null): TrainingSettings & { lora?: LoraSettings } {
  if (!lora) return training;
  const { rank, targets } = lora;
  return {
    ...{ ...training, learningRate: adapterRate },
    lora: targets.length > 0 ? { rank, targets } : { rank },
  };
}
/**
 * Maximum length of the windows of the training text, for models whose positions allow shorter windows than the
 * context.
 */
export const widest = 256;
/** Number of tokens to generate. */
export const written = 40;

export interface FurtherPoint {
  readonly step: number;
  /** Number of trained parameters, by the core. */
  readonly trained: number;
  /** Loss on the last tenth of the text, which is held out. */
  readonly loss: number;
  /** The continuation of the prompt by the model, and by its trained copy. */
  readonly prompt: string;
  readonly before: string;
  readonly now: string;
  /** Layer by layer, for each head: the change of its matrices, relative to their norm. */
  readonly moved: readonly (readonly number[])[];
}

export interface FurtherRequests {
  /**
   * Trains up to step `upTo`: with a text, from the model anew; without, it continues. Reports the number of steps
   * done.
   */
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
  /** Number of parameters of an adapter. */
  adapter: { ask: Adapter; answer: number };
  /** The trained copy, as files. */
  furtherFiles: {
    ask: Record<string, never>;
    answer: Readonly<Record<string, Uint8Array>>;
  };
}
