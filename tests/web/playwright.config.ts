import { defineConfig } from '@playwright/test';
import { launchOptions } from './chromium.mjs';

const port = 4791;

// The production build, as any static host would serve it. `npm test` builds it first and names the reports.
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: '../results/web',
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
    command: `node ../node_modules/vite/bin/vite.js preview --port ${port} --strictPort --outDir dist`,
    cwd: '../../web',
    port,
    reuseExistingServer: false,
  },
});
