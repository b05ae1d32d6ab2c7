// Styles that no page needs before its first figure is seen: those of scripts that are fetched where a visitor comes near, and that
// bring them along. What Vite says of scripts and styles tells them apart.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const styles = /\s*<link href="([^"]+\.css)" rel="stylesheet">/g;
const scripts = /<link href="([^"]+\.js)" rel="modulepreload">/g;

/** A page less the styles that come with none of the scripts that it names. `manifest` is Vite's. */
export function withoutLater(html, manifest) {
  const named = new Set(Array.from(html.matchAll(scripts), ([, href]) => basename(href)));
  const chunks = Object.values(manifest).filter(({ file }) => named.has(basename(file)));
  const now = new Set(chunks.flatMap(({ css = [] }) => css.map((path) => basename(path))));
  const known = new Set(
    Object.values(manifest).flatMap(({ css = [] }) => css.map((path) => basename(path))),
  );
  const isLater = (href) => known.has(basename(href)) && !now.has(basename(href));
  return html.replace(styles, (link, href) => (isLater(href) ? '' : link));
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
