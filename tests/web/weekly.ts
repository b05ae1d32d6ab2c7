// Tests that go over every chapter for a rare kind of fault, or take a minute for one figure: a run of all tests takes
// a part of them, and a weekly run everything, with TRIL_WEEKLY=1 (docs/CONTRIBUTING.md).

const tag = '@weekly';

/**
 * The chapters that every run takes, of tests that go over every chapter for one kind of fault: they differ from each
 * other.
 */
export const usual = ['home', 'attend', 'learn'];

/** The details of a test that only the weekly run takes, unless its name is in `always`. */
export const weekly = (name?: string, always: readonly string[] = []): { tag?: string } =>
  name !== undefined && always.includes(name) ? {} : { tag };

/** The chapters of this run, of those that one test goes over. */
export const inThisRun = <T extends { readonly id: string }>(
  chapters: readonly T[],
): readonly T[] =>
  process.env.TRIL_WEEKLY ? chapters : chapters.filter(({ id }) => usual.includes(id));

/** The option of a configuration that leaves out weekly tests. */
export const notWeekly = process.env.TRIL_WEEKLY ? {} : { grepInvert: new RegExp(tag, 'u') };
