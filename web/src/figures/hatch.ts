// The cells that a mask hides, as one area: slanted lines across all of it, and one edge around it.

interface Area {
  readonly rows: number;
  readonly cols: number;
  /** Size of a cell in pixels. */
  readonly cell: number;
  readonly hidden: (row: number, col: number) => boolean;
}

const round = (pixels: number) => Math.round(10 * pixels) / 10;

/** Lines x + y = constant, `apart` pixels apart, within the hidden cells: each run is one piece. */
export function linesThrough({ rows, cols, cell, hidden }: Area, apart: number): string {
  const path: string[] = [];
  const place = (x: number, y: number) => `${round(x * cell)} ${round(y * cell)}`;
  const piece = (sum: number, from: number, to: number) =>
    `M${place(from, sum - from)}L${place(to, sum - to)}`;
  for (let sum = apart / cell / 2; sum < rows + cols; sum += apart / cell) {
    const [left, right] = [Math.max(0, sum - rows), Math.min(cols, sum)];
    const crossings = [left, right];
    for (let x = Math.ceil(left); x < right; ++x) crossings.push(x);
    for (let y = Math.ceil(sum - right); y < sum - left; ++y) crossings.push(sum - y);
    crossings.sort((a, b) => a - b);
    let begun: number | null = null;
    for (const [i, from] of crossings.slice(0, -1).entries()) {
      const middle = (from + crossings[i + 1]) / 2;
      if (middle === from) continue;
      if (hidden(Math.floor(sum - middle), Math.floor(middle))) begun ??= from;
      else if (begun !== null) {
        path.push(piece(sum, begun, from));
        begun = null;
      }
    }
    if (begun !== null) path.push(piece(sum, begun, right));
  }
  return path.join('');
}

/** The edge of the hidden cells: collinear sides form one piece. */
export function edgeOf({ rows, cols, cell, hidden }: Area): string {
  const at = (row: number, col: number) =>
    row >= 0 && row < rows && col >= 0 && col < cols && hidden(row, col);
  /** The pieces of one line between cells that have a hidden cell on one side only. */
  function pieces(length: number, isEdge: (place: number) => boolean): [number, number][] {
    const found: [number, number][] = [];
    for (let place = 0; place < length; ++place) {
      if (!isEdge(place)) continue;
      const last = found.at(-1);
      if (last?.[1] === place) last[1] += 1;
      else found.push([place, place + 1]);
    }
    return found;
  }
  const path: string[] = [];
  for (let y = 0; y <= rows; ++y) {
    for (const [from, to] of pieces(cols, (x) => at(y - 1, x) !== at(y, x))) {
      path.push(`M${round(from * cell)} ${round(y * cell)}H${round(to * cell)}`);
    }
  }
  for (let x = 0; x <= cols; ++x) {
    for (const [from, to] of pieces(rows, (y) => at(y, x - 1) !== at(y, x))) {
      path.push(`M${round(x * cell)} ${round(from * cell)}V${round(to * cell)}`);
    }
  }
  return path.join('');
}
