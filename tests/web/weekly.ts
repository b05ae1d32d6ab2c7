// What goes over every chapter for a rare kind of fault, or takes a minute for one figure: a run of all tests takes a part of it,
// and a weekly one everything, with TRIL_WEEKLY=1 (docs/CONTRIBUTING.md).

const tag = '@weekly';

/** Of tests that go over every chapter for one kind of fault, the chapters that every run takes: unlike each other. */
export const usual = ['home', 'attend', 'learn'];

/** The details of a test that only the weekly run takes, unless it is one of `always`. */
export const weekly = (name?: string, always: readonly string[] = []): { tag?: string } =>
  name !== undefined && always.includes(name) ? {} : { tag };

/** Of chapters that one test goes over, those of this run. */
export const inThisRun = <T extends { readonly id: string }>(
  chapters: readonly T[],
): readonly T[] =>
  process.env.TRIL_WEEKLY ? chapters : chapters.filter(({ id }) => usual.includes(id));

/** For a configuration: what other runs leave out. */
export const notWeekly = process.env.TRIL_WEEKLY ? {} : { grepInvert: new RegExp(tag, 'u') };
