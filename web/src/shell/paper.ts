// Figures are laid out for the window. On paper the wider ones are made smaller, so that none is cut off.

import { flushSync } from 'svelte';
import { withoutTurns } from '../figures/turns';

/** Pixels across A4 without its margins, and across a letter. */
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
