// Chapter "Multiply" for its tests, and its two default matrices.
import { test as base } from './fixtures.ts';
import { Lesson } from './lessons.ts';

export const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'multiply')),
});

export const a = [
  [1, 2, 0, -1],
  [3, 1, 2, 1],
  [0, -2, 1, 4],
];
export const b = [
  [2, 1],
  [0, 3],
  [-1, 2],
  [4, 1],
];
