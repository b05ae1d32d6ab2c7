/** An answer to choose from. */
export interface Guess<Id extends string = string> {
  readonly id: Id;
  readonly name: string;
  /** The reply to the choice; empty until it is known. */
  readonly says: string;
}

/** The answers with these ids, each with its name and reply. */
export const guesses = <const Id extends string>(
  ids: readonly Id[],
  names: Readonly<Record<Id, string>>,
  says: (id: Id) => string,
): Guess<Id>[] => ids.map((id) => ({ id, name: names[id], says: says(id) }));

/** Numbers in ascending order as answers; of equal numbers only the first is offered. */
export function numbers<const Id extends string>(
  ids: readonly Id[],
  values: Readonly<Record<Id, number>>,
  says: (id: Id) => string,
): readonly Guess<Id>[] {
  return ids
    .filter((id, i) => ids.findIndex((other) => values[other] === values[id]) === i)
    .sort((one, other) => values[one] - values[other])
    .map((id) => ({ id, name: String(values[id]), says: says(id) }));
}
