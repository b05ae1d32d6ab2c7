// The requirements on the machine itself, their purposes, and how to install them.
//
// Present means: the file or program exists, however it came there. On Debian and Ubuntu missing packages are installed
// with apt-get, as root or by sudo without a password; elsewhere they are only named.

import { existsSync, accessSync, constants, readFileSync, readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { findLocale } from './locales.mjs';
import { StepError, run, logFolder } from './steps.mjs';

export function findProgram(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // It is not in this folder.
      }
    }
  }
  return undefined;
}

const prefixes = ['/usr', '/usr/local', '/opt/homebrew'];
const findFile = (...paths) => paths.find((path) => existsSync(path));
const findHeader = (...names) =>
  findFile(...prefixes.flatMap((prefix) => names.map((name) => join(prefix, 'include', name))));

/** The browser for the tests, never downloaded: CHROMIUM, else the system's. */
export function findChromium() {
  return (
    process.env.CHROMIUM ||
    findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ||
    findFile(
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
    )
  );
}

/** The headless build of it, which takes a fifth less work; else the usual one. */
export const findHeadless = () =>
  process.env.CHROMIUM || findProgram('chromium-headless-shell') || findChromium();

/** The other browser for the tests, never downloaded either: FIREFOX, else the system's. */
export function findFirefox() {
  return (
    process.env.FIREFOX ||
    findProgram('firefox-esr', 'firefox') ||
    findFile('/Applications/Firefox.app/Contents/MacOS/firefox')
  );
}

/** The driver of WebKitGTK, from Debian's webkit2gtk-driver; it needs a screen, Xvfb's. */
export const findWebKit = () => (findProgram('Xvfb') ? findProgram('WebKitWebDriver') : undefined);

/** A Python with the module, for the programs that the page exports: the one on PATH, else the system's. */
export const findPythonWith = (module) =>
  ['python3', '/usr/bin/python3'].find(
    (program) => spawnSync(program, ['-c', `import ${module}`]).status === 0,
  );

/** GoogleTest's sources, from which its WebAssembly build is made. */
export function findGoogleTest() {
  return findFile('/usr/src/googletest/CMakeLists.txt');
}

/** Whether this machine's Clang can fuzz (Debian: clang and libclang-rt-14-dev). */
export function findFuzzer() {
  if (!findProgram('clang++')) return undefined;
  const { stdout } = spawnSync('clang++', ['-print-runtime-dir'], { encoding: 'utf8' });
  const folder = stdout?.trim();
  if (!folder || !existsSync(folder)) return undefined;
  return readdirSync(folder).find((name) => name.startsWith('libclang_rt.fuzzer'));
}

/** Whether this machine's Clang has LLVM's own standard library (Debian: libc++-dev and libc++abi-dev). */
export function findLibcxx() {
  if (!findProgram('clang++')) return undefined;
  const program = '#include <vector>\nint main() {}';
  const args = ['-stdlib=libc++', '-fsyntax-only', '-x', 'c++', '-'];
  return spawnSync('clang++', args, { input: program }).status === 0 || undefined;
}

/** The program that runs programs for 64-bit ARM, if this machine's Clang can link them. */
export const findArm = () =>
  findProgram('clang++') &&
  existsSync('/usr/aarch64-linux-gnu/lib/libc.so.6') &&
  findProgram('qemu-aarch64');

const features = {
  baseline: [],
  avx2: ['avx2', 'fma'],
  avx512: ['avx512f', 'avx512bw', 'avx512dq', 'avx512vl', 'fma'],
};

/** The instruction sets of core/tril/foundation/isa.h that this machine can run; none if there is no choice. */
export function findIsas() {
  if (process.arch !== 'x64' || !existsSync('/proc/cpuinfo')) return [];
  const flags =
    /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1].split(' ') ?? [];
  return Object.keys(features).filter((isa) => features[isa].every((flag) => flags.includes(flag)));
}

const debianLibraries = ['x86_64', 'aarch64'].map((name) => `/usr/include/${name}-linux-gnu`);

// Purposes: 'page' builds and serves it, 'core' tests the C++, 'browser' tests the page, 'webkit' tests it in a further
// browser, 'lanes' tests with other compilers and processors, 'check' is formatting, 'bench' measures, 'peers' measures
// other libraries.
const requirements = [
  { what: 'git', purposes: ['page'], find: () => findProgram('git'), debian: 'git', brew: 'git' },
  {
    what: 'CMake',
    purposes: ['page', 'core'],
    find: () => findProgram('cmake'),
    debian: 'cmake',
    brew: 'cmake',
  },
  {
    what: 'make',
    purposes: ['page', 'core'],
    find: () => findProgram('make', 'gmake'),
    debian: 'make',
    brew: 'make',
  },
  {
    what: 'Python 3',
    purposes: ['page'],
    find: () => findProgram('python3'),
    debian: 'python3',
    brew: 'python3',
  },
  {
    what: 'Eigen',
    purposes: ['page', 'core'],
    find: () => findHeader('eigen3/Eigen/Core', 'Eigen/Core'),
    debian: 'libeigen3-dev',
    brew: 'eigen',
  },
  {
    what: 'a C++ compiler',
    purposes: ['core'],
    find: () => findProgram('c++', 'g++', 'clang++'),
    debian: 'g++',
    brew: 'llvm',
  },
  {
    what: 'GoogleTest',
    purposes: ['core'],
    find: () => findGoogleTest() && findHeader('gtest/gtest.h'),
    debian: 'libgtest-dev googletest',
    elsewhere: 'fetched by CMake',
  },
  {
    what: 'locales',
    purposes: ['core'],
    find: () => findLocale('de_DE.UTF-8') && findLocale('tr_TR.UTF-8'),
    debian: 'locales',
    elsewhere: 'left out: the tests then run in the C locale alone',
  },
  {
    what: 'libc++',
    purposes: ['lanes'],
    find: findLibcxx,
    debian: 'clang libc++-dev libc++abi-dev',
    elsewhere: 'left out: the library is then not tried on it',
  },
  {
    what: 'ARM',
    purposes: ['lanes'],
    find: findArm,
    debian: 'clang g++-aarch64-linux-gnu qemu-user',
    elsewhere: 'left out: tests are then not run for ARM',
  },
  {
    what: 'CLI11',
    purposes: ['core'],
    find: () => findHeader('CLI/CLI.hpp'),
    debian: 'libcli11-dev',
    brew: 'cli11',
  },
  {
    what: 'nlohmann-json',
    purposes: ['core'],
    find: () => findHeader('nlohmann/json.hpp'),
    debian: 'nlohmann-json3-dev',
    brew: 'nlohmann-json',
  },
  {
    what: 'libzip',
    purposes: ['core'],
    find: () => findHeader('zip.h'),
    debian: 'libzip-dev',
    elsewhere: 'left out: the command line then does not read .npz',
  },
  {
    what: 'MPI',
    purposes: ['core'],
    find: () => findProgram('mpirun') && findProgram('mpicxx', 'mpic++'),
    debian: 'libopenmpi-dev openmpi-bin',
    elsewhere: 'left out: tril train then does not run as several processes',
  },
  {
    what: 'Google Benchmark',
    purposes: ['core', 'bench'],
    find: () => findHeader('benchmark/benchmark.h'),
    debian: 'libbenchmark-dev',
    brew: 'google-benchmark',
  },
  {
    what: 'OpenBLAS',
    purposes: ['peers'],
    // Debian's build with OpenMP, which PyTorch uses there, too: the reference BLAS is ten times slower, and the build
    // with its own threads takes more processors than it is given.
    find: () =>
      isDebian()
        ? findFile(...debianLibraries.map((folder) => `${folder}/openblas-openmp/cblas.h`))
        : findHeader('cblas.h', 'cblas-openblas.h'),
    debian: 'libopenblas-openmp-dev',
    brew: 'openblas',
  },
  {
    what: 'oneDNN',
    purposes: ['peers'],
    find: () => findHeader('dnnl.h', 'oneapi/dnnl/dnnl.h'),
    debian: 'libdnnl-dev',
    brew: 'onednn',
  },
  {
    what: 'Chromium',
    purposes: ['browser'],
    find: findChromium,
    debian: 'chromium',
    brew: '--cask chromium',
  },
  {
    what: 'Chromium without windows',
    purposes: ['browser'],
    find: () => findProgram('chromium-headless-shell') || (!isDebian('debian') && findChromium()),
    debian: 'chromium-headless-shell',
    elsewhere: 'left out: the tests of the page then take longer',
  },
  {
    what: 'Firefox',
    purposes: ['browser'],
    find: findFirefox,
    debian: 'firefox-esr',
    brew: '--cask firefox',
  },
  {
    what: 'WebKitGTK',
    purposes: ['webkit'],
    find: findWebKit,
    debian: 'webkit2gtk-driver xvfb',
    elsewhere: 'left out: the page is then not tried in it',
  },
  ...[
    { what: 'NumPy', module: 'numpy' },
    { what: 'PyTorch', module: 'torch' },
  ].map(({ what, module }) => ({
    what,
    purposes: ['browser'],
    find: () => findPythonWith(module),
    debian: `python3-${module}`,
    elsewhere: 'left out: programs that the page gives away are then not run with it',
  })),
  {
    what: 'Doxygen',
    purposes: ['check'],
    find: () => findProgram('doxygen'),
    debian: 'doxygen',
    elsewhere: 'left out: the page is then built without the C++ reference',
  },
  {
    what: 'clang-format',
    purposes: ['check'],
    find: () => findProgram('clang-format-14', 'clang-format'),
    debian: 'clang-format-14',
    brew: 'clang-format',
  },
];

/** Whether the system is Debian or derived from it; with a name, whether it is that distribution. */
function isDebian(name) {
  try {
    const release = readFileSync('/etc/os-release', 'utf8');
    return name
      ? new RegExp(`^ID="?${name}"?$`, 'm').test(release)
      : /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release);
  } catch {
    return false;
  }
}

export function missingFor(purposes) {
  return requirements.filter(
    (each) => each.purposes.some((purpose) => purposes.includes(purpose)) && !each.find(),
  );
}

/** Installs everything that the purposes need; resolves to a note on what it installed. */
export async function ensureSystem(purposes) {
  const debian = isDebian() && findProgram('apt-get');
  const missing = missingFor(purposes).filter((each) => debian || !each.elsewhere);
  if (missing.length === 0) return '';
  const names = missing.map((each) => each.what).join(', ');
  if (!debian) {
    const brew = `brew install ${missing.map((each) => each.brew).join(' ')}`;
    throw new StepError(`Missing: ${names}.`, {
      advice:
        process.platform === 'darwin'
          ? `run \`${brew}\``
          : `install these with your package manager (on Debian: ${debianNames(missing)})`,
    });
  }
  await aptInstall(missing, names);
  const still = missingFor(purposes);
  if (still.length > 0) {
    throw new StepError(`Still missing: ${still.map((each) => each.what).join(', ')}.`, {
      advice: `see whether \`apt-get install ${debianNames(still)}\` works by hand`,
      log: join(logFolder, 'apt.log'),
    });
  }
  return `installed ${names}`;
}

const debianNames = (missing) => missing.map((each) => each.debian).join(' ');

const aptLine = (missing) =>
  `apt-get update && apt-get install -y --no-install-recommends ${debianNames(missing)}`;

async function aptInstall(missing, names) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) {
    // Everything that any command will ever need, so that this is necessary only once.
    const all = missingFor(requirements.flatMap((each) => each.purposes));
    throw new StepError(`Missing: ${names}, and installing needs an administrator.`, {
      advice: `run this once, then start again:\n\n  sudo sh -c '${aptLine(all)}'\n`,
    });
  }
  const advice = `run this by hand and read what it says:\n\n  sudo sh -c '${aptLine(missing)}'\n`;
  // Waits for another apt-get to finish, and asks no questions.
  const command = [...(isRoot ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive'];
  command.push('apt-get', '-y', '-o', 'DPkg::Lock::Timeout=300');
  const apt = (args, allowFailure) =>
    run(command[0], [...command.slice(1), ...args], { log: 'apt', advice, allowFailure });
  const install = ['install', '--no-install-recommends', ...debianNames(missing).split(' ')];
  if ((await apt(install, true)) === 0) return;
  await apt(['update']); // The lists were missing or old.
  await apt(install);
}
