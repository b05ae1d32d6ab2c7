// `npm test`: sets up, builds, runs suites and ends in one line, `N passed, N failed`.
//
//   npm test                     the core natively, the package in Node, the page's main paths
//   npm run test:all             every suite of suites.mjs
//   npm test -- core wasm        every suite of these folders of tests/
//
// Numbers come from the runners' own reports. A suite that crashes, leaves no report, runs no test,
// or ends with an error though no test failed counts as one failed test.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setupSteps } from '../wasm/toolchain/setup.mjs';
import {
  StepError,
  explain,
  logFolder,
  main,
  root,
  runSteps,
  seconds,
  tail,
} from '../wasm/toolchain/steps.mjs';
import { reportFolder, suitesFor } from './suites.mjs';

const purposes = {
  core: ['core', 'page'],
  wasm: ['page'],
  pack: ['page', 'browser'],
  cli: ['core', 'page'],
  consumer: ['core', 'page'],
  fuzz: ['core', 'page'],
  web: ['page', 'browser'],
};

/** The steps that build and run a suite; `results` gets its counts whatever happens to it. */
function suiteSteps(suite, results) {
  const result = { suite, time: 0, passed: 0, failed: 0, skipped: 0, failures: [] };
  results.push(result);
  result.log = join(logFolder, `${suite.id}.log`);
  const broken = (message) => {
    result.failed += 1;
    result.failures.push({ name: 'the suite itself', message });
  };
  const start = async () => {
    const begin = performance.now();
    try {
      await runSuite(suite, result, broken);
    } catch (error) {
      broken(`${tail(error.log)}\n${error.message}`);
    }
    result.time = performance.now() - begin;
  };
  let running;
  const build = async () => {
    const missing = suite.missing?.();
    if (missing) {
      result.skipped = 1;
      return { note: `skipped: ${missing}` };
    }
    try {
      await suite.prepare();
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      result.log = error.log;
      broken(`${tail(error.log)}\n${error.message}`);
      return { failed: true };
    }
    if (suite.meanwhile) running = start();
  };
  const finish = async () => {
    if (result.failed > 0 && !running) return { failed: true, note: 'not built' };
    if (result.skipped > 0 && !running) return { note: 'skipped' };
    await (running ?? start());
    return { failed: result.failed > 0, note: counts(result) };
  };
  return {
    build: { name: `Build for ${suite.name}`, work: build },
    finish: { name: suite.name, work: finish },
    meanwhile: suite.meanwhile,
    long: suite.long,
    alone: suite.alone,
  };
}

/**
 * Puts builds and runs in order, one after the other; but suites that may run during builds run two at a time, and one
 * of them during another suite. A long suite runs beside all others, and ends before one that runs alone begins.
 */
function inOrder(pairs) {
  const steps = [];
  const running = [];
  const long = pairs.filter((pair) => pair.long).map(({ finish }) => finish);
  const waitFor = (most) => steps.push(...running.splice(0, Math.max(0, running.length - most)));
  for (const { build, finish, meanwhile, long: isLong, alone } of pairs) {
    steps.push(build);
    if (isLong) continue;
    if (alone) {
      waitFor(0);
      steps.push(...long.splice(0));
    }
    if (meanwhile) {
      running.push(finish);
      waitFor(2);
    } else {
      waitFor(1);
      steps.push(finish);
      waitFor(0);
    }
  }
  waitFor(0);
  return [...steps, ...long];
}

async function runSuite(suite, result, broken) {
  rmSync(suite.report, { force: true });
  const code = await suite.run();
  const end = tail(result.log);
  if (!existsSync(suite.report)) return broken(`no report, exit code ${code}\n${end}`);
  Object.assign(result, suite.read(JSON.parse(readFileSync(suite.report, 'utf8'))));
  if (result.failed > 0) return;
  if (code !== 0) broken(`exit code ${code}, though no test failed\n${end}`);
  else if (result.passed === 0) broken('not one test was run');
}

function printFailures(results) {
  for (const { suite, failures, log } of results) {
    for (const { name, message } of failures) {
      console.log(`\nFAILED ${suite.name}: ${name}\n${indent(shorten(message))}`);
    }
    if (failures.length > 0) console.log(`\nThe whole output: ${relative(root, log)}`);
  }
}

const indent = (text) => text.replace(/^/gm, '    ');

function shorten(text = '', lines = 40) {
  const all = text.trimEnd().split('\n');
  return all.length <= lines ? all.join('\n') : [...all.slice(0, lines), '...'].join('\n');
}

function printTable(results) {
  const width = Math.max(...results.map(({ suite }) => suite.name.length));
  console.log(`\n${'suite'.padEnd(width)}  passed  failed  skipped  time`);
  for (const { suite, passed, failed, skipped, time } of results) {
    const cells = [passed, failed, skipped].map((value, i) => String(value).padStart([8, 8, 9][i]));
    console.log(`${suite.name.padEnd(width)}${cells.join('')}  ${seconds(time)}`);
  }
}

const counts = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

main(async () => {
  const known = Object.keys(purposes);
  const asked = process.argv.slice(2);
  const unknown = asked.find((part) => part !== '--all' && !known.includes(part));
  if (unknown) {
    throw new StepError(`No tests named "${unknown}".`, {
      advice: `say ${known.join(', ')}, or --all`,
    });
  }
  const total = await runSuites(suitesFor(asked));
  mkdirSync(reportFolder, { recursive: true });
  writeFileSync(join(reportFolder, 'total.json'), JSON.stringify(total));
  console.log(`\n${counts(total)}`);
  return total.failed > 0 ? 1 : 0;
});

async function runSuites(chosen) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const results = [];
  const setup = setupSteps([
    ...new Set(chosen.flatMap(({ part, purposes: own = [] }) => [...purposes[part], ...own])),
  ]);
  mkdirSync(reportFolder, { recursive: true });
  try {
    const pairs = chosen.map((suite) => suiteSteps(suite, results));
    await runSteps([...setup, ...inOrder(pairs)]);
  } catch (error) {
    explain(error); // Set-up failed: nothing could be tested.
    return { ...total, failed: 1 };
  }
  printFailures(results);
  printTable(results);
  for (const result of results) {
    for (const key of Object.keys(total)) total[key] += result[key];
  }
  return total;
}
