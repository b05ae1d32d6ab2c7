// How the tests start the browser that the set-up found: nothing is downloaded.
import { findChromium } from '../../wasm/toolchain/system.mjs';

/** Quiet, and the same everywhere; without its sandbox only where it refuses to start with one. */
export function launchOptions() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium found; `npm run setup` installs it');
  const asRoot = process.getuid?.() === 0;
  return {
    executablePath,
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...(asRoot ? ['--no-sandbox'] : []),
    ],
  };
}
