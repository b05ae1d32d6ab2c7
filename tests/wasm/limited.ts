// A module with a fixed memory of half a gigabyte, for tests that ask for more: without threads they would fill the
// machine's memory first.
import { loadTril as loadLessons } from 'tril/lessons';
import { loadTril } from 'tril/training';

const options = { variant: 'simd-threads', threads: 1, memory: 2 ** 29 } as const;
export const limited = await loadTril(options);
export const explained = await loadLessons(options);
