// The next token: the probability of each, the effect of temperature and cuts on it, and the sampled one.
import type { Tril } from 'tril';
import type { TrainingTril } from 'tril/training';
import type {
  Bar,
  Cut,
  CutId,
  Next,
  OpenedRequests,
  Sampling,
  Stretch,
  TextAsk,
} from '../../shared/opened/protocol';
import { largest, pieceOf, tokensOf } from './reading';
import type { Opened } from './work';

/** Number of likeliest tokens shown. */
const shown = 14;

/** The logits after the last token of the newest text: sliders move while the text stays. */
let known: { readonly opened: Opened; readonly text: string; readonly logits: Float32Array } | null;

function logitsOf(opened: Opened, { text, then, changes }: TextAsk, ids: number[]): Float32Array {
  const key = JSON.stringify([text, then]);
  if (!changes && known?.opened === opened && known.text === key) return known.logits;
  const { logits } = opened.model.forward(ids, changes);
  const [tokens, vocabulary] = logits.shape;
  const last = logits.view((all) => all.slice((tokens - 1) * vocabulary));
  logits.dispose();
  if (!changes) known = { opened, text: key, logits: last };
  return last;
}

/** Sums over several sets of tokens: [V] times [V, sets] of ones and zeros. */
function sumsOf(
  tril: Tril,
  shares: Float32Array,
  sets: readonly ((id: number) => boolean)[],
): number[] {
  if (sets.length === 0) return [];
  const ones = new Float32Array(shares.length * sets.length);
  sets.forEach((has, set) => {
    for (let id = 0; id < shares.length; ++id) if (has(id)) ones[id * sets.length + set] = 1;
  });
  const found = tril.matmul(
    tril.tensor([1, shares.length], shares),
    tril.tensor([shares.length, sets.length], ones),
  );
  return [...found.read()];
}

/** The token that the core samples; none if the text ends. */
async function drawnOf({ model }: Opened, ids: number[], ask: OpenedRequests['next']['ask']) {
  const { sampling, seed, changes } = ask;
  const settings = { maxTokens: 1, ...sampling, seed, ...changes };
  for await (const { token } of model.generate(ids, settings))
    if (token !== undefined) return token;
  return null;
}

/**
 * Shares before the cuts and after each of them: the core's sampling probabilities with more and more of the options.
 */
function cutOff(tril: TrainingTril, logits: Float32Array, { temperature, ...sampling }: Sampling) {
  const given = tril.tensor([logits.length], logits);
  const sharesBy = (options: Partial<Sampling>) =>
    tril.samplingProbabilities(given, options).read();
  const warm = sharesBy({ temperature });
  const removedBy = new Map<number, CutId>();
  const cuts: Cut[] = [];
  let [left, options]: [Float32Array, Partial<Sampling>] = [warm, { temperature }];
  for (const id of ['topK', 'topP', 'minP'] as const) {
    const before = left;
    options = { ...options, [id]: sampling[id] };
    left = sharesBy(options);
    const after = left;
    const isGone = (token: number) => before[token] > 0 && after[token] === 0;
    const gone = [...before.keys()].filter(isGone);
    for (const token of gone) removedBy.set(token, id);
    const [share] = gone.length > 0 ? sumsOf(tril, before, [isGone]) : [0];
    cuts.push({ id, removed: gone.length, kept: after.filter((each) => each > 0).length, share });
  }
  return { plain: sharesBy({ temperature: 1 }), warm, left, cuts, removedBy };
}

/** The tokens that are among the likeliest in at least one of the lists. */
function likeliest(shares: readonly Float32Array[]): number[] {
  const [first, ...others] = shares;
  return largest(
    first.map((share, id) => Math.max(share, ...others.map((each) => each[id]))),
    shown,
  );
}

/** Everything that follows from the logits; `before`: the logits with every part on. */
function sharedOut(
  tril: TrainingTril,
  logits: Float32Array,
  before: Float32Array | null,
  { sampling, token }: { readonly sampling: Sampling; readonly token: number | null },
) {
  const now = cutOff(tril, logits, sampling);
  const was = before && cutOff(tril, before, sampling);
  const { plain, warm, left } = now;
  const ids = likeliest(was ? [plain, was.plain] : [plain]);
  // The bars stay in place while parts are switched off and on.
  if (was) ids.sort((a, b) => was.plain[b] - was.plain[a]);
  if (token !== null && !ids.includes(token)) ids.push(token);
  const others = (all: Float32Array) => sumsOf(tril, all, [(id) => !ids.includes(id)])[0];
  const inOrder = ids.filter((id) => left[id] > 0).sort((a, b) => a - b);
  const ends = sumsOf(
    tril,
    left,
    inOrder.flatMap((place) => [(id: number) => id < place, (id: number) => id <= place]),
  );
  return {
    ...{ ...now, before: was && was.left, ids, inOrder, ends },
    others: {
      count: logits.length - ids.length,
      plain: others(plain),
      warm: others(warm),
      left: others(left),
    },
  };
}

export async function nextOf(opened: Opened, ask: OpenedRequests['next']['ask']): Promise<Next> {
  const { tril } = opened;
  const { sampling, seed } = ask;
  const ids = tokensOf(opened, ask);
  const logits = logitsOf(opened, ask, ids);
  const before = ask.changes ? logitsOf(opened, { text: ask.text, then: ask.then }, ids) : null;
  const token = await drawnOf(opened, ids, ask);
  return tril.scope(() => {
    const found = sharedOut(tril, logits, before, { sampling, token });
    const bars = found.ids.map((id): Bar => ({
      ...pieceOf(opened, id),
      ...{ plain: found.plain[id], warm: found.warm[id], left: found.left[id] },
      cut: found.removedBy.get(id) ?? null,
      before: found.before && found.before[id],
    }));
    const line = found.inOrder.map((id, i): Stretch => ({
      ...pieceOf(opened, id),
      ...{ from: found.ends[2 * i], to: found.ends[2 * i + 1] },
    }));
    return {
      ...{ bars, others: found.others, cuts: found.cuts, kept: found.cuts.at(-1)!.kept, line },
      number: sampling.temperature === 0 ? null : tril.randomUniform([1], { seed }).read()[0],
      drawn: line.find(({ id }) => id === token) ?? null,
    };
  });
}
