// A model's results for a text with some of its parts ablated, and the effect of each ablation on the loss.
import type { Interventions, Without } from 'tril/training';
import type {
  Away,
  AwayRequests,
  Cost,
  RankingSaid,
  Shift,
  Text,
} from '../../shared/opened/away-protocol';
import { largest, pieceOf, piecesOf, tokensOf } from './reading';
import type { Opened, Work } from './work';
import { placesOf } from './shape';

/** Number of likeliest next tokens of a text. */
const shown = 8;

export interface Said {
  /** The loss at each token but the first, given those before it, and their mean. */
  readonly losses: readonly number[];
  readonly loss: number | null;
  /** Probability of each token as the next. */
  readonly shares: Float32Array;
}

/** The tokens of a text, as many as are shown. */
export function idsOf(opened: Opened, text: Text): number[] {
  const ids = tokensOf(opened, text);
  if (ids.length === 0) throw new Error('The text has no tokens.');
  const most = placesOf(opened.shape);
  if (ids.length > most) throw new Error(`The text has ${ids.length} tokens, more than ${most}.`);
  return ids;
}

export function saidOf(
  { tril, model }: Opened,
  ids: readonly number[],
  changes: Interventions,
): Said {
  return tril.scope(() => {
    const { logits } = model.forward([...ids], changes);
    const [tokens, vocabulary] = logits.shape;
    const last = logits.view((all) => all.slice((tokens - 1) * vocabulary));
    const shares = tril.softmax(tril.tensor([vocabulary], last)).read();
    if (tokens === 1) return { losses: [], loss: null, shares };
    const logarithms = tril.logSoftmax(logits).read();
    const losses = ids.slice(1).map((id, t) => -logarithms[t * vocabulary + id]);
    return { losses, loss: tril.crossEntropy(logits, [...ids.slice(1), -100]).loss, shares };
  });
}

/** The likeliest tokens before or after. */
export function shiftsOf(opened: Opened, before: Said, after: Said, count = shown): Shift[] {
  const sides = [before, after].map(({ shares }) => largest(shares, count));
  const ids = [...new Set(sides.flat())];
  return ids.map((id) => ({
    ...pieceOf(opened, id),
    before: before.shares[id],
    after: after.shares[id],
  }));
}

export function away(opened: Opened, { without, ...text }: AwayRequests['away']['ask']): Away {
  const ids = idsOf(opened, text);
  const before = saidOf(opened, ids, {});
  const after = without.length > 0 ? saidOf(opened, ids, { without }) : before;
  const loss = before.loss === null ? null : { before: before.loss, after: after.loss! };
  return {
    tokens: piecesOf(opened, ids).map((piece) => piece.text),
    ...{ before: before.losses, after: after.losses, loss },
    next: shiftsOf(opened, before, after),
  };
}

/** All heads, then all layers, then each half of a layer. */
export function partsOf({ layers, heads }: Opened['shape']): Without[] {
  const all = Array.from({ length: layers }, (_, layer) => layer);
  return [
    ...all.flatMap((layer) => Array.from({ length: heads }, (_, head) => ({ layer, head }))),
    ...all.map((layer) => ({ layer })),
    ...all.map((layer) => ({ layer, part: 'attention' as const })),
    ...all.map((layer) => ({ layer, part: 'feedForward' as const })),
  ];
}

export async function ranking(
  opened: Opened,
  text: AwayRequests['ranking']['ask'],
  work: Work<RankingSaid>,
): Promise<null> {
  const ids = idsOf(opened, text);
  const whole = saidOf(opened, ids, {}).loss;
  if (whole === null) throw new Error('A text of one token has no loss.');
  const parts = partsOf(opened.shape);
  let costs: Cost[] = [];
  let said = performance.now();
  for (const [at, part] of parts.entries()) {
    await work.turn();
    const { loss } = saidOf(opened, ids, { without: [part] });
    costs.push({ ...(part as Omit<Cost, 'rise'>), rise: loss! - whole });
    if (performance.now() - said < 100 && at < parts.length - 1) continue;
    work.say({ done: at + 1, all: parts.length, costs });
    costs = [];
    said = performance.now();
  }
  return null;
}
