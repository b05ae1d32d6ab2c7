import { resolve } from 'node:path';
import { defineConfig } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

// Another port and another build than `npm test` takes, for runs side by side.
const port = Number(process.env.TRIL_PORT ?? 4791);
const dist = process.env.TRIL_DIST ? resolve(process.env.TRIL_DIST) : 'dist';

// The production build, as any static host would serve it. `npm test` builds it first and names the reports.
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: `../results/web${process.env.TRIL_PORT ?? ''}`,
  fullyParallel: true,
  workers: 2,
  timeout: 180_000, // for machines that are busy with something else
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: {
    baseURL: `http://localhost:${port}/`,
    launchOptions: launchOptions(),
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
    trace: 'retain-on-failure',
  },
  webServer: {
    command: `node ../node_modules/vite/bin/vite.js preview --port ${port} --strictPort --outDir ${dist}`,
    cwd: '../../web',
    port,
    reuseExistingServer: false,
  },
});
