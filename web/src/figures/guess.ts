/** An answer to choose from. */
export interface Guess<Id extends string = string> {
  readonly id: Id;
  readonly name: string;
  /** What is said to who chooses it; empty until it is known. */
  readonly says: string;
}

/** Those of these ids: what each is called, and what is said to it. */
export const guesses = <Id extends string>(
  ids: readonly Id[],
  names: Readonly<Record<Id, string>>,
  says: (id: Id) => string,
): readonly Guess<Id>[] => ids.map((id) => ({ id, name: names[id], says: says(id) }));
