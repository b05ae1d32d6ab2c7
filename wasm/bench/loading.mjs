// The time from nothing to the first result, in Node: each time in a separate process (start.mjs), in which nothing is
// compiled or cached yet except by the file system.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { variants } from 'tril';
import { root } from '../toolchain/steps.mjs';
import { evaluate } from './statistics.mjs';

const script = join(root, 'wasm', 'bench', 'start.mjs');

/** The times { part: ms } of one process. */
function start(variant, execArgv) {
  const args = [...execArgv, script, variant];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

/** Measures a case for each variant; variants take turns. */
export function measureLoading({ variant, quick }, execArgv, report) {
  const chosen = variants.filter((each) => each.startsWith(variant ?? ''));
  const parts = new Map(chosen.map((each) => [each, []]));
  for (let round = 0; round < (quick ? 8 : 25); round += 1) {
    for (const each of chosen) parts.get(each).push(start(each, execArgv));
  }
  return chosen.map((name) => {
    const [, ...rounds] = parts.get(name); // the first round reads files that the others find in memory
    const subjects = Object.keys(rounds[0]).map((subject) => ({
      subject,
      times: rounds.map((round) => round[subject]),
    }));
    const result = { group: 'loading', name, about: {}, results: evaluate(subjects) };
    report(result);
    return result;
  });
}
