import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../wasm/toolchain/chromium.mjs';
import { mainPaths, unlike } from './main-paths.ts';

/** The languages that `npm run build:pseudo -w web` builds; TRIL_LANGUAGES selects fewer. */
const languages = (process.env.TRIL_LANGUAGES ?? 'en-XA ar-XB').split(' ');
const portOf = (index: number) => 4796 + index;
const use = (index: number) => ({
  baseURL: `http://localhost:${portOf(index)}/`,
  locale: languages[index],
});
// Specs press and read the texts of the first language: messages.ts reads this in every process that runs tests.
Object.assign(process.env, {
  TRIL_LANGUAGE: languages[0],
  TRIL_TEXTS: 'generated/texts',
});

// The page in pseudo-languages, which a script makes from English: tests about these alone, and ways through the page
// that its own tests cover as well.
export default defineConfig({
  testDir: '.',
  outputDir: '../results/pseudo',
  fullyParallel: true,
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: {
    launchOptions: launchOptions(),
    reuseContext: true,
    viewport: { width: 1440, height: 1000 },
    colorScheme: 'light',
    serviceWorkers: 'block',
  },
  projects: [
    ...languages.map((name, i) => ({ name, testMatch: '*.check.ts', use: use(i) })),
    {
      name: `main paths, ${languages[0]}`,
      testMatch: mainPaths.testMatch,
      grep: unlike,
      use: use(0),
    },
  ],
  webServer: languages.map((name, i) => ({
    command: `node serve.mjs --port ${portOf(i)} --dist dist-${name}`,
    cwd: '../../web',
    port: portOf(i),
    reuseExistingServer: false,
  })),
});
