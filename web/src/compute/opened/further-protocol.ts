// What is asked of a model that is opened so that it learns a visitor's text. Only plain data crosses.

/** Steps of all, and from one look at what it has become to the next. */
export const [steps, every] = [40, 10];
/** Letters of the text, at the most. */
export const most = 20_000;
export const training = { batch: 2, learningRate: 5e-4, warmup: 5, steps, seed: 1 } as const;
/** Of windows that it learns from, at the most, where its positions let it see fewer tokens than it could. */
export const widest = 256;
/** Tokens that it writes. */
export const written = 40;

export interface FurtherPoint {
  readonly step: number;
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
  /** Up to so many steps; with a text, from the model as it is. Says how many are done. */
  further: {
    ask: { readonly text: string | null; readonly prompt: string; readonly upTo: number };
    part: number;
    answer: FurtherPoint;
  };
  /** What it has become, as files. */
  furtherFiles: {
    ask: Record<string, never>;
    part: never;
    answer: Readonly<Record<string, Uint8Array>>;
  };
}
