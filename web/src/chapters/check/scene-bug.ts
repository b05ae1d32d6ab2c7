// The opening case of the chapter, as it is drawn, and the explanation of each number.
import type { Lessons } from '../../compute/shared/lesson-protocol';
import { at } from '../../compute/page/protocol';
import { numbered, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import { drawnOf, markCell, word } from '../../figures/scene';
import { factor, whyAt, type Why } from '../../figures/why';
import { bugIds, type BugCell } from '../../state/check';
import text from '$texts/check.yaml';

type Found = Lessons['bug']['answer'];
type BugScene = Readonly<Record<BugCell['matrix'], Drawn>>;

const roles: Readonly<Record<BugCell['matrix'], Role>> = { ours: 'v', theirs: 'v', gap: 'score' };

/** All matrices share one scale, so that a pale difference is small relative to the numbers themselves. */
export function sceneOf(found: Found): BugScene {
  const { axes, symbols } = text.bug;
  const end = scaleEnd(found.ours.data, found.theirs.data, found.gap.data);
  const drawn = bugIds.map((id) => {
    const both = numbered(found[id], axes.down, axes.across);
    const look = { ...both, role: roles[id], symbol: word(symbols[id]), titled: true };
    return [id, drawnOf(id, found[id], { ...look, end, shared: true })] as const;
  });
  return Object.fromEntries(drawn) as Record<BugCell['matrix'], Drawn>;
}

export const sourcesOf = ({ matrix, row, col }: BugCell): Mark[] =>
  matrix === 'gap' ? [markCell('ours', row, col), markCell('theirs', row, col)] : [];

/** Null for a cell that does not exist. */
export function whyOf(scene: BugScene, cell: BugCell): Why | null {
  const { matrix, row, col } = cell;
  const { why } = text.bug;
  return whyAt(scene[matrix], cell, () => {
    if (matrix === 'ours') return { parts: [], note: why.ours({ token: row + 1 }) };
    if (matrix === 'theirs') return { parts: [], note: why.theirs };
    const [ours, theirs] = [scene.ours, scene.theirs].map((one) => at(one.matrix, row, col));
    return { parts: [factor(ours, 'v'), { text: ' − ' }, factor(theirs, 'v')], note: why.gap };
  });
}
