import type { Model, TrainingTril } from 'tril/training';
import type { Tensor, Tril } from 'tril';

export interface Near {
  readonly index: number;
  readonly cosine: number;
}
export interface Passage {
  /** Of the word, in the text. */
  readonly at: number;
  readonly before: string;
  readonly word: string;
  readonly after: string;
}
export type Line = Omit<Passage, 'at'>;
/** Tokens of a passage, and which of them are the word's. */
export interface Reads {
  readonly tokens: number[];
  readonly from: number;
  readonly count: number;
}
/** 0 or 1; -1: neither. */
export type Sense = -1 | 0 | 1;
export type Cues = readonly (readonly string[])[];
export interface Separation {
  readonly within: number;
  readonly across: number;
  readonly share: number;
}

export function unitRows(tril: Tril, rows: Tensor): Tensor;
export function meanOf(tril: Tril, rows: Tensor): Tensor;
export function centred(tril: Tril, rows: Tensor): Tensor;
export function largest(
  values: ArrayLike<number>,
  count: number,
  without?: readonly number[],
): number[];
export function nearest(
  tril: Tril,
  unit: Tensor,
  row: Tensor,
  count: number,
  without: readonly number[],
): Near[];
export function rowsOf(tril: Tril, matrix: Tensor, indices: readonly number[]): Tensor;
export function principal(
  tril: Tril,
  rows: Tensor,
): { readonly directions: Tensor; readonly share: number };
export const bank: {
  readonly word: string;
  readonly senses: readonly string[];
  readonly cues: Cues;
};
export function passagesOf(text: string, word: string): Passage[];
export function lineOf(passage: Line): Line;
export function senseOf(passage: Line, cues: Cues): Sense;
export function chosenPassages(
  text: string,
  about: { readonly word: string; readonly cues: Cues },
  most?: number,
): (Passage & { readonly sense: Sense })[];
export function tokensOf(model: Model, passage: Line, context: number): Reads;
export function contextOf(model: Model): number;
export function placesOf(tril: TrainingTril, model: Model, passage: Line): Float32Array[];
export function layersOf(tril: Tril, places: readonly (readonly Float32Array[])[]): Tensor[];
export function separation(tril: Tril, unit: Tensor, senses: readonly Sense[]): Separation | null;
