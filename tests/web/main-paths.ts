// The page's main paths, which `npm test` covers: every chapter computes, and ways through the page. `npm run test:all`
// covers everything.
import { existsSync } from 'node:fs';

const names = [
  'chromium.smoke',
  ...['page', 'home', 'edit', 'check'].map((name) => `${name}.spec`),
];

const files = names.map((name) => `${name}.ts`);
const gone = files.filter((file) => !existsSync(new URL(file, import.meta.url)));
if (gone.length > 0)
  throw new Error(`main-paths.ts names ${gone.join(', ')}: there is no such file`);

/** These files, without tests that go through every width, check accessibility or measure at length. */
export const mainPaths = {
  testMatch: files,
  grepInvert: /any width|three widths|measure|accessibility|axe /u,
};

/** The titles of a dozen diverse tests among them, for runs in another language. */
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
