// The kinds of objects that live in the Worker, in one table for both sides.
import type { Mask } from '../calls/mask.js';
import type { DecodingSession } from '../decoding-session.js';
import type { Encoder } from '../encoder.js';
import type { KeyValueCache } from '../key-value-cache.js';
import type { Learner } from '../learner.js';
import type { Model } from '../model.js';
import type { RawLearner } from '../raw.js';
import type { SequenceTrainer } from '../sequence-trainer.js';
import type { Tensor } from '../tensor.js';
import type { Tokenizer } from '../tokenizer.js';
import type { Trainer } from '../trainer.js';
import type { WordVectors } from '../word-vectors.js';

/** An iterator whose parts are requested one by one. */
export type Stream = Pick<Iterator<unknown>, 'next'>;

/** The objects of the package that live in the Worker, by kind. */
export interface Local {
  readonly tensor: Tensor;
  readonly mask: Mask;
  readonly cache: KeyValueCache;
  readonly trainer: Trainer;
  readonly sequenceTrainer: SequenceTrainer;
  readonly wordVectors: WordVectors;
  readonly model: Model;
  readonly encoder: Encoder;
  readonly session: DecodingSession;
  readonly tokenizer: Tokenizer;
  readonly stream: Stream;
}
export type Kind = keyof Local;

/** The properties of each kind that never change. References carry them, so that both sides have them. */
export const constants = {
  tensor: ['shape'],
  mask: [],
  cache: ['sizes'],
  trainer: ['settings', 'parameterCount'],
  sequenceTrainer: ['settings', 'parameterCount'],
  wordVectors: ['settings', 'words', 'counts', 'allSteps'],
  model: ['config', 'parameters'],
  encoder: ['config', 'parameters', 'settings'],
  session: ['capacity'],
  tokenizer: ['size'],
  stream: [],
} as const satisfies { [Each in Kind]: readonly (keyof Local[Each])[] };

/**
 * The calls of each kind that are only forwarded, and its properties that change: the remote classes take them from
 * this table. A call that does more, returns its object, or has several signatures is written in its class.
 */
export const calls = {
  tensor: [],
  mask: [],
  cache: ['length'],
  learner: ['done', 'parameters', 'gradients', 'moments', 'save'],
  trainer: [
    ...['evaluate', 'cost', 'sample', 'encode', 'decode'],
    ...['trace', 'export', 'exportAdapter'],
  ],
  sequenceTrainer: ['evaluate', 'logits'],
  wordVectors: ['step', 'steps', 'done', 'vectors', 'similar', 'analogy', 'save'],
  model: ['encode', 'decode', 'attention', 'evaluate', 'export'],
  encoder: ['encode', 'similarity', 'attention', 'hidden', 'decode'],
  session: ['length', 'append'],
  tokenizer: ['encode', 'encodeWithOffsets', 'decode', 'export'],
  stream: [],
} as const satisfies { [Each in keyof Calling]: readonly (keyof Calling[Each])[] };

/** The kinds, and the common part of trainers. */
export interface Calling extends Local {
  readonly learner: Learner<RawLearner, unknown, unknown>;
}

export type Constants<Each extends Kind> = Pick<
  Local[Each],
  Extract<(typeof constants)[Each][number], keyof Local[Each]>
>;

/** An object that stays in the Worker, as messages refer to it. */
export interface ReferenceOf<Each extends Kind> {
  readonly $reference: number;
  readonly kind: Each;
  readonly constants: Readonly<Constants<Each>>;
}
export type Reference = { [Each in Kind]: ReferenceOf<Each> }[Kind];
