// The chapters there are, in order. Each has a page of its own in routes/, its title in shell.yaml.
export type ChapterId =
  | 'multiply'
  | 'average'
  | 'attend'
  | 'mask'
  | 'heads'
  | 'block'
  | 'towers'
  | 'longer'
  | 'check'
  | 'learn'
  | 'meaning'
  | 'model';

export interface Chapter {
  readonly id: ChapterId;
  readonly number: number;
  /** The Worker that trains, and runs whole models, answers its questions. */
  readonly trains?: true;
}

export const chapters: readonly Chapter[] = [
  { id: 'multiply', number: 1 },
  { id: 'average', number: 2 },
  { id: 'attend', number: 3 },
  { id: 'mask', number: 4 },
  { id: 'heads', number: 5 },
  { id: 'block', number: 6 },
  { id: 'towers', number: 7 },
  { id: 'longer', number: 8 },
  { id: 'check', number: 9 },
  { id: 'learn', number: 10, trains: true },
  { id: 'meaning', number: 11 },
  { id: 'model', number: 12, trains: true },
];

/** The chapter of a route, "/mask"; the page that everything begins with, "/", is none. */
export function chapterOf(route: string): Chapter | undefined {
  return chapters.find(({ id }) => id === route.slice(1));
}
