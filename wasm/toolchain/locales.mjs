// Locales with different numbers and letters, for the tests: the machine's own, else compiled into build/locales from
// the sources of Debian's package `locales`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.mjs';

const folder = join(root, 'build', 'locales');
const spelled = (name) => name.toLowerCase().replaceAll('-', '');

function isInstalled(name) {
  const { stdout } = spawnSync('locale', ['-a'], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').some((each) => spelled(each) === spelled(name));
}

/** The environment variables with which a program finds the locale, "de_DE.UTF-8"; undefined if there is none. */
export function findLocale(name) {
  if (isInstalled(name)) return {};
  if (!existsSync(join(folder, name))) {
    mkdirSync(folder, { recursive: true });
    const made = join(folder, `.${name}.${process.pid}`);
    const [language, letters] = name.split('.');
    spawnSync('localedef', ['-i', language, '-f', letters, made]);
    if (!existsSync(join(made, 'LC_NUMERIC'))) return undefined;
    try {
      renameSync(made, join(folder, name));
    } catch {
      rmSync(made, { recursive: true }); // another process has made it meanwhile
    }
  }
  return { LOCPATH: folder };
}
