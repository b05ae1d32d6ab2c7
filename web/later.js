// Styles and fonts that no page needs before its first figure is visible: those of scripts that are loaded when a
// visitor comes near, and that load them. Vite's manifest of scripts and styles tells them apart.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const looks = /\s*<link href="([^"]+)" rel="(?:stylesheet"|preload" as="font"[^>]*)>/g;
const scripts = /<link href="([^"]+\.js)" rel="modulepreload">/g;

/** The scripts of these names, and everything that they import. */
function importedBy(names, manifest) {
  const found = new Set(Object.keys(manifest).filter((key) => names.has(nameOf(manifest[key]))));
  // Iterating over a set includes elements added meanwhile.
  for (const key of found) manifest[key].imports?.forEach((one) => found.add(one));
  return [...found].map((key) => manifest[key]);
}
const nameOf = ({ file }) => basename(file);

const looksOf = ({ css = [], assets = [] }) => [...css, ...assets].map((path) => basename(path));

/**
 * A page without the styles and fonts that none of its scripts need. `manifest` is Vite's. SvelteKit does not list a
 * script that is also loaded later: a page lists it here, so that a browser does not discover it step by step.
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

/** Removes the later styles from all pages of a folder. */
export function leaveLaterOut(folder, manifestFile) {
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const all = readdirSync(folder, { recursive: true });
  for (const path of all.filter((name) => basename(name) === 'index.html')) {
    const file = join(folder, path);
    writeFileSync(file, withoutLater(readFileSync(file, 'utf8'), manifest));
  }
}
