// The models that are shipped: Git keeps every version of them for ever, so that their size is a
// decision.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** In MB (1 000 000 bytes): all of models/, the GPT's weights (6, and what their names take), and a checkpoint of its sibling. */
export const limits = { all: 20, gpt: 6.1, sibling: 1 };

/** [{ path, bytes }] of what is in models/. */
export function listModels(root) {
  const folder = join(root, 'models');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(root.length), bytes: statSync(path).size }));
}

/** What is too large. */
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
