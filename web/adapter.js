// Makes the static site: SvelteKit's adapter writes it, and this adds a list of its files to the service worker, as
// `self.built`, with a version that changes with any of them, and each model's hash. SvelteKit's own list leaves out
// the Workers and the files that they load.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { leaveLaterOut } from './later.js';
import { shareFile, shareOfSpeeches, shippedFiles, shippedFolder } from './shipped.js';
import adapter from '@sveltejs/adapter-static';

/** The folder for a language other than English: `dist-xx`. */
const { TRIL_LANGUAGE: language = 'en' } = process.env;
const folder = language === 'en' ? 'dist' : `dist-${language}`;
const worker = 'service-worker.js';
/**
 * Files only for people who share a link, ask for a model or for licences, or embed figures, not for all readers of the
 * page.
 */
const notKept = [
  ...[worker, 'previews/', 'models/', 'THIRD-PARTY-NOTICES.txt'],
  ...['embed/', 'embed.js'],
];

function filesBelow() {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

const hashOf = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(folder, path)));
  return hash.digest('hex').slice(0, 16);
};

/**
 * Removes the package's Workers that were built with the service worker: it only asks the package for this engine's
 * features, and starts none.
 */
function removeStrays() {
  const assets = join(folder, 'assets');
  const strays = readdirSync(assets).filter((name) => name.endsWith('.js'));
  for (const name of strays) rmSync(join(assets, name));
}

/** Removes modules of the package that no script loads: bundlers keep them if a script imports something else of it. */
function removeUnloaded() {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.js'));
  const scripts = paths.filter((path) => path !== worker);
  const text = scripts.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
  for (const path of readdirSync(join(folder, 'assets'), { recursive: true })) {
    const name = basename(path);
    if (/^tril-.*\.(?:js|wasm)$/.test(name) && !text.includes(name)) {
      rmSync(join(folder, 'assets', path));
    }
  }
}

/** Copies the models that a chapter may ask for, and texts, next to the page. */
function placeModels() {
  const models = join(folder, 'models');
  for (const path of shippedFiles) cpSync(join(shippedFolder, path), join(models, path));
  const share = shareOfSpeeches();
  if (share) writeFileSync(join(models, shareFile), share.bytes);
}

export function staticSite() {
  const { name, adapt } = adapter({ pages: folder, assets: folder });
  return {
    name,
    async adapt(builder) {
      await adapt(builder);
      removeStrays();
      removeUnloaded();
      const client = join(builder.config.kit.outDir, 'output', 'client');
      leaveLaterOut(folder, join(client, '.vite', 'manifest.json'));
      placeModels();
      const all = filesBelow();
      const paths = all.filter((path) => !notKept.some((start) => path.startsWith(start)));
      const version = hashOf(paths);
      const shipped = all.filter((path) => path.startsWith('models/'));
      const models = Object.fromEntries(shipped.map((path) => [path, hashOf([path])]));
      const files = paths.map((path) => path.replace(/(^|\/)index\.html$/, '$1'));
      const source = readFileSync(join(folder, worker), 'utf8');
      const facts = `self.built=${JSON.stringify({ version, files, models })};\n`;
      writeFileSync(join(folder, worker), facts + source);
    },
  };
}
