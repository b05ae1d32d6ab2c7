// Converts a pointer's position to a cell of a grid, and a key to the next cell: the same for elements and for
// pictures.

export interface Place {
  readonly row: number;
  readonly col: number;
}

/** Null if the pointer is outside of the listening element's cells. */
export function placeUnder(event: MouseEvent, rows: number, cols: number): Place | null {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const row = Math.floor(((event.clientY - box.top) / box.height) * rows);
  const col = Math.floor(((event.clientX - box.left) / box.width) * cols);
  return row >= 0 && row < rows && col >= 0 && col < cols ? { row, col } : null;
}

const moves: Record<string, readonly [down: number, across: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-1, 0],
  PageDown: [1, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/** Null for a key without a meaning; `page` is the number of rows of a page. */
export function placeAfter(
  event: KeyboardEvent,
  from: Place,
  rows: number,
  cols: number,
  page = 8,
): Place | null {
  const move = moves[event.key];
  if (!move || event.ctrlKey || event.metaKey || event.altKey) return null;
  const down = move[0] * (event.key.startsWith('Page') ? page : 1);
  const within = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));
  return { row: within(from.row + down, rows), col: within(from.col + move[1], cols) };
}
