import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';

/** Built by `npm run build:pseudo -w web`; TRIL_LANGUAGES takes fewer. */
const languages = (process.env.TRIL_LANGUAGES ?? 'en-XA ar-XB').split(' ');
const portOf = (index: number) => 4796 + index;

// The page in languages that nobody speaks, made from English by a script.
export default defineConfig({
  testDir: '.',
  testMatch: '*.check.ts',
  outputDir: '../results/pseudo',
  fullyParallel: true,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: { launchOptions: launchOptions(), colorScheme: 'light', serviceWorkers: 'block' },
  projects: languages.map((name, i) => ({
    name,
    use: { baseURL: `http://localhost:${portOf(i)}/`, locale: name },
  })),
  webServer: languages.map((name, i) => ({
    command: `node serve.mjs --port ${portOf(i)} --dist dist-${name}`,
    cwd: '../../web',
    port: portOf(i),
    reuseExistingServer: false,
  })),
});
