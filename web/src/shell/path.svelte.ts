// "In 15 minutes": six stops that give a true picture of attention. The current stop is kept in the browser, until the
// visitor leaves the tour or reaches its end.
import { keep, kept } from '../state/kept';
import { chapterHref, rootHref } from './links';

export interface Stop {
  /** Its chapter, or the home page; the key of its words in path.yaml. */
  readonly id: 'home' | 'attend' | 'heads' | 'learn' | 'meaning' | 'model';
  /** The first section, and the last if that is another one. */
  readonly section: string;
  readonly last?: string;
  /** The state in which it opens. */
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

/** The role of a section in the stop of its page: first section, last section, or section to continue with. */
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
  /** The current stop, from 0, or -1 outside of the tour. */
  reached = $state(-1);

  get taken(): boolean {
    return this.reached >= 0;
  }

  /** Restores the stop after hydration: a prerendered page knows no visitor. */
  remember(): void {
    const id = kept(place);
    this.reached = stops.findIndex((stop) => stop.id === id);
  }

  /** Sets the stop, or leaves the tour. */
  go(index: number): void {
    this.reached = index;
    keep(place, stops[index]?.id ?? null);
  }
}

export const path = new Path();
