// A module of half a gigabyte, which is fixed, for tests that ask for more than there is: without threads the machine's
// memory would be filled first.
import { loadTril as loadLessons } from 'tril/lessons';
import { loadTril } from 'tril/training';

const options = { variant: 'simd-threads', threads: 1, memory: 2 ** 29 } as const;
export const limited = await loadTril(options);
export const explained = await loadLessons(options);
