// A module of half a gigabyte, which is fixed, for tests that ask for more than there is: without threads the machine's
// memory would be filled first.
import { loadTril } from 'tril/training';

export const limited = await loadTril({
  variant: 'simd-threads',
  threads: 1,
  memory: 2 ** 29,
});
