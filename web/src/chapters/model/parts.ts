// Names of a model's parts, and the set of those that are switched off.
import type { Cost } from '../../compute/shared/opened/away-protocol';
import type { Shape } from '../../compute/worker/opened/shape';
import text from '$texts/model.yaml';

export type Part = Pick<Cost, 'layer' | 'head' | 'part'>;

/**
 * "2h3" is head 3 of layer 2, "2a" its attention, "2f" its feed-forward, "2" the complete layer; from 1, as they are
 * shown.
 */
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

/** The names of parts that a model of this shape has. */
export const offOf = (ids: readonly string[], shape: Shape): string[] =>
  ids.filter((id) => {
    const { layer, head = 0 } = partOf(id);
    return layer < shape.layers && head < shape.heads;
  });

/** The set with that part off, or on again. */
export const turned = (off: readonly string[], id: string): string[] =>
  off.includes(id) ? off.filter((one) => one !== id) : [...off, id];

export function nameOf({ layer, head, part }: Part): string {
  const words = text.parts;
  const at = { layer: layer + 1 };
  if (head !== undefined) return words.headName({ ...at, head: head + 1 });
  if (part === undefined) return words.layerName(at);
  return part === 'attention' ? words.attentionName(at) : words.feedForwardName(at);
}

/** Whether a head is off: by itself, with its block's attention, or with the complete block. */
export const isOff = (off: readonly string[], { layer, head }: Part): boolean =>
  [{ layer, head }, { layer, part: 'attention' as const }, { layer }].some((part) =>
    off.includes(idOf(part)),
  );
