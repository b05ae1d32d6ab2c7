// Animates matrices from one step of a figure to the next: each glides from its old to its new place, turns about its
// diagonal if it is transposed, and sheets part into strips or are assembled from them. Cells keep their numbers. With
// reduced motion only the end is shown: the old and the new state, side by side.

interface Place {
  readonly grid: HTMLElement;
  readonly box: DOMRect;
  readonly turned: boolean;
}

interface Strips {
  readonly sheet: string;
  /** Strips side by side, of equal width. */
  readonly strips: readonly string[];
}

const less = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

function placesIn(stage: HTMLElement | undefined): ReadonlyMap<string, Place> {
  const corner = stage?.getBoundingClientRect();
  const all = [...(stage?.querySelectorAll<HTMLElement>('[data-matrix]') ?? [])];
  return new Map(
    all.map((one) => {
      const grid = one.querySelector<HTMLElement>('[role=grid]')!;
      const { left, top, width, height } = grid.getBoundingClientRect();
      const box = new DOMRect(left - corner!.left, top - corner!.top, width, height);
      return [one.dataset.matrix!, { grid, box, turned: 'transposed' in one.dataset }];
    }),
  );
}

/** A path that begins and ends on the stage never leaves it, so the page cannot scroll sideways meanwhile. */
const onStage = (box: DOMRect, width: number) => box.left >= -1 && box.right <= width + 1;

/** Transform that moves a grid from its place `now` to another place. */
function over(now: Place, { box, turned }: Place): string {
  const across = turned === now.turned;
  const scale = box.width / (across ? now.box.width : now.box.height);
  const move = `translate(${box.left - now.box.left}px, ${box.top - now.box.top}px)`;
  return `${move} ${across ? '' : 'rotate3d(1, 1, 0, 180deg)'} scale(${scale})`;
}

/** Moves a grid, unless it would be clipped on its way. It takes no pointer events from the elements below. */
function move(grid: HTMLElement, frames: Keyframe[]): void {
  const scroller = grid.closest<HTMLElement>('.scroller');
  if (scroller && scroller.scrollWidth > scroller.clientWidth) return;
  // Runs after all measurements, so that the page is laid out only once.
  queueMicrotask(() => {
    if (scroller) scroller.style.overflow = 'visible';
    const animation = grid.animate(
      frames.map((frame) => ({
        transformOrigin: '0 0',
        zIndex: 1,
        pointerEvents: 'none',
        ...frame,
      })),
      { duration: 400, easing: 'ease-in-out' },
    );
    animation.onfinish = () => scroller?.style.removeProperty('overflow');
  });
}

/**
 * Called while a component is created; `step` names the current step. A matrix that the step `makes` does not glide in
 * from its place in a later step: it would appear before its sources.
 */
export function glide(
  stage: () => HTMLElement | undefined,
  step: () => unknown,
  { cuts = [], makes = () => null }: { cuts?: readonly Strips[]; makes?: () => string | null } = {},
): void {
  let last: unknown;
  /** The last place of each matrix, relative to the corner of the stage, while the stage keeps its width. */
  let stageWidth = 0;
  const seen = new Map<string, Place>();
  let before: ReadonlySet<string> = new Set();
  $effect.pre(() => {
    if (step() === last) return;
    const width = stage()?.clientWidth ?? 0;
    if (width !== stageWidth) seen.clear();
    stageWidth = width;
    const now = placesIn(stage());
    before = new Set(now.keys());
    now.forEach((place, id) => seen.set(id, place));
  });
  $effect(() => {
    const first = last === undefined;
    if (step() === last) return;
    last = step();
    if (first || less()) return;
    // The next frame is laid out in any case.
    const frame = requestAnimationFrame(fly);
    return () => cancelAnimationFrame(frame);
  });
  function fly(): void {
    const wide = stage()?.clientWidth;
    if (wide === undefined) return;
    const now = placesIn(stage());
    for (const [id, to] of now) {
      const from = id === makes() ? undefined : seen.get(id);
      if (!from || !onStage(from.box, wide) || !onStage(to.box, wide)) continue;
      const moved = Math.hypot(from.box.left - to.box.left, from.box.top - to.box.top) > 2;
      if (moved || from.turned !== to.turned) {
        move(to.grid, [{ transform: over(to, from) }, { transform: 'none' }]);
      }
    }
    for (const { sheet, strips } of cuts) {
      const whole = now.get(sheet);
      if (!whole || !onStage(whole.box, wide)) continue;
      if (!strips.every((id) => now.has(id) && onStage(now.get(id)!.box, wide))) continue;
      const { left, top, width, height } = whole.box;
      const part = width / strips.length;
      const fresh = !strips.some((id) => before.has(id));
      strips.forEach((id, i) => {
        const strip = now.get(id)!;
        const box = new DOMRect(left + i * part, top, part, height);
        const frames = [{ transform: over(strip, { ...strip, box }) }, { transform: 'none' }];
        move(strip.grid, fresh ? frames : frames.reverse());
      });
      if (!fresh) move(whole.grid, [{ opacity: 0 }, { opacity: 0 }]);
    }
  }
}
