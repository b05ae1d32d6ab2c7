// Styles and fonts that no page needs before its first figure is seen: those of scripts that are fetched where a visitor comes near,
// and that bring them along. What Vite says of scripts and styles tells them apart.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const looks = /\s*<link href="([^"]+)" rel="(?:stylesheet"|preload" as="font"[^>]*)>/g;
const scripts = /<link href="([^"]+\.js)" rel="modulepreload">/g;

/** The scripts of such names, and all that they import. */
function importedBy(names, manifest) {
  const found = new Set(Object.keys(manifest).filter((key) => names.has(nameOf(manifest[key]))));
  // A set goes on with what is added meanwhile.
  for (const key of found) manifest[key].imports?.forEach((one) => found.add(one));
  return [...found].map((key) => manifest[key]);
}
const nameOf = ({ file }) => basename(file);

const looksOf = ({ css = [], assets = [] }) => [...css, ...assets].map((path) => basename(path));

/**
 * A page less the styles and fonts that come with none of the scripts that it needs. `manifest` is Vite's. SvelteKit does not name a
 * script that something fetches later, too: a page names it here, so that a browser does not find it out only by and by.
 */
export function withoutLater(html, manifest) {
  const links = [...html.matchAll(scripts)];
  const named = new Set(links.map(([, href]) => basename(href)));
  const needed = importedBy(named, manifest);
  const now = new Set(needed.flatMap(looksOf));
  const known = new Set(Object.values(manifest).flatMap(looksOf));
  const isLater = (href) => known.has(basename(href)) && !now.has(basename(href));
  const less = html.replace(looks, (link, href) => (isLater(href) ? '' : link));
  const missing = needed.filter((one) => !named.has(nameOf(one)));
  if (missing.length === 0) return less;
  const [last, href] = links.at(-1);
  const { file: path } = needed.find((one) => href.endsWith(one.file));
  const more = missing.map(({ file }) => `\n\t\t${last.replace(path, file)}`);
  return less.replace(last, last + more.join(''));
}

/** The pages of a folder. */
export function leaveLaterOut(folder, manifestFile) {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const all = readdirSync(folder, { recursive: true });
  for (const path of all.filter((name) => basename(name) === 'index.html')) {
    const file = join(folder, path);
    writeFileSync(file, withoutLater(readFileSync(file, 'utf8'), manifest));
  }
}
