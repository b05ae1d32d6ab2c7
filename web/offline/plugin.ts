// Writes the service worker beside the built page: which files there are, and a version that changes with
// any of them.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const fileName = 'service-worker.js';

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path !== fileName)
    .sort();
}

export function worksOffline(): Plugin {
  let folder: string;
  return {
    name: 'works-offline',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    closeBundle: () => {
      const paths = filesBelow(folder);
      const hash = createHash('sha256');
      for (const path of paths) hash.update(`${path}\n`).update(readFileSync(join(folder, path)));
      const version = hash.digest('hex').slice(0, 16);
      const files = paths.map((path) => (path === 'index.html' ? './' : path));
      const source = readFileSync(fileURLToPath(new URL(fileName, import.meta.url)), 'utf8');
      const facts = `const version = '${version}';\nconst files = ${JSON.stringify(files)};\n`;
      writeFileSync(join(folder, fileName), facts + source);
    },
  };
}
