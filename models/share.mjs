// The part of the texts that chapter "Meaning" learns from: half a century in which a bank is a river's as well as a
// place for money. It is made when the page is built; the repository contains none of it.

import { readSpeeches } from './data.mjs';

export const years = [1810, 1859];

/** The addresses of these years, each a paragraph. */
export function share() {
  const [first, last] = years;
  const chosen = readSpeeches().filter(({ year }) => first <= Number(year) && Number(year) <= last);
  return chosen.map(({ text }) => `${text.trim()}\n\n`).join('');
}
