// The work of the program that is running, for what goes through many items at once and is told of no machine.

/** Counts work, and stops the program where there is too much. */
export interface Meter {
  worked(items: number): void;
  listed(items: number): void;
}

let running: Meter | undefined;

/** Runs a program, or part of one, whose work is counted. */
export function metered<Result>(meter: Meter, run: () => Result): Result {
  const before = running;
  running = meter;
  try {
    return run();
  } finally {
    running = before;
  }
}

/** Counts items that are gone through or compared. @throws Raised where there was too much work */
export const worked = (items: number): void => running?.worked(items);

/** Counts characters that are read or written: four are an item. @throws Raised as `worked` does */
export const read = (characters: number): void => running?.worked(characters / 4);

/** Counts items of a list or tuple that is made. @throws Raised where all together are too many */
export const listed = (items: number): void => running?.listed(items);
