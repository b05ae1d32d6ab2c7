// The files under version control, and helpers of the checks.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Tracked files, and new ones that git does not ignore. */
export function listFiles() {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const git = spawnSync('git', options, { cwd: root, encoding: 'utf8' });
  if (git.status !== 0) throw new Error(`git ls-files: ${git.stderr}`);
  const names = [...new Set(git.stdout.split('\n'))];
  return names.filter((name) => name && existsSync(join(root, name))).sort();
}

/** [{ path, text }] of the files that match, each read once. */
export function readFiles(pattern, paths = listFiles()) {
  const chosen = paths.filter((path) => pattern.test(path));
  return chosen.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The number of the line with the character at `index`. */
const lineOf = (text, index) => text.slice(0, index).split('\n').length;

/** For every match of the expression the reason `judge(match)`, if it is not empty, as `path:line: reason`. */
export function findAll(files, expression, judge) {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(expression)].flatMap((match) => {
      const reason = judge(match);
      return reason ? [`${path}:${lineOf(text, match.index)}: ${reason}`] : [];
    }),
  );
}
