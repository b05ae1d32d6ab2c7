// The page's main paths, which `npm test` takes: every chapter computes, and ways through the page. `npm run test:all` takes
// everything.
import { existsSync } from 'node:fs';

const names = [
  'chromium.smoke',
  ...['page', 'home', 'edit', 'check'].map((name) => `${name}.spec`),
];

const files = names.map((name) => `${name}.ts`);
const gone = files.filter((file) => !existsSync(new URL(file, import.meta.url)));
if (gone.length > 0)
  throw new Error(`main-paths.ts names ${gone.join(', ')}: there is no such file`);

/** Of these files not what goes over every width or looks for faults of accessibility, nor what measures at length. */
export const mainPaths = {
  testMatch: files,
  grepInvert: /any width|three widths|measure|accessibility|axe /u,
};

/** Of these a dozen, unlike each other, for runs in another language: by their titles. */
export const unlike = new RegExp(
  [
    '(?:attend|mask|heads|multiply|block|towers|learn) computes',
    'no text, one token, bad numbers',
    'the theme follows the system',
    'a word that is touched shows',
    'ways in lead to their chapters',
    'an edited weight changes Q',
  ].join('|'),
  'u',
);
