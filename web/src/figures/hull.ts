// The convex hull of points in a plane: Andrew's monotone chain (1979).

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Positive if a, b, c turn to the left. */
function turn(a: Place, b: Place, c: Place): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function chain<P extends Place>(points: readonly P[]): P[] {
  const corners: P[] = [];
  for (const point of points) {
    while (corners.length > 1 && turn(corners.at(-2)!, corners.at(-1)!, point) <= 0) corners.pop();
    corners.push(point);
  }
  return corners.slice(0, -1);
}

/** The corners in order; fewer than three if all points lie on a line. */
export function convexHull<P extends Place>(points: readonly P[]): P[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 2) return sorted;
  return [...chain(sorted), ...chain(sorted.reverse())];
}
