// Results for the opening sentence, and for other texts of the question and the later figures, which the page shows
// before a model is loaded: computed while the page is built.
import { answerOf, type Answer } from '../../shared/opened/answer';
import { away, ranking } from '../../worker/opened/away';
import type {
  Away,
  CacheCounts,
  Cost,
  PatchAbout,
  PatchCell,
  PatchSaid,
  RankingSaid,
  Text,
} from '../../shared/opened/away-protocol';
import { cacheCells, cacheCounts } from '../../worker/opened/cache';
import { lengthsOf } from '../../shared/opened/cache-lengths';
import { nextOf } from '../../worker/opened/next';
import { openingAsks, openingPatch } from '../../shared/opened/opening-text';
import { patch } from '../../worker/opened/patch';
import type { Opened, Work } from '../../worker/opened/work';

/** A matrix in the page's data, with digits enough for shades of colour. */
export interface PlainMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}

export interface FirstCache {
  /** Values of the first head of the first layer. */
  readonly q: PlainMatrix;
  readonly k: PlainMatrix;
  readonly v: PlainMatrix;
  readonly weights: PlainMatrix;
  readonly apart: number;
  /** Counts for some lengths of a text. */
  readonly counts: readonly (CacheCounts & { readonly tokens: number })[];
}

export interface FirstAway extends Away {
  readonly costs: readonly Cost[];
}

export interface FirstPatch {
  readonly about: PatchAbout;
  readonly cells: readonly PatchCell[];
}

export interface FirstFurther {
  readonly asked: readonly Answer[];
  readonly cache: FirstCache;
  readonly away: FirstAway;
  readonly patch: FirstPatch;
}

/** Digits that suffice for 255 shades. */
const digits = 3;

/** All parts of an answer that arrives in parts. */
async function partsOf<Part>(ask: (work: Work<Part>) => Promise<unknown>): Promise<Part[]> {
  const parts: Part[] = [];
  await ask({ say: (part) => void parts.push(part), turn: async () => {} });
  return parts;
}

async function cacheOf(opened: Opened, text: Text): Promise<FirstCache> {
  const { apart, ...cells } = cacheCells(opened, { ...text, layer: 0, head: 0 });
  const { q, k, v, weights } = cells;
  const plain = ({ rows, cols, data }: typeof q): PlainMatrix => ({
    ...{ rows, cols },
    data: Array.from(data, (value) => Number(value.toPrecision(digits))),
  });
  const counts = [];
  for (const tokens of lengthsOf(opened.shape.context)) {
    counts.push({ tokens, ...(await cacheCounts(opened, { tokens })) });
  }
  return { q: plain(q), k: plain(k), v: plain(v), weights: plain(weights), apart, counts };
}

export async function firstFurther(opened: Opened, text: Text): Promise<FirstFurther> {
  const ranked = await partsOf<RankingSaid>((work) => ranking(opened, text, work));
  const carried = await partsOf<PatchSaid>((work) => patch(opened, openingPatch, work));
  const asked = [];
  for (const ask of openingAsks) asked.push(answerOf(await nextOf(opened, ask)));
  return {
    asked,
    cache: await cacheOf(opened, text),
    away: {
      ...away(opened, { ...text, without: [] }),
      costs: ranked.flatMap(({ costs }) => costs),
    },
    patch: { about: carried[0].about!, cells: carried.flatMap(({ cells }) => cells) },
  };
}
