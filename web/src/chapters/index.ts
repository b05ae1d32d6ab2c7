// The chapters in order. Each has a page of its own in routes/, and its title in shell.yaml.
export type ChapterId = (typeof order)[number];

/** The chapters that explain attention. */
const main = ['attend', 'average', 'mask', 'heads', 'learn', 'meaning', 'model'] as const;
/** The chapters about details: none of the others depends on them. */
const under = ['multiply', 'block', 'towers', 'longer', 'check', 'write'] as const;
const order = [...main, ...under] as const;

export interface Chapter {
  readonly id: ChapterId;
  readonly number: number;
  readonly under: boolean;
  /** The training Worker, which also runs complete models, answers its questions. */
  readonly trains: boolean;
}

export const chapters: readonly Chapter[] = order.map((id, index) => ({
  id,
  number: index + 1,
  under: index >= main.length,
  trains: id === 'learn' || id === 'model',
}));

/** The chapter of a route, such as "/mask"; the home page, "/", is none. */
export function chapterOf(route: string): Chapter | undefined {
  return chapters.find(({ id }) => id === route.slice(1));
}

/** The two parts, for lists and menus. */
export const parts = [chapters.slice(0, main.length), chapters.slice(main.length)] as const;
