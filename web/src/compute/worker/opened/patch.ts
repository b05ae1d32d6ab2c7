// The effect of one prompt's activation in another (activation patching; Meng et al. 2022).
import type { Replacement } from 'tril/training';
import { idsOf, saidOf, shiftsOf, type Said } from './away';
import type {
  AwayRequests,
  PatchAbout,
  PatchAsk,
  PatchCell,
  PatchSaid,
} from '../../shared/opened/away-protocol';
import { piecesOf } from './reading';
import type { Opened, Work } from './work';

/** Number of likeliest next tokens of either prompt. */
const answers = 4;
/** A trace's names of the parts of a layer that can be replaced. */
const fields = { residual: 'residPost', attention: 'attnOut', feedForward: 'mlpOut' } as const;
/** Maximum number of tokens of the prompts that are shown. */
const widest = 24;

interface Pair {
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Number of aligned tokens, from the last on. */
  readonly columns: number;
  readonly before: Said;
  readonly after: Said;
  /** The source prompt's activation, by layer and token. */
  values(layer: number, column: number): Float32Array;
}

function pairOf(opened: Opened, { from: donor, to: receiver, part }: PatchAsk): Pair {
  const [from, to] = [donor, receiver].map((text) => idsOf(opened, { text, then: [] }));
  const columns = Math.min(from.length, to.length, widest);
  const kept = opened.tril.scope(() => {
    const { embedded, layers } = opened.model.forward(from, {
      trace: { lens: false, scores: false },
    }).trace!;
    return [embedded, ...layers.map((layer) => layer[fields[part]])].map((tensor) => tensor.read());
  });
  const { width } = opened.shape;
  return {
    ...{ from, to, columns },
    ...{ before: saidOf(opened, to, {}), after: saidOf(opened, from, {}) },
    values(layer, column) {
      const row = from.length - columns + column;
      return kept[layer + 1].slice(row * width, (row + 1) * width);
    },
  };
}

function patchOf(
  pair: Pair,
  part: PatchAsk['part'],
  { layer, column }: { readonly layer: number; readonly column: number },
): Replacement {
  const positions = [pair.to.length - pair.columns + column];
  return { layer, part, positions, values: pair.values(layer, column) };
}

export async function patch(
  opened: Opened,
  ask: AwayRequests['patch']['ask'],
  work: Work<PatchSaid>,
): Promise<null> {
  const pair = pairOf(opened, ask);
  const { from, to, columns, before, after } = pair;
  const about: PatchAbout = {
    from: piecesOf(opened, from.slice(-columns)).map(({ text }) => text),
    to: piecesOf(opened, to.slice(-columns)).map(({ text }) => text),
    ...{ fromStart: from.length - columns, toStart: to.length - columns },
    layers: opened.shape.layers,
    answers: shiftsOf(opened, before, after, answers),
  };
  work.say({ about, cells: [] });
  let cells: PatchCell[] = [];
  let said = performance.now();
  // The loop begins at the end of the prompts, where most happens.
  for (let column = columns - 1; column >= 0; --column) {
    for (let layer = opened.shape.layers - 1; layer >= -1; --layer) {
      if (layer < 0 && ask.part !== 'residual') continue;
      await work.turn();
      const replace = [patchOf(pair, ask.part, { layer, column })];
      const { shares } = saidOf(opened, to, { replace });
      cells.push({ layer, column, shares: about.answers.map(({ id }) => shares[id]) });
      if (performance.now() - said < 100) continue;
      work.say({ cells });
      cells = [];
      said = performance.now();
    }
  }
  work.say({ cells });
  return null;
}

/** The likeliest next tokens, with one activation taken from the other prompt. */
export function patched(
  opened: Opened,
  ask: AwayRequests['patched']['ask'],
): AwayRequests['patched']['answer'] {
  const pair = pairOf(opened, ask);
  const replace = [patchOf(pair, ask.part, ask)];
  return shiftsOf(opened, pair.before, saidOf(opened, pair.to, { replace }));
}
