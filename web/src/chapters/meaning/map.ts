// Points on a map: both axes have the same scale, so that distances are true.
export type Point = readonly [x: number, y: number];

/**
 * All of `points` keep a margin of `edge` pixels; `top` pixels above are reserved for the name of the vertical axis.
 */
export function mapOf(
  points: readonly Point[],
  {
    width,
    height,
    edge,
    top = 0,
  }: Readonly<Record<'width' | 'height' | 'edge', number>> & {
    readonly top?: number;
  },
) {
  const ends = (axis: 0 | 1) => {
    const values = points.map((point) => point[axis]);
    return [Math.min(...values), Math.max(...values)] as const;
  };
  const [[left, right], [low, high]] = [ends(0), ends(1)];
  const scale = Math.min(
    (width - 2 * edge) / (right - left || 1),
    (height - top - 2 * edge) / (high - low || 1),
  );
  const x = (value: number) => width / 2 + (value - (left + right) / 2) * scale;
  const y = (value: number) => (height + top) / 2 - (value - (low + high) / 2) * scale;
  /** The point nearest to the pointer, if one is near. */
  function nearest(event: MouseEvent, all: readonly Point[]): number | null {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    let [found, least] = [null as number | null, 26];
    all.forEach((point, i) => {
      const across = x(point[0]) - (event.clientX - box.left);
      const far = Math.hypot(across, y(point[1]) - (event.clientY - box.top));
      if (far < least) [found, least] = [i, far];
    });
    return found;
  }
  return { x, y, nearest };
}
