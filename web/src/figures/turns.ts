// Puts cells on the page some at a time, so that no task takes long: the first matrices of a figure at once, the others
// one frame later each. Their places are reserved meanwhile.
import { afterFrame } from '../compute/page/frames';

interface Turn {
  readonly cells: number;
  readonly work: () => void;
}

/** Maximum number of cells in a frame. */
const most = 120;

/** Number of rows of a matrix in one frame; at least one. */
export const perTurn = (width: number): number => Math.max(1, Math.floor(most / width));

let left = most;
let waiting: Turn[] = [];
let running = false;
const drained: (() => void)[] = [];

/**
 * A frame that has done nothing yet takes any work. Later it takes work of which at least half fits: else a frame might
 * have twice as many cells.
 */
const isRoomFor = ({ cells }: Turn) => left === most || left >= cells / 2;

/** An attribute of the page shows that more is to come. */
function run(now: boolean): void {
  running = now;
  document.documentElement.toggleAttribute('data-drawing', now);
}

/** The budget is reset with the frame: cells put on the page before these turns count, too. */
function goAfterFrame(): void {
  requestAnimationFrame(() => (left = most));
  afterFrame(go);
}

function go(): void {
  try {
    while (waiting.length > 0 && isRoomFor(waiting[0])) take(waiting.shift()!);
  } finally {
    run(left < most);
    if (running) goAfterFrame(); // the others get their turn, even if this one has failed
  }
  if (waiting.length === 0) drained.splice(0).forEach((done) => done());
}

function take({ cells, work }: Turn): void {
  left -= cells;
  work();
}

/** Runs work at once if this frame has room for its cells, else in a later one; the result cancels it. */
export function inTurn(cells: number, work: () => void): () => void {
  const turn = { cells, work };
  if (waiting.length === 0 && isRoomFor(turn)) take(turn);
  else waiting.push(turn);
  if (!running) {
    run(true);
    goAfterFrame();
  }
  return () => (waiting = waiting.filter((other) => other !== turn));
}

/** Settles when nothing is waiting. */
export const allInTurn = (): Promise<void> =>
  waiting.length === 0 ? Promise.resolve() : new Promise((done) => drained.push(done));

/** Runs all waiting work now: paper does not wait. */
export function withoutTurns(): void {
  waiting.splice(0).forEach(({ work }) => work());
}
