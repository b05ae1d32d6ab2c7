// The suites: how each is built, run, and where its own report lies. `npm test` without further words runs the `short` ones,
// in the place of longer ones. `missing` says why a suite is skipped on this machine, if it is.

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

/** How long a suite may run, several times as long as it does on two processors; the page's has its own. */
const limit = 20;

export const reportFolder = join(root, 'build', 'reports');

const relaxedFlag = '--experimental-wasm-relaxed-simd';
// A module of one f32x4.relaxed_madd.
const relaxedModule = [
  [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  [10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11],
].flat();

/** The flags with which this Node runs relaxed SIMD: none from Node 22 on, one in Node 20. */
const nodeFlags = WebAssembly.validate(new Uint8Array(relaxedModule)) ? [] : [relaxedFlag];

/** What runs a preset's binary, where it does not run by itself. */
const runners = {
  aarch64: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
};

/**
 * The GoogleTest binary of a preset, natively or in Node; with `isa`, on that instruction set, with `locale`,
 * in that one where the machine has it; with `half`, 1 or 2, only every other of its tests; with `files`, only these.
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
  const found = () => locale && findLocale(locale); // when it is asked: the set-up may bring it
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
    meanwhile: true, // one thread mostly, so that the next build has the other processors
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
      // Not by npx, which runs in the folder of the workspace, tests, instead of this one.
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

/** The package in Node; a run of `npm test` leaves out the further ones. */
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
  minutes: 60, // by FUZZ_SECONDS
  ...vitest,
});

/** The page in Chromium; a run of `npm test` takes the main paths (tests/web/main-paths.ts). */
function page({ short, ...rest }) {
  return nodeRunner({
    part: 'web',
    short,
    alone: true, // two browsers need both processors: without frames no test goes on
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

/** Two of the lanes run as in a program that writes numbers and letters as its users do. */
const locales = { baseline: 'tr_TR.UTF-8', avx2: 'de_DE.UTF-8' };

const suites = [
  googleTest('native', { files: mainFiles, short: true }),
  ...(isas.length > 0 ? isas : [undefined]).map((isa) =>
    googleTest('native', { files: '*_test.cc', isa, locale: isa ? locales[isa] : 'de_DE.UTF-8' }),
  ),
  // By Clang where it is, which needs half of GCC's time and has compiled the core for libFuzzer anyway.
  // In two halves: what is left of them, when all else but the page is done, goes on on two processors.
  ...[1, 2].map((half) =>
    googleTest(findFuzzer() ? 'native-fuzz' : 'native-asan', { half, minutes: 45, long: true }),
  ),
  // Those that depend on how a compiler contracts sums: all of them once a week.
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
    prepare: () => build('native', 'tril_cli'), // and with it all that is installed
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
    meanwhile: true, // one browser, as Firefox's
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

/** Those of `npm test -- WORDS`: folders of tests/, or --all; without any the short ones. */
export function suitesFor(words) {
  if (words.length === 0) return suites.filter((suite) => suite.short);
  const whole = suites.filter((suite) => !suite.short);
  return words.includes('--all') ? whole : whole.filter((suite) => words.includes(suite.part));
}
