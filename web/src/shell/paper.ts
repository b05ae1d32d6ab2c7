// Figures are laid out for the window. On paper wider ones are scaled down, so that none is cut off.

import { flushSync } from 'svelte';
import { withoutTurns } from '../figures/turns';

/** Width in pixels that fits A4 and US Letter, without margins. */
const paperWidth = 710;

function fit(card: HTMLElement): void {
  const { left } = card.getBoundingClientRect();
  const edges = Array.from(
    card.querySelectorAll(':not(.katex *)'),
    (inner) => inner.getBoundingClientRect().right,
  );
  const width = Math.max(...edges) - left;
  if (width > paperWidth) card.style.setProperty('zoom', String(paperWidth / width));
}

export function fitOnPaper(): void {
  const cards = () => document.querySelectorAll<HTMLElement>('main .card');
  addEventListener('beforeprint', () => {
    flushSync(withoutTurns);
    cards().forEach(fit);
  });
  addEventListener('afterprint', () =>
    cards().forEach((card) => card.style.removeProperty('zoom')),
  );
}
