// THIRD-PARTY-NOTICES.txt next to the page: the licence of every package in its scripts, styles and fonts, and of all
// code in the modules.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { dependencies } from './package.json';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const ofModules = join(root, 'docs', 'THIRD-PARTY-NOTICES.txt');

/** The folders of the page's own dependencies: Workers, which are built separately, use these, too. */
const named = Object.keys(dependencies)
  .filter((name) => name !== 'tril')
  .map((name) =>
    ['web/node_modules', 'node_modules']
      .map((folder) => join(root, folder, name))
      .find((folder) => existsSync(folder)),
  );

/** The folder of the package that a file belongs to; undefined for our own files. */
const folderOf = (id: string) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0];

function noticeOf(folder: string): string {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, license } = JSON.parse(manifest) as { name: string; license: string };
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${folder} has no licence to show`);
  const line = '='.repeat(80);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${line}\n${name}: ${license}\n${line}\n\n${text}\n`;
}

export function notices(): Plugin {
  return {
    name: 'notices',
    generateBundle() {
      if (this.environment.name !== 'client') return;
      const folders = new Set([...named, ...[...this.getModuleIds()].map(folderOf)]);
      folders.delete(undefined);
      const texts = [...(folders as Set<string>)].sort().map(noticeOf);
      this.emitFile({
        type: 'asset',
        fileName: 'THIRD-PARTY-NOTICES.txt',
        source: [readFileSync(ofModules, 'utf8'), ...texts].join('\n'),
      });
    },
  };
}
