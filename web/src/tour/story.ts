// Maps a scroll position to a moment of the story. Every picture depends on the position alone, so that it is the same
// in both directions and through a link.
import { screens, sentence, type ScreenId } from '../state/tour';

/** Scroll length of each screen, in windows. */
const lengths: Readonly<Record<ScreenId, number>> = {
  blank: 1.3,
  alike: 1.3,
  cards: 3,
  shares: 2.2,
  train: 1,
};
const starts = screens.map((_, i) => screens.slice(0, i).reduce((sum, id) => sum + lengths[id], 0));
/** Length of the track in windows, without the visible one. */
export const trackLength = starts.at(-1)! + lengths[screens.at(-1)!];

/** The position in the story, 0 to 5, after `windows` windows of scrolling; and the inverse. */
export function placeAfter(windows: number): number {
  const within = Math.min(trackLength, Math.max(0, windows));
  const index = starts.findLastIndex((start) => start <= within);
  return index + Math.min(1, (within - starts[index]) / lengths[screens[index]]);
}
export function windowsTo(place: number): number {
  const index = Math.min(screens.length - 1, Math.floor(place));
  return starts[index] + (place - index) * lengths[screens[index]];
}

/** 0 before `from`, 1 after `to`, and smooth between. */
export function ease(t: number, from: number, to: number): number {
  const x = Math.min(1, Math.max(0, (t - from) / (to - from)));
  return x * x * (3 - 2 * x);
}

export interface Moment {
  readonly screen: ScreenId;
  readonly index: number;
  /** Number of the visible sentence of the screen, from 1. */
  readonly said: number;
  /** Progress of each part, from 0 to 1. */
  readonly back: number;
  readonly on: number;
  readonly threads: number;
  readonly cards: number;
  /** Number of words that the question has met, with the progress at the next as its fraction. */
  readonly met: number;
  readonly tipped: number;
  readonly whole: number;
  readonly blended: number;
  /** Number of symbols of the formula shown. */
  readonly symbols: number;
}

const none = {
  ...{ back: 0, on: 0, threads: 0, cards: 0, met: 0, tipped: 0, whole: 0, blended: 0, symbols: 0 },
};

export function momentAt(place: number, chosen = false): Moment {
  const index = Math.min(screens.length - 1, Math.floor(place));
  const t = place - index;
  const screen = screens[index];
  const own = (): Partial<Moment> => {
    switch (screen) {
      case 'blank': {
        const later = t < 0.72 ? 2 : 3;
        if (chosen) return { back: 1, on: 1, said: later };
        return { back: ease(t, 0.12, 0.4), on: ease(t, 0.4, 0.62), said: t < 0.25 ? 1 : later };
      }
      case 'alike':
        return { threads: ease(t, 0, 0.4), said: t < 0.5 ? 1 : 2 };
      case 'cards': {
        const met = Math.min(sentence.length, Math.max(0, ((t - 0.12) / 0.6) * sentence.length));
        return { cards: ease(t, 0, 0.1), met, said: t < 0.26 ? 1 : t < 0.73 ? 2 : 3 };
      }
      case 'shares': {
        const seen = [0.1, 0.3, 0.55, 0.8].filter((from) => t >= from).length;
        return {
          ...{ cards: 1 - ease(t, 0, 0.08), met: sentence.length },
          ...{ tipped: ease(t, 0.05, 0.3), whole: ease(t, 0.34, 0.52) },
          ...{ blended: ease(t, 0.58, 0.82), symbols: seen, said: t < 0.5 ? 1 : t < 0.82 ? 2 : 3 },
        };
      }
      default:
        return { said: 1 };
    }
  };
  return { ...none, screen, index, said: 1, ...own() };
}

/**
 * A picture's moment during its own screens; before and after them, the moment at that end, so that it does not change
 * while it is invisible.
 */
export function momentWithin(
  place: number,
  [first, last]: readonly [first: ScreenId, last: ScreenId],
  chosen = false,
): Moment {
  const [from, to] = [screens.indexOf(first), screens.indexOf(last) + 1 - 1e-6];
  return momentAt(Math.min(to, Math.max(from, place)), chosen);
}

/** The position at which each screen's picture shows most: stills show it. */
export const stillPlaces: readonly number[] = [0.99, 1.99, 2.99, 3.99];
