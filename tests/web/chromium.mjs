// The browser that the page is tested in: Debian's Chromium, or whatever else is called so on PATH.
// Playwright downloads none.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findChromium() {
  const own = process.env.CHROMIUM;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  const found = [own, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))].find(
    (path) => path && isProgram(path),
  );
  if (!found)
    throw new Error('no Chromium found; install it (apt-get install chromium) or set CHROMIUM');
  return found;
}

/** Quiet, and the same everywhere; without its sandbox only where it refuses to start with one. */
export function launchOptions() {
  const asRoot = process.getuid?.() === 0;
  return {
    executablePath: findChromium(),
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
