// Bringing the figure into sight when something elsewhere on the page points at it.

export const stageId = 'stage';

/** Scrolls only if the beginning of the figure is not to be seen already. */
export function showStage(): void {
  const stage = document.getElementById(stageId);
  if (!stage) return;
  const { top } = stage.getBoundingClientRect();
  if (top >= 56 && top < 0.6 * innerHeight) return;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  stage.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
}
