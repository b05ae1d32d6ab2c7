import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';
import { mainPaths } from './main-paths.ts';
import { served } from './served.ts';
import { notWeekly } from './weekly.ts';

const { port, webServer } = served(4791);

// `npm test` builds the page first, names the reports and asks for the main paths only.
export default defineConfig({
  testDir: '.',
  ...(process.env.TRIL_MAIN_PATHS ? mainPaths : { testMatch: '*.spec.ts', ...notWeekly }),
  outputDir: `../results/web${process.env.TRIL_PORT ?? ''}`,
  fullyParallel: true,
  workers: 2,
  timeout: 180_000, // for machines that are busy with something else
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: {
    baseURL: `http://localhost:${port}/`,
    launchOptions: launchOptions(),
    reuseContext: true, // what a browser keeps of a page, its compiled code among it, is fetched once a worker
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
    serviceWorkers: 'block', // only the tests that are about it see it
    // Traces picture the whole page before and after every key, which takes most of a test's time: for a test
    // that has failed, `--trace on`.
    screenshot: 'only-on-failure',
  },
  webServer,
});
