// Questions that are asked again: at the next visit, and after one, three and nine days. As a text, of which is left out what
// is no such question, and all of it where another version has written it.

const version = 1;
const minute = 60_000;
const day = 24 * 60 * minute;
/** Milliseconds until it is asked for the first time, the second, and so on. After such a pause a visit is another one. */
export const waits = [30 * minute, day, 3 * day, 9 * day] as const;
export const mostOfChapter = 5;

export interface Card {
  /** How often in a row it was answered rightly; known after the last of them. */
  readonly stage: number;
  /** When it is asked next, in milliseconds since 1970. */
  readonly due: number;
  /** Which of its numbers it is asked with. */
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

/** What such a text holds, or null where it is none of this version. */
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

/** With one more, if it is new and its chapter has room for it. */
export function met(all: Cards, id: string, now: number): Cards {
  if (all.has(id) || !hasRoom(all, id)) return all;
  return new Map(all).set(id, { stage: 0, due: now + waits[0], turn: 1 });
}

/** Once it was asked again. What was not known is asked at the next visit. */
export function answered(all: Cards, id: string, right: boolean, now: number): Cards {
  const card = all.get(id);
  if (!card) return all;
  const stage = right ? card.stage + 1 : 0;
  const due = now + (waits[stage] ?? 0);
  return new Map(all).set(id, { stage, due, turn: card.turn + 1 });
}

/** Those to be asked now, the longest due first. */
export const dueAt = (all: Cards, now: number): string[] =>
  [...all]
    .filter(([, card]) => !isKnown(card) && card.due <= now)
    .sort(([, one], [, other]) => one.due - other.due)
    .map(([id]) => id);
