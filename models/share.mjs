// The share of the texts that chapter "Meaning" learns from: half a century in which a bank is of a river
// as well as of money. Made when the page is built; none of it is kept in the repository.

import { readSpeeches } from './data.mjs';

export const years = [1810, 1859];

/** The addresses of these years, each a paragraph. */
export function share() {
  const [first, last] = years;
  const chosen = readSpeeches().filter(({ year }) => first <= Number(year) && Number(year) <= last);
  return chosen.map(({ text }) => `${text.trim()}\n\n`).join('');
}
