import { defineConfig } from '@playwright/test';
import { served } from './served.ts';

const { port, webServer } = served(4794);

// The same build in Firefox, by puppeteer-core: Playwright's own Firefox would be a download. `npm test` names the
// reports.
export default defineConfig({
  testDir: '.',
  testMatch: 'firefox.smoke.ts',
  outputDir: `../results/firefox${port}`,
  workers: 1, // one browser for all chapters
  timeout: 180_000,
  reporter: 'line',
  use: { baseURL: `http://localhost:${port}/` },
  webServer,
});
