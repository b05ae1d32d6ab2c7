// The size of the shipped models: Git keeps every version of them forever, so that their size is a decision.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Limits in MB (1 000 000 bytes): all of models/, the GPT's weights (6, and their names), and a checkpoint of its
 * sibling.
 */
export const limits = { all: 20, gpt: 6.1, sibling: 1 };

/** The files in models/: [{ path, bytes }]. */
export function listModels(root) {
  const folder = join(root, 'models');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(root.length), bytes: statSync(path).size }));
}

/** The files that are too large. */
export function checkModels(files) {
  const problems = [];
  const check = (name, bytes, limit) => {
    if (bytes <= limit * 1e6) return;
    problems.push(`${name}: ${(bytes / 1e6).toFixed(1)} MB, more than ${limit} MB`);
  };
  check('models/', files.reduce((sum, { bytes }) => sum + bytes, 0), limits.all); // prettier-ignore
  for (const { path, bytes } of files) {
    const [, part] = path.match(/(gpt|sibling)\/[^/]+\.safetensors$/) ?? [];
    if (part) check(path, bytes, limits[part]);
  }
  return problems;
}
