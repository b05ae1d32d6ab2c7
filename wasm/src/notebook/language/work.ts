// The work of the running program, counted by functions that process many items at once and do not see the
// machine.

/** Counts work, and stops the program at its limit. */
export interface Meter {
  worked(items: number): void;
  listed(items: number): void;
}

let running: Meter | undefined;

/** Runs a program, or part of one, and counts its work. */
export function metered<Result>(meter: Meter, run: () => Result): Result {
  const before = running;
  running = meter;
  try {
    return run();
  } finally {
    running = before;
  }
}

/** Counts items that are read or compared. @throws Raised at the limit of work */
export const worked = (items: number): void => running?.worked(items);

/** Counts characters that are read or written: four are an item. @throws Raised like `worked` */
export const read = (characters: number): void => running?.worked(characters / 4);

/** Counts the items of a new list or tuple. @throws Raised at the limit of items */
export const listed = (items: number): void => running?.listed(items);
