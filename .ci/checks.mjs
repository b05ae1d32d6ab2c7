// All checks that are not tests of the program: formatting, types, floors, sizes. Each counts as one test, and the
// tests of the checks count as themselves.
//
//   node .ci/checks.mjs              `npm run lint`
//   node .ci/checks.mjs --sum FILE   adds the counts of `npm test`, left in FILE, to the last line

import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkBuilt, readBuilt } from './check-built.mjs';
import { checkCircles } from './check-circles.mjs';
import { checkFloors } from './check-floors.mjs';
import { checkGuards, checkLock } from './check-guards.mjs';
import { checkModels, listModels } from './check-models.mjs';
import { checkNotices } from './check-notices.mjs';
import { checkSizes, listSizes, measureSizes } from './check-sizes.mjs';
import { checkVersions, readVersions } from './check-versions.mjs';
import { checkWorkflows } from './check-workflow.mjs';
import { readFiles, root } from './files.mjs';
import { call, clangFormat, prettier } from './format.mjs';

const { values: options } = parseArgs({ options: { sum: { type: 'string' } } });

function isProgram(path) {
  try {
    accessSync(join(root, path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const npx = (...args) => call('npx', '--no-install', ...args);
const list = (problems) => ({ failed: problems.length > 0, output: problems.join('\n') });

const sources = readFiles(/\.(h|cc|m?ts|m?js|svelte|css|html|svg|py|cmake|json)$|CMakeLists\.txt$/);
const sizes = measureSizes(root);

// The longest first, so that both processors have work until the end.
const checks = {
  ESLint: () => npx('eslint', '--config', '.ci/eslint.config.mjs', '--max-warnings', '0', '.'),
  'types of the page': () => call('npm', 'run', 'check', '--workspace', 'web'),
  Prettier: () => prettier({ write: false }),
  "types of the page's tests": () => npx('tsc', '--noEmit', '--project', 'tests/web'),
  'types of the other tests': () => npx('tsc', '--noEmit', '--project', 'tests'),
  'the checks themselves': () =>
    call(
      ...[process.execPath, '--test'],
      ...['checks', 'check-floors'].map((name) => join(root, '.ci', `${name}.test.mjs`)),
    ),
  'the toolchain': () => call(process.execPath, '--test', join(root, '.ci', 'toolchain.test.mjs')),
  'clang-format': () => clangFormat({ write: false }),
  'types of the package': () => call('npm', 'run', 'check', '--workspace', 'wasm'),
  floors: () => list(checkFloors(sources)),
  circles: () => list(checkCircles(sources)),
  'forbidden text': () => list(checkGuards(sources)),
  'forbidden text in the built page': () => {
    const built = readBuilt(root);
    return list(built.length > 0 ? checkBuilt(built) : ['not built; run `npm run build`']);
  },
  'notices of third parties': () => {
    const path = join(root, 'web', 'dist', 'THIRD-PARTY-NOTICES.txt');
    const { dependencies } = JSON.parse(readFileSync(join(root, 'web', 'package.json'), 'utf8'));
    const packages = ['svelte', '@sveltejs/kit', ...Object.keys(dependencies)];
    const others = packages.filter((name) => name !== 'tril');
    return list(checkNotices(existsSync(path) ? readFileSync(path, 'utf8') : '', others));
  },
  'lock without hosts': () =>
    list(
      ['package-lock.json', 'wasm/bench/peers/package-lock.json'].flatMap((lock) =>
        checkLock(readFileSync(join(root, lock), 'utf8')),
      ),
    ),
  'one version everywhere': () => list(checkVersions(readVersions(root))),
  'the workflows on GitHub': () =>
    list(checkWorkflows(readFiles(/^\.github\/workflows\/.*\.yml$/), isProgram)),
  'download sizes': () => list(checkSizes(sizes)),
  'sizes of the models': () => list(checkModels(listModels(root))),
};

const total = { passed: 0, failed: 0, skipped: 0 };
const waiting = Object.entries(checks);

/** Runs waiting checks one after another, until there are none. */
async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, check] = next;
    const begin = performance.now();
    const { failed, output, skipped } = await check();
    const time = `${((performance.now() - begin) / 1000).toFixed(1)} s`;
    total[skipped ? 'skipped' : failed ? 'failed' : 'passed'] += 1;
    console.log(`${name}: ${skipped ? `skipped, ${skipped}` : failed ? 'FAILED' : 'ok'} (${time})`);
    if (failed) console.log(output.replace(/^/gm, '    '));
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`\nGzipped:\n${listSizes(sizes).join('\n')}`);

if (options.sum) {
  const tests = existsSync(options.sum)
    ? JSON.parse(readFileSync(options.sum, 'utf8'))
    : { passed: 0, failed: 1, skipped: 0 }; // `npm test` did not finish.
  for (const key of Object.keys(total)) total[key] += tests[key];
}
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed > 0 ? 1 : 0;
