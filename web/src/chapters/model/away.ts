// How parts of a model are named, and which of them are switched off.
import type { Without } from 'tril/training';
import type { Cost } from '../../compute/opened/away-protocol';
import type { Shape } from '../../compute/opened/shape';
import text from '$texts/model-away.yaml';

export type Part = Pick<Cost, 'layer' | 'head' | 'part'>;

/** "2h3" is head 3 of layer 2, "2a" its attention, "2f" its feed-forward, "2" all of it; from 1, as they are shown. */
export function idOf({ layer, head, part }: Part): string {
  const end = head === undefined ? (part === undefined ? '' : part[0]) : `h${head + 1}`;
  return `${layer + 1}${end}`;
}

export function partOf(id: string): Part {
  const [, layer, kind, head] = /^(\d+)([haf]?)(\d*)$/u.exec(id)!;
  const at = { layer: Number(layer) - 1 };
  if (kind === '') return at;
  if (kind === 'h') return { ...at, head: Number(head) - 1 };
  return { ...at, part: kind === 'a' ? 'attention' : 'feedForward' };
}

/** Those that a model of this shape has. */
export const partsOf = (ids: readonly string[], shape: Shape): Without[] =>
  ids.map(partOf).filter(({ layer, head = 0 }) => layer < shape.layers && head < shape.heads);

export function nameOf({ layer, head, part }: Part): string {
  const words = text.away;
  const at = { layer: layer + 1 };
  if (head !== undefined) return words.headName({ ...at, head: head + 1 });
  if (part === undefined) return words.layerName(at);
  return part === 'attention' ? words.attentionName(at) : words.feedForwardName(at);
}

/** Layers in as many groups as there are answers to choose from, each with its first and last. */
export function groupsOf(layers: number): { readonly first: number; readonly last: number }[] {
  const count = Math.min(layers, layers > 6 ? 4 : layers);
  return Array.from({ length: count }, (_, n) => ({
    first: Math.floor((n * layers) / count),
    last: Math.floor(((n + 1) * layers) / count) - 1,
  }));
}
