// The residual stream through a block, as one lane of strands: a strand for each token, as wide as the norm of its row.
// Branches read from the lane and add their results to it. All widths are norms from the core.
import type { Flow } from '../../compute/worker/lessons/block';
import { stagesOf, type PartId, type StageId } from '../../state/block';

type StageOfLane = 'x' | 'residual1' | 'normed1' | 'residual2' | 'normed2';

/** Heights of the parts, and position of the lane, in pixels. */
export const tall = 50;
export const box = 36;
export const lane = { left: 8, width: 56, end: 96 } as const;
const turn = 11;
const laneEnd = 7 * tall + turn;

export const orderOf = (pre: boolean): readonly PartId[] =>
  pre
    ? ['norm1', 'attention', 'residual1', 'norm2', 'feedForward', 'residual2']
    : ['attention', 'residual1', 'norm1', 'feedForward', 'residual2', 'norm2'];
/** The upper edge of a part. */
export const topOf = (pre: boolean, part: PartId): number =>
  (orderOf(pre).indexOf(part) + 1) * tall;
const middleOf = (pre: boolean, part: PartId) => topOf(pre, part) + box / 2;

/** Pieces of the lane from top to bottom: the content of each, and its beginning. */
export function piecesOf(
  pre: boolean,
): readonly { id: StageOfLane; from: number; by: PartId | null }[] {
  const parts = pre
    ? ([
        ['residual1', 'residual1'],
        ['residual2', 'residual2'],
      ] as const)
    : ([
        ['residual1', 'residual1'],
        ['normed1', 'norm1'],
        ['residual2', 'residual2'],
        ['normed2', 'norm2'],
      ] as const);
  return [
    { id: 'x', from: 0, by: null },
    ...parts.map(([id, by]) => ({ id, from: middleOf(pre, by), by })),
  ];
}

/** Pixels per unit of norm: the widest piece of either flow fills the lane. */
export function unitOf(...flows: readonly Flow[]): number {
  const sums = flows.flatMap((flow) =>
    Object.values(flow).map((sizes) => sizes.reduce((sum, size) => sum + size, 0)),
  );
  const finite = sums.filter(Number.isFinite);
  return (lane.width - 4) / Math.max(1e-6, ...finite);
}

const round = (pixels: number) => Math.round(100 * pixels) / 100;

/** Left and right edges of all strands, side by side and centred in the lane. */
function edges(sizes: readonly number[], unit: number): (readonly [number, number])[] {
  const widths = sizes.map((size) => (Number.isFinite(size) ? size * unit : 0));
  const gap = sizes.length > 1 ? Math.min(1, 4 / (sizes.length - 1)) : 0;
  const whole = widths.reduce((sum, width) => sum + width, 0) + gap * (sizes.length - 1);
  let x = lane.left + (lane.width - whole) / 2;
  return widths.map((width) => {
    const edge = [round(x), round(x + width)] as const;
    x += width + gap;
    return edge;
  });
}

interface Node {
  readonly y: number;
  readonly left: number;
  readonly right: number;
}

/** The outline: down the left edges and up the right ones, vertical where one width becomes another. */
function outline(nodes: readonly Node[]): string {
  const curve = (from: Node, to: Node, side: 'left' | 'right') => {
    const middle = round((from.y + to.y) / 2);
    return `C${from[side]} ${middle} ${to[side]} ${middle} ${to[side]} ${to.y}`;
  };
  const back = [...nodes].reverse();
  const down = nodes.slice(1).map((node, i) => curve(nodes[i], node, 'left'));
  const up = back.slice(1).map((node, i) => curve(back[i], node, 'right'));
  return `M${nodes[0].left} ${nodes[0].y}${down.join('')}L${back[0].right} ${back[0].y}${up.join('')}Z`;
}

/** The outline of each strand. Where a residual is off, the old strand ends, and the branch's result begins. */
export function strandsOf(
  flow: Flow,
  pre: boolean,
  off: readonly PartId[],
  unit: number,
): readonly string[] {
  const isCut = (by: PartId | null) => by?.startsWith('residual') === true && off.includes(by);
  const pieces = piecesOf(pre).map((piece) => ({ ...piece, edges: edges(flow[piece.id], unit) }));
  return flow.x.map((_, token) =>
    outline(
      pieces.flatMap(({ from, by, edges: all }, i): Node[] => {
        const [left, right] = all[token];
        const until = pieces[i + 1]?.from ?? laneEnd;
        const centre = round((left + right) / 2);
        const middle = { left: centre, right: centre };
        return [
          ...(isCut(by) ? [{ y: from, ...middle }] : []),
          { y: i === 0 ? from : from + turn, left, right },
          { y: until - turn, left, right },
          ...(isCut(pieces[i + 1]?.by ?? null) ? [{ y: until - 2, ...middle }] : []),
        ];
      }),
    ),
  );
}

/** The outline of all strands together. */
export function wholeOf(flow: Flow, pre: boolean, unit: number): string {
  const gaps = Math.min(4, flow.x.length - 1) / unit;
  const sums = Object.entries(flow).map(([id, sizes]) => [
    id,
    [sizes.reduce((sum, size) => sum + size, gaps)],
  ]);
  return strandsOf(Object.fromEntries(sums) as Flow, pre, [], unit)[0];
}

type BranchId = 'attention' | 'feedForward';

/** Progress of the flow. */
interface Front {
  /** Pixels down the lane. */
  readonly lane: number;
  /** Progress of each branch on its way in and on its way back, 0 to 1. */
  readonly reads: Readonly<Record<BranchId, number>>;
  readonly adds: Readonly<Record<BranchId, number>>;
}

/** Progress of the stream at a completed share of a stage. Earlier stages are completed, later ones have not begun. */
export function frontAt(pre: boolean, stage: StageId, share: number): Front {
  const stages = stagesOf(pre ? 'pre' : 'post');
  const now = stages.indexOf(stage);
  const done = (id: StageId) => {
    const place = stages.indexOf(id);
    return place < now ? 1 : place > now ? 0 : share;
  };
  const pieces = piecesOf(pre);
  const ends = pieces.map(({ id, from }, i) => {
    const until = pieces[i + 1]?.from ?? laneEnd;
    return done(id) > 0 ? from + done(id) * (until - from) : 0;
  });
  return {
    lane: round(Math.max(...ends)),
    reads: {
      attention: done(pre ? 'normed1' : 'queries'),
      feedForward: done(pre ? 'normed2' : 'hidden'),
    },
    adds: { attention: done('attention'), feedForward: done('feedForward') },
  };
}

interface Branch {
  readonly id: BranchId;
  readonly off: boolean;
  /** Paths from the lane into its first part, between its parts, and back to the addition. */
  readonly reads: string;
  readonly adds: string;
  /** Width of its addition, on the lane's scale. */
  readonly width: number;
}

export function branchesOf(
  flow: Flow,
  pre: boolean,
  off: readonly PartId[],
  unit: number,
): readonly Branch[] {
  const right = lane.left + lane.width;
  return (
    [
      ['attention', 'residual1', 'norm1'],
      ['feedForward', 'residual2', 'norm2'],
    ] as const
  ).map(([id, to, norm]) => {
    const first = topOf(pre, pre ? norm : id);
    const [own, back] = [topOf(pre, id), middleOf(pre, to)];
    const whole = flow[id].reduce((sum, size) => sum + size, 0);
    const [leaves, in_, out] = [first - 6, first + 12, own + box - 10];
    const between = pre ? `M${lane.end + 24} ${first + box}V${own}` : '';
    return {
      ...{ id, off: off.includes(id) },
      reads: `M${right - 8} ${leaves}C${right + 8} ${leaves} ${right + 4} ${in_} ${lane.end} ${in_}${between}`,
      adds: `M${lane.end} ${out}C${right + 2} ${out} ${right + 12} ${back} ${right - 20} ${back}`,
      width: Number.isFinite(whole) ? round(Math.max(1.5, Math.min(24, whole * unit))) : 1.5,
    };
  });
}
