import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';
import { mainPaths } from './main-paths.ts';
import { served } from './served.ts';
import { notWeekly } from './weekly.ts';

const { port, webServer } = served(4791);

// `npm test` builds the page first, names the reports and selects the main paths only.
export default defineConfig({
  testDir: '.',
  ...(process.env.TRIL_MAIN_PATHS ? mainPaths : { testMatch: '*.spec.ts', ...notWeekly }),
  outputDir: `../results/web${process.env.TRIL_PORT ?? ''}`,
  fullyParallel: true,
  workers: 2,
  timeout: 180_000, // for busy machines
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: {
    baseURL: `http://localhost:${port}/`,
    launchOptions: launchOptions(),
    reuseContext: true, // browser caches of the page, with its compiled code, are filled once per worker
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
    serviceWorkers: 'block', // only the tests about it see it
    // Traces take pictures of the whole page before and after every key, most of a test's time: use `--trace on` for a
    // failed test.
    screenshot: 'only-on-failure',
  },
  webServer,
});
