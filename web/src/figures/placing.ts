// Placement of labels without overlaps.

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The area that two boxes share. */
export function shared(one: Box, other: Box): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(0, width) * Math.max(0, height);
}

const area = (box: Box) => (box.right - box.left) * (box.bottom - box.top);

/** The place that overlaps least with the taken boxes and with the outside of the picture; the first of equal ones. */
export function freest<Place extends Box>(
  places: readonly Place[],
  taken: readonly Box[],
  picture: Box,
): Place {
  const lost = (place: Place) =>
    taken.reduce((sum, box) => sum + shared(place, box), area(place) - shared(place, picture));
  return places.reduce((best, place) => (lost(place) < lost(best) - 1 ? place : best));
}
