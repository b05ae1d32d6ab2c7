// The chapters there are, in order. Each has a page of its own in routes/, its title in shell.yaml.
export type ChapterId = (typeof order)[number];

/** What one needs to understand attention. */
const main = ['attend', 'average', 'mask', 'heads', 'learn', 'meaning', 'model'] as const;
/** What is under the hood: none of the others rests on it. */
const under = ['multiply', 'block', 'towers', 'longer', 'check', 'write'] as const;
const order = [...main, ...under] as const;

export interface Chapter {
  readonly id: ChapterId;
  readonly number: number;
  readonly under: boolean;
  /** The Worker that trains, and runs whole models, answers its questions. */
  readonly trains: boolean;
}

export const chapters: readonly Chapter[] = order.map((id, index) => ({
  id,
  number: index + 1,
  under: index >= main.length,
  trains: id === 'learn' || id === 'model',
}));

/** The chapter of a route, "/mask"; the page that everything begins with, "/", is none. */
export function chapterOf(route: string): Chapter | undefined {
  return chapters.find(({ id }) => id === route.slice(1));
}

/** The two parts, as lists and menus have them. */
export const parts = [chapters.slice(0, main.length), chapters.slice(main.length)] as const;
