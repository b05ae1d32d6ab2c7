// Brings a figure into sight when something elsewhere on the page points at it.

/** Scrolls only if the beginning of the figure is not in sight. */
export function bringIntoSight(figure: Element | null | undefined): void {
  if (!figure) return;
  const { top } = figure.getBoundingClientRect();
  if (top >= 56 && top < 0.6 * innerHeight) return;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  figure.scrollIntoView({ block: 'start', behavior: still ? 'auto' : 'smooth' });
}
