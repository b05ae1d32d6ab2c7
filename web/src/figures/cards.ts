// Questions for repetition: at the next visit, and after one, three and nine days. Reading their text skips entries
// that are no such question, and everything that another version has written.

const version = 1;
const minute = 60_000;
const day = 24 * 60 * minute;
/** Milliseconds before each repetition. A visit after the first of these pauses counts as a new one. */
export const waits = [30 * minute, day, 3 * day, 9 * day] as const;
export const mostOfChapter = 5;

export interface Card {
  /** Number of right answers in a row; the question is known after the last repetition. */
  readonly stage: number;
  /** Time of the next repetition, in milliseconds since 1970. */
  readonly due: number;
  /** Index of the variant of its numbers. */
  readonly turn: number;
}
export type Cards = ReadonlyMap<string, Card>;

const chapterOf = (id: string) => id.slice(0, id.indexOf('/'));
export const isKnown = ({ stage }: Card) => stage >= waits.length;

function cardOf(value: unknown): Card | null {
  if (typeof value !== 'object' || value === null) return null;
  const { stage, due, turn } = value as Record<string, unknown>;
  const whole = (one: unknown, most: number): one is number =>
    typeof one === 'number' && Number.isInteger(one) && one >= 0 && one <= most;
  const fits = whole(stage, waits.length) && whole(due, Number.MAX_SAFE_INTEGER);
  return fits && whole(turn, 1e6) ? { stage, due, turn } : null;
}

/** The cards in a text, or null if it is not of this version. */
export function readCards(text: string): Map<string, Card> | null {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  const { version: theirs, cards } = (read ?? {}) as { version?: unknown; cards?: unknown };
  if (theirs !== version || typeof cards !== 'object' || cards === null) return null;
  const all = new Map<string, Card>();
  for (const [id, value] of Object.entries(cards)) {
    const card = /^[a-z]{1,20}\/[a-z]{1,20}$/u.test(id) ? cardOf(value) : null;
    if (card && hasRoom(all, id)) all.set(id, card);
  }
  return all;
}

export const writeCards = (all: Cards): string =>
  JSON.stringify({ version, cards: Object.fromEntries(all) });

function hasRoom(all: Cards, id: string): boolean {
  const chapter = chapterOf(id);
  return [...all.keys()].filter((other) => chapterOf(other) === chapter).length < mostOfChapter;
}

/** Adds a card, if it is new and its chapter has room for it. */
export function met(all: Cards, id: string, now: number): Cards {
  if (all.has(id) || !hasRoom(all, id)) return all;
  return new Map(all).set(id, { stage: 0, due: now + waits[0], turn: 1 });
}

/** Updates a card after a repetition. A wrong answer is repeated at the next visit. */
export function answered(all: Cards, id: string, right: boolean, now: number): Cards {
  const card = all.get(id);
  if (!card) return all;
  const stage = right ? card.stage + 1 : 0;
  const due = now + (waits[stage] ?? 0);
  return new Map(all).set(id, { stage, due, turn: card.turn + 1 });
}

/** The cards due now, the longest due first. */
export const dueAt = (all: Cards, now: number): string[] =>
  [...all]
    .filter(([, card]) => !isKnown(card) && card.due <= now)
    .sort(([, one], [, other]) => one.due - other.due)
    .map(([id]) => id);
