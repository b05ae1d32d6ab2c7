// The suites: how each is built and run, and where its report is. `npm test` without arguments runs the `short` suites,
// in place of longer ones. `missing` returns why this machine skips a suite, if it does.

import { join } from 'node:path';
import {
  buildModules,
  buildPackage,
  buildPage,
  buildSite,
  buildPseudo,
} from '../wasm/toolchain/build.mjs';
import { build } from '../wasm/toolchain/cmake.mjs';
import { findLocale } from '../wasm/toolchain/locales.mjs';
import { root, run } from '../wasm/toolchain/steps.mjs';
import {
  findArm,
  findHeadless,
  findFirefox,
  findFuzzer,
  findIsas,
  findLibcxx,
  findWebKit,
} from '../wasm/toolchain/system.mjs';
import { mainFiles } from './core/main-files.mjs';
import { readGoogleTest, readPlaywright, readVitest } from './reports.mjs';

/** The time limit of a suite in minutes, several times its duration on two processors; the page's suite has its own. */
const limit = 20;

export const reportFolder = join(root, 'build', 'reports');

const relaxedFlag = '--experimental-wasm-relaxed-simd';
// A module with a single f32x4.relaxed_madd.
const relaxedModule = [
  [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  [10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
].flat();

/** The flags for relaxed SIMD in this Node: none from Node 22 on, one in Node 20. */
const nodeFlags = WebAssembly.validate(new Uint8Array(relaxedModule)) ? [] : [relaxedFlag];

/** The programs that run a preset's binary, if it does not run by itself. */
const runners = {
  aarch64: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
};

/**
 * The GoogleTest binary of a preset, natively or in Node; `isa` selects an instruction set, `locale` a locale if the
 * machine has it, `half`, 1 or 2, every other test, and `files` some files of tests.
 */
function googleTest(
  preset,
  { isa, locale, half, files, short = false, minutes = limit, ...rest } = {},
) {
  const id = ['core', preset, isa, half].filter(Boolean).join('-');
  const report = join(reportFolder, `${id}.json`);
  const folder = join(root, 'build', preset, 'tests', 'core');
  const command = preset.startsWith('wasm')
    ? [process.execPath, ...nodeFlags, join(folder, 'tril_tests.js')]
    : [...(runners[preset] ?? []), join(folder, 'tril_tests')];
  const env = {
    ...{ UBSAN_OPTIONS: 'print_stacktrace=1', GTEST_OUTPUT: '', TRIL_FORCE_ISA: isa ?? '' },
    ...(half && { GTEST_TOTAL_SHARDS: '2', GTEST_SHARD_INDEX: String(half - 1) }),
  };
  const found = () => locale && findLocale(locale); // looked up late: the set-up may install it
  return {
    ...rest,
    id,
    get name() {
      const part = half && `${half} of 2`;
      return ['GoogleTest', preset, isa, found() && locale, part].filter(Boolean).join(', ');
    },
    part: 'core',
    short,
    report,
    prepare: () => build(preset, 'tril_tests', { files }),
    meanwhile: true, // mostly one thread, so that the next build has the other processors
    run: () =>
      run(command[0], [...command.slice(1), `--gtest_output=json:${report}`], {
        log: id,
        env: { ...env, TRIL_TEST_LOCALE: found() ? locale : '', ...found() },
        allowFailure: true,
        minutes,
      }),
    read: readGoogleTest,
  };
}

async function buildAll() {
  await buildModules();
  await buildPackage();
}

function nodeRunner({ id, part, short = false, command, env, minutes = limit, ...rest }) {
  const report = join(reportFolder, `${id}.json`);
  return {
    ...rest,
    id,
    part,
    short,
    report,
    run: () => {
      // npx would run in the folder of the workspace, tests, instead of this one.
      const [program, ...args] = command(report);
      return run(join(root, 'node_modules', '.bin', program), args, {
        cwd: join(root, 'tests', part),
        log: id,
        env: { CI: '1', ...env?.(report) },
        allowFailure: true,
        minutes,
      });
    },
  };
}

const vitest = {
  command: (report) => [
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ],
  read: readVitest,
};

/** Tests of the package that go over all calls, exercises or mutations of files, and take as long as all others. */
const further = [
  ...['bench.test.mjs', 'check-notebook.test.ts', 'examples.test.ts', 'exercises.test.ts'],
  ...['extreme-sizes.test.ts', 'file-mutations.test.ts', 'graph-random.test.ts'],
  ...['notebook-mutations.test.ts', 'random-calls.test.ts'],
];

/** The package in Node; `npm test` leaves out the further tests. */
function packageTests({ short, ...rest }) {
  const without = short ? further.flatMap((file) => ['--exclude', file]) : [];
  return nodeRunner({
    part: 'wasm',
    short,
    prepare: buildAll,
    ...vitest,
    command: (report) => [...vitest.command(report), ...without],
    ...rest,
  });
}

const fuzzing = nodeRunner({
  id: 'fuzz',
  name: 'libFuzzer',
  part: 'fuzz',
  prepare: () => build('native-fuzz', 'tril_fuzz'),
  meanwhile: true,
  minutes: 60, // set by FUZZ_SECONDS
  ...vitest,
});

/** The page in Chromium; `npm test` takes the main paths (tests/web/main-paths.ts). */
function page({ short, ...rest }) {
  return nodeRunner({
    part: 'web',
    short,
    alone: true, // two browsers need both processors: tests stall without frames
    prepare: () => buildAll().then(buildSite),
    command: () => ['playwright', 'test', '--reporter=line,json'],
    env: (report) => ({
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      CHROMIUM: findHeadless(),
      TRIL_MAIN_PATHS: short ? '1' : '',
    }),
    read: readPlaywright,
    ...rest,
  });
}

const isas = findIsas();

/** Two of the lanes run in a locale with its own numbers and letters. */
const locales = { baseline: 'tr_TR.UTF-8', avx2: 'de_DE.UTF-8' };

const suites = [
  googleTest('native', { files: mainFiles, short: true }),
  ...(isas.length > 0 ? isas : [undefined]).map((isa) =>
    googleTest('native', { files: '*_test.cc', isa, locale: isa ? locales[isa] : 'de_DE.UTF-8' }),
  ),
  // Built by Clang if installed, which takes half of GCC's time and has compiled the core for libFuzzer anyway. In two
  // halves: the remaining tests, once all but the page is done, run on two processors.
  ...[1, 2].map((half) =>
    googleTest(findFuzzer() ? 'native-fuzz' : 'native-asan', { half, minutes: 45, long: true }),
  ),
  // Tests that depend on how a compiler contracts sums: all of them once a week.
  googleTest('aarch64', {
    purposes: ['lanes'],
    missing: () => (findArm() ? '' : 'no Clang, cross libraries and qemu for ARM'),
  }),
  googleTest('wasm-simd'),
  googleTest('wasm-relaxed'),
  packageTests({ id: 'wasm-main', name: "Vitest, the package's main tests", short: true }),
  packageTests({ id: 'wasm', name: 'Vitest, package' }),
  nodeRunner({
    id: 'pack',
    name: 'Vitest, packed package',
    part: 'pack',
    prepare: buildAll,
    meanwhile: true,
    ...vitest,
  }),
  nodeRunner({
    id: 'cli',
    name: 'Vitest, command line',
    part: 'cli',
    prepare: () => build('native', 'tril_cli'),
    ...vitest,
  }),
  nodeRunner({
    id: 'consumer',
    name: 'Vitest, C++ consumers',
    part: 'consumer',
    purposes: ['lanes'],
    prepare: () => build('native', 'tril_cli'), // together with everything that is installed
    env: () => ({ TRIL_LIBCXX: findLibcxx() ? '1' : '' }),
    meanwhile: true,
    ...vitest,
  }),
  ...(findFuzzer() ? [fuzzing] : []),
  page({ id: 'web-main', name: "Playwright, the page's main paths", short: true }),
  page({ id: 'web', name: 'Playwright, page', minutes: 60 }),
  nodeRunner({
    id: 'firefox',
    name: 'Playwright, Firefox',
    part: 'web',
    meanwhile: true,
    prepare: () => buildAll().then(buildPage),
    command: () => ['playwright', 'test', '--config=firefox.config.ts', '--reporter=line,json'],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report, FIREFOX: findFirefox() }),
    read: readPlaywright,
  }),
  nodeRunner({
    id: 'webkit',
    name: 'Playwright, WebKitGTK',
    part: 'web',
    meanwhile: true, // one browser, like Firefox
    purposes: ['webkit'],
    missing: () => (findWebKit() ? '' : 'no WebKitWebDriver and Xvfb'),
    prepare: () => buildAll().then(buildPage),
    command: () => ['playwright', 'test', '--config=webkit.config.ts', '--reporter=line,json'],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report }),
    read: readPlaywright,
  }),
  nodeRunner({
    id: 'pseudo',
    name: 'Playwright, other languages',
    part: 'web',
    prepare: () => buildAll().then(buildPseudo),
    command: () => ['playwright', 'test', '--config=pseudo.config.ts', '--reporter=line,json'],
    env: (report) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: report, CHROMIUM: findHeadless() }),
    read: readPlaywright,
  }),
];

/** The suites for `npm test -- WORDS`: folders of tests/, or --all; without words the short ones. */
export function suitesFor(words) {
  if (words.length === 0) return suites.filter((suite) => suite.short);
  const whole = suites.filter((suite) => !suite.short);
  return words.includes('--all') ? whole : whole.filter((suite) => words.includes(suite.part));
}
