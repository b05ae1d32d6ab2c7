// Common functions of motions. A motion is a pure function of numbers and a frame, so that it can be played, scrubbed
// in both directions, and read back.

/** Progress of a part of a motion from one frame to another, 0 to 1, slow at both ends. */
export function part(frame: number, from: number, to: number): number {
  const t = Math.max(0, Math.min(1, (frame - from) / (to - from)));
  return t * t * (3 - 2 * t);
}

export const between = (from: number, to: number, share: number): number =>
  from + share * (to - from);
