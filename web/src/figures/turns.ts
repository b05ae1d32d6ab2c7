// Cells are put on the page some at a time, so that none of the page's tasks takes long: the first matrices of a figure at
// once, the others a frame later each. Their places are held meanwhile.
import { afterFrame } from '../compute/page/frames';

interface Turn {
  readonly cells: number;
  readonly work: () => void;
}

/** So many cells a frame. */
const most = 120;

/** So many rows of a matrix, or one that is longer. */
export const perTurn = (width: number): number => Math.max(1, Math.floor(most / width));

let left = most;
let waiting: Turn[] = [];
let running = false;
const drained: (() => void)[] = [];

/**
 * A frame that has done nothing yet takes anything. Later it takes what at least half fits in: else a frame might have
 * twice as many cells.
 */
const isRoomFor = ({ cells }: Turn) => left === most || left >= cells / 2;

/** The page itself says while more is to come, for those who read it. */
function run(now: boolean): void {
  running = now;
  document.documentElement.toggleAttribute('data-drawing', now);
}

/** Room is made with the frame: what is put on the page before these turns counts, too. */
function goAfterFrame(): void {
  requestAnimationFrame(() => (left = most));
  afterFrame(go);
}

function go(): void {
  try {
    while (waiting.length > 0 && isRoomFor(waiting[0])) take(waiting.shift()!);
  } finally {
    run(left < most);
    if (running) goAfterFrame(); // the others have their turn, even if this one has failed
  }
  if (waiting.length === 0) drained.splice(0).forEach((done) => done());
}

function take({ cells, work }: Turn): void {
  left -= cells;
  work();
}

/** Does it at once where this frame has room for so many cells, else in a later one; the result takes it back. */
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

/** Settles when nothing waits. */
export const allInTurn = (): Promise<void> =>
  waiting.length === 0 ? Promise.resolve() : new Promise((done) => drained.push(done));

/** All that waits, now: paper does not. */
export function withoutTurns(): void {
  waiting.splice(0).forEach(({ work }) => work());
}
