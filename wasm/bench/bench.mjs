// `npm run bench`: sets up, builds and measures; natively, in Node and in headless Chromium.
//
//   npm run bench -- --quick                   few sizes, few rounds: a minute
//   npm run bench -- --only matmul,softmax     only these groups of cases.mjs
//   npm run bench -- --where node,chromium     only these places; native is the third
//   npm run bench -- --variant simd            this build instead of the best for the engine
//   npm run bench -- --threads 1               without the measurements on two threads
//   npm run bench -- --markdown                tables as Markdown
//   npm run bench -- --into FOLDER             results in this folder instead of build/bench
//
// Tables go to the terminal, everything to build/bench/PLACE.json, the plots to
// build/bench/matmul-PLACE.svg.

import { availableParallelism } from 'node:os';
import { buildSteps } from '../toolchain/build.mjs';
import { setupSteps } from '../toolchain/setup.mjs';
import { main, runSteps } from '../toolchain/steps.mjs';
import { readOptions } from './options.mjs';
import { plot } from './plot.mjs';
import { describeRun, publish } from './publish.mjs';
import { placeTables } from './table.mjs';

const purposes = { native: ['core', 'bench'], node: ['page'], chromium: ['page', 'browser'] };

async function measureIn(place, request, report) {
  // Imported late: these need the packages and the build.
  if (place === 'native') return (await import('./native.mjs')).inNative(request, report);
  const { execArgv, inChromium, inNode } = await import('./places.mjs');
  const work = { script: 'run.mjs', call: 'runBench', request };
  if (place !== 'node') return inChromium(work, report);
  const measured = await inNode(work, report);
  if (request.only.length > 0 && !request.only.includes('loading')) return measured;
  const { measureLoading } = await import('./loading.mjs');
  return { ...measured, cases: [...measured.cases, ...measureLoading(request, execArgv, report)] };
}

main(async () => {
  const { where, request, ...output } = readOptions(purposes, {
    threads: Math.min(2, availableParallelism()),
  });
  const needs = [...new Set(where.flatMap((place) => purposes[place]))];
  const javascript = where.some((place) => place !== 'native');
  await runSteps([...setupSteps(needs), ...(javascript ? buildSteps({ page: false }) : [])]);
  for (const place of where) {
    const measured = await describeRun(place, request, (report) =>
      measureIn(place, request, report),
    );
    publish(measured, place, { ...output, tables: placeTables, plot });
  }
});
