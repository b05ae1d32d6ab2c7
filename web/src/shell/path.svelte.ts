// "In 15 minutes": six stops that give a true picture of attention. Where a visitor is on it is kept in the browser, until
// the way is left or at its end.
import { keep, kept } from '../state/kept';
import { chapterHref, rootHref } from './links';

export interface Stop {
  /** Its chapter, or the first page; its words in path.yaml. */
  readonly id: 'home' | 'attend' | 'heads' | 'learn' | 'meaning' | 'model';
  /** Where it begins, and where it ends if that is another section. */
  readonly section: string;
  readonly last?: string;
  /** The state that it opens with. */
  readonly hash?: string;
  readonly minutes: number;
}

export const stops: readonly Stop[] = [
  { id: 'home', section: 'sentence', minutes: 2 },
  { id: 'attend', section: 'steps', hash: '#?step=scores&moves=yes', minutes: 4 },
  { id: 'heads', section: 'reads', last: 'circuit', minutes: 3 },
  { id: 'learn', section: 'born', hash: '#born', minutes: 3 },
  { id: 'meaning', section: 'bank', hash: '#bank', minutes: 1 },
  { id: 'model', section: 'open', minutes: 2 },
];

/** What a section is of the stop that its page is: where it begins, where it ends, where it goes on. */
export function stopAt(route: string, section: string) {
  const index = stops.findIndex(({ id }) => route === (id === 'home' ? '/' : `/${id}`));
  if (index < 0) return null;
  const { section: first, last = first } = stops[index];
  if (section !== first && section !== last) return null;
  return { index, begins: section === first, ends: section === last, to: last };
}

export const hrefOf = ({ id, hash }: Stop): string =>
  id === 'home' ? rootHref() : chapterHref(id, hash);

export const minutesFrom = (index: number): number =>
  stops.slice(index).reduce((sum, { minutes }) => sum + minutes, 0);

const place = 'tril.path';

class Path {
  /** The stop that was reached, from 0, or -1 off the way. */
  reached = $state(-1);

  get taken(): boolean {
    return this.reached >= 0;
  }

  /** Once the page is alive: what was made with it knows nobody. */
  remember(): void {
    const id = kept(place);
    this.reached = stops.findIndex((stop) => stop.id === id);
  }

  /** At this stop, or off the way. */
  go(index: number): void {
    this.reached = index;
    keep(place, stops[index]?.id ?? null);
  }
}

export const path = new Path();
