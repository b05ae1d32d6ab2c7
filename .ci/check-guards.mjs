// Finds forbidden code in the sources by reading them.

import { findAll } from './files.mjs';

const rules = [
  {
    where: /^(web|wasm)\/(src|bindings)\//,
    what: /\bMath\.random\b/g,
    why: 'randomness comes from a seed',
  },
  {
    where: /^(web|wasm)\/(src|bindings)\//,
    what: /\beval\s*\(|\bnew\s+Function\s*\(|\bset(?:Timeout|Interval)\s*\(\s*['"`]/g,
    why: 'text is never run as code',
  },
  {
    where: /^web\/src\/|^wasm\/src\/|^web\/index\.html$|^web\/public\/.*\.(html|css|js|svg)$/,
    what: /(?:fetch|import|importScripts|Worker|EventSource|WebSocket|sendBeacon)\s*\(\s*['"`](?:https?:|wss?:)?\/\/[^'"`]*|url\(\s*['"]?(?:https?:)?\/\/[^)]*|@import\s+['"](?:https?:)?\/\/[^'"]*|<(?:script|link|img|iframe|source|video|audio)\b[^>]*\s(?:src|href)\s*=\s*['"](?:https?:)?\/\/[^'"]*/gi,
    why: 'the page asks no other host for anything',
  },
  {
    where: /^(web|wasm)\/src\//,
    what: /\bnavigator\.userAgent\b/g,
    why: 'features are tested, browsers are not told apart by name',
  },
  {
    where: /(^|\/)CMakeLists\.txt$|\.cmake$|^CMakePresets\.json$/,
    what: /-ffast-math|-Ofast/g,
    why: 'infinities are meaningful',
  },
  {
    // Integers as text are safe: std::to_string, std::to_chars. A file's stream receives text.
    where: /^(core|native|wasm\/bindings)\/(?!tril\/foundation\/read_number\.cc$).*\.(cc|h)$/,
    what: /\b(?:strto(?:d|f|ld|[du]?ll?|u?l|imax|umax)|sto(?:i|u?ll?|f|d|ld)|ato(?:i|ll?|f)|v?(?:sn?|f|d|as)?(?:print|scan)f|is(?:w?(?:alpha|digit|alnum|space|blank|upper|lower|punct|print|graph|cntrl|xdigit))|tow?(?:lower|upper)|mbs?r?towcs?|wcs?r?tombs?|str(?:coll|xfrm|ftime)|put_(?:time|money)|setlocale)\s*\(|\b[io]?stringstream\b|<iomanip>|\bstd::(?:locale|regex|format)\b/g,
    why: "depends on the program's locale; foundation/exact_number.h, native/number_text.h do not",
  },
  {
    where: /^wasm\/bindings\/.*\.cc$/,
    what: /\b(?:function\(\s*"\w+",|constructor\()(?!\s*guard<)/g,
    why: 'guard<&...> turns exceptions into errors of JavaScript',
  },
  {
    where: /^tests\/.*\.(ts|mjs|cc)$/,
    what: /\b(?:test|it|describe)\.only\b|\bGTEST_FILTER\b/g,
    why: 'every test is run',
  },
];

const maximumLines = 400;

/** files: [{ path, text }]; the violations, as `path:line: text: reason`. */
export function checkGuards(files) {
  const problems = [];
  for (const { where, what, why } of rules) {
    const chosen = files.filter(({ path }) => where.test(path));
    problems.push(...findAll(chosen, what, ([text]) => `${text.slice(0, 60)}: ${why}`));
  }
  for (const { path, text } of files) {
    const lines = text.split('\n').length - 1;
    const isSource = /\.(h|cc|ts|mjs|js|svelte|py|cmake)$/.test(path);
    if (isSource && lines > maximumLines) {
      problems.push(`${path}:${lines}: more than ${maximumLines} lines; split it`);
    }
  }
  return problems;
}

/** The lock names no host, since everyone has their own registry. */
export function checkLock(text) {
  return Object.entries(JSON.parse(text).packages)
    .filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
    .map(([name, entry]) => `package-lock.json: ${name} is resolved to ${entry.resolved}`);
}
