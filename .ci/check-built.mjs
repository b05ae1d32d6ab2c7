// Finds what the built page must not contain, with all its libraries: text run as code, random numbers without a seed,
// other hosts, the library that typesets formulas. The policy in every page makes the browser forbid what this would
// miss.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findAll } from './files.mjs';

/**
 * Folders of the built page that TypeDoc and Doxygen write: they may name any host and run their own code, but may not
 * load anything from another host either.
 */
export const references = ['api', 'cpp'];
const isReference = (path) => references.some((name) => path.startsWith(`web/dist/${name}/`));

const rules = [
  { what: /\bMath\s*\.\s*random\b/g, why: 'randomness comes from a seed' },
  {
    what: /(?<![\w$.])eval\s*\(|\bnew\s+Function\b|(?<![\w$.])Function\s*\(|\bset(?:Timeout|Interval)\(\s*["'`]/g,
    why: 'text is never run as code',
  },
  {
    what: /(?:fetch|import|importScripts|Worker|EventSource|WebSocket|sendBeacon)\s*\(\s*["'`](?:(?:https?|wss?):)?\/\/|url\(\s*["']?(?:https?:)?\/\/|@import\s+["'](?:https?:)?\/\/|<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)\s*=\s*["'](?:https?:)?\/\//gi,
    why: 'the page asks no other host for anything',
    everywhere: true,
  },
  {
    what: /KaTeX parse error/g,
    only: /\.js$/,
    why: 'formulas are typeset while the page is built, and the library stays out of it',
  },
  {
    what: /<[^<>]*\son\w+\s*=\s*["']/gi,
    only: /\.html$/,
    why: 'no inline script',
  },
];

/** Allowed hosts: those in names that are not addresses, and those of links for readers. */
const namedHosts = [
  'www.w3.org', // namespaces of SVG and MathML
  'svelte.dev', // in Svelte's error messages
  'arxiv.org', // papers
  'doi.org',
];

if (process.env.VITE_SITE) namedHosts.push(new URL(process.env.VITE_SITE).hostname); // its own

const address = /\b(?:https?|wss?):\/\/([\w.-]+)/gi;

const inline = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gis;

/** The scripts in a page that its own policy does not name by their hash. */
function strangers(file) {
  const policy = /<meta http-equiv="content-security-policy" content="([^"]*)"/i.exec(file.text);
  return findAll([file], inline, ([, script]) => {
    const hash = createHash('sha256').update(script).digest('base64');
    const known = policy?.[1].includes(`'sha256-${hash}'`);
    return known ? '' : `${script.trim().slice(0, 60)}: no inline script but those of the policy`;
  });
}

/** files: [{ path, text }]; the violations, as `path:line: text: reason`. */
export function checkBuilt(files) {
  const own = files.filter(({ path }) => !isReference(path));
  const problems = rules.flatMap(({ what, only = /./, why, everywhere }) => {
    const chosen = (everywhere ? files : own).filter(({ path }) => only.test(path));
    return findAll(chosen, what, ([text]) => `${text.slice(0, 60)}: ${why}`);
  });
  const foreign = findAll(own, address, ([text, host]) =>
    namedHosts.includes(host) ? '' : `${text}: no host that the page may name`,
  );
  const scripts = own.filter(({ path }) => path.endsWith('.html')).flatMap(strangers);
  return [...problems, ...scripts, ...foreign];
}

/** The text files of the built page. */
export function readBuilt(root) {
  const folder = join(root, 'web', 'dist');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((path) => /\.(html|js|css|svg)$/.test(path))
    .map((path) => ({
      path: join('web/dist', path),
      text: readFileSync(join(folder, path), 'utf8'),
    }));
}
