// Chapter "Model": a model in Node, on the package. All results from its logits on are computed here, in double
// precision.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tensor } from 'tril';
import { loadTril, type Model, type Interventions, type TrainingTril } from 'tril/training';
import { openingText } from '../../../web/src/compute/shared/opened/opening-text.ts';
import { shapeOf } from '../../../models/shape.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The default state of the chapter. */
export const opening = {
  text: openingText,
  sampling: { temperature: 0.8, topK: 12, topP: 0.9, minP: 0 },
  seed: 1,
} as const;
/** The number of the likeliest tokens that have a bar. */
const listed = 14;

/** The files of a folder that a visitor would choose. */
export const filesOf = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => /\.(json|safetensors)$/u.test(name))
    .map((name) => ({ name, buffer: readFileSync(join(root, folder, name)) }));

export interface Core {
  readonly tril: TrainingTril;
  readonly model: Model;
  readonly shape: ReturnType<typeof shapeOf>;
  readonly tokenizer: boolean;
}
export interface Text {
  readonly text: string;
  readonly then?: readonly number[];
  readonly changes?: Interventions;
}
export interface Sampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

/** A model in Node, the reference for the page's figures. */
export async function openedOf(folder: string): Promise<Core> {
  const tril = await loadTril();
  const files = filesOf(folder);
  const model = await tril.loadModel(
    Object.fromEntries(files.map(({ name, buffer }) => [name, new Uint8Array(buffer)])),
  );
  const tokenizer = files.some(({ name }) => name === 'tokenizer.json');
  return { tril, model, shape: shapeOf(model.config), tokenizer };
}

/** The largest relative error of a probability: softmax in float32 adds up all powers, at least four at a time. */
export const roundingOf = ({ shape }: Core) => (2 ** -24 * shape.vocabulary) / 4 + 2 ** -20;

const idsOf = ({ model, tokenizer }: Core, { text, then = [] }: Text): number[] => [
  ...(tokenizer ? model.encode(text) : (text.match(/\d+/gu) ?? []).map(Number)),
  ...then,
];
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
/** The index of the largest number, the first if several are equal. */
const bestOf = (all: readonly number[]) => all.indexOf(all.reduce((a, b) => Math.max(a, b)));
const rowsOf = (matrix: Tensor) => matrix.toArray<number[][]>();

function softmax(logits: readonly number[]): number[] {
  const most = logits[bestOf(logits)];
  const powers = logits.map((one) => Math.exp(one - most));
  const all = sum(powers);
  return powers.map((one) => one / all);
}

/** Tokens; the likeliest next token for each block and position; and all attention weights: [head][row][column]. */
export function readOf(core: Core, ask: Text) {
  const ids = idsOf(core, ask);
  return core.tril.scope(() => {
    const { layers } = core.model.forward(ids, { ...ask.changes, trace: true }).trace!;
    const guess = (logits: readonly number[]) => {
      const shares = softmax(logits);
      const id = bestOf(shares);
      return { id, p: shares[id] };
    };
    return {
      ids,
      best: layers.map(({ logits }) => rowsOf(logits!).map(guess)),
      weights: layers.map(({ weights }) => weights.toArray<number[][][]>()),
    };
  });
}
export type Read = ReturnType<typeof readOf>;

/** The weights of a head of the shipped model for a text; layers and heads count from 1. */
export async function headOf(layer: number, head: number, text: string = opening.text) {
  const core = await openedOf('models/gpt');
  return readOf(core, { text }).weights[layer - 1][head - 1];
}

/** The smallest share that each cut keeps; equal shares stay together. */
const leastOf = {
  topK: ({ topK }: Sampling, falling: readonly number[]) =>
    topK > 0 ? (falling[topK - 1] ?? 0) : 0,
  topP: ({ topP }: Sampling, falling: readonly number[]) => {
    if (topP === 1) return 0;
    let taken = 0;
    return falling.find((share) => (taken += share) >= topP) ?? 0;
  },
  minP: ({ minP }: Sampling, falling: readonly number[]) => minP * falling[0],
};

/** The model's probabilities, those at the temperature, and those after the cuts one by one. */
function cutOff(logits: readonly number[], sampling: Sampling) {
  const { temperature } = sampling;
  const best = bestOf(logits);
  const warm =
    temperature > 0
      ? softmax(logits.map((one) => one / temperature))
      : logits.map((_, id) => Number(id === best));
  let left = warm;
  const cuts = (['topK', 'topP', 'minP'] as const).map((id) => {
    const falling = [...left].sort((a, b) => b - a);
    const least = leastOf[id](sampling, falling);
    const before = left.filter((share) => share > 0).length;
    const stays = left.map((share) => (share >= least ? share : 0));
    const all = sum(stays);
    left = stays.map((share) => share / all);
    const kept = left.filter((share) => share > 0).length;
    return { id, removed: before - kept, kept };
  });
  return { plain: softmax(logits), warm, left, cuts, kept: cuts[2].kept };
}

/** The next token: the probabilities of all, the tokens with a bar, in order, and the result of the die. */
export function nextOf(core: Core, ask: Text & { sampling: Sampling; seed: number }) {
  const { tril, model } = core;
  const { changes, sampling, seed } = ask;
  const logits = (without?: Interventions) =>
    tril.scope(() => rowsOf(model.forward(idsOf(core, ask), without).logits).at(-1)!);
  const now = cutOff(logits(changes), sampling);
  const before = changes ? cutOff(logits(), sampling) : null;

  const [number] = tril.scope(() => tril.randomUniform([1], { seed }).read());
  let [from, drawn] = [0, { id: bestOf(now.left), from: 0, to: 1 }];
  for (const [id, share] of now.left.entries()) {
    if (sampling.temperature > 0 && number >= from && number < from + share)
      drawn = { id, from, to: from + share };
    from += share;
  }
  const most = now.plain.map((share, id) => Math.max(share, before?.plain[id] ?? 0));
  const order = (before ?? now).plain;
  const shown = most
    .map((share, id) => ({ share, id }))
    .sort((a, b) => b.share - a.share)
    .slice(0, listed)
    .map(({ id }) => id)
    .sort((a, b) => order[b] - order[a]);
  if (!shown.includes(drawn.id)) shown.push(drawn.id);
  return { ...now, before: before?.left ?? null, shown, number, drawn };
}
export type Next = ReturnType<typeof nextOf>;
