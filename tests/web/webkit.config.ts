import { defineConfig } from '@playwright/test';
import { served } from './served.ts';

const { port, webServer } = served(4795);

// The same build in WebKitGTK, by its own driver.
export default defineConfig({
  testDir: '.',
  testMatch: 'webkit.smoke.ts',
  outputDir: `../results/webkit${port}`,
  workers: 1, // one browser for all chapters
  timeout: 180_000,
  reporter: 'line',
  use: { baseURL: `http://localhost:${port}/` },
  webServer,
});
