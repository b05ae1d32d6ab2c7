// How tests and benchmarks start the browser that the set-up found: nothing is downloaded.
import { findHeadless } from './system.mjs';

/**
 * The menus of the address bar are pages themselves, computed anew for every window, also where no window is seen:
 * half of what opening a page takes. Chromium keeps the last list only, so Playwright's own is in it.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/** Quiet, and the same everywhere; without its sandbox only where it refuses to start with one. */
export function launchOptions() {
  const executablePath = findHeadless();
  if (!executablePath) throw new Error('no Chromium found; `npm run setup` installs it');
  const asRoot = process.getuid?.() === 0;
  return {
    executablePath,
    args: [
      '--disable-gpu',
      // On a busy machine Chromium's watchdog may end the process that draws all pages: none would get another frame.
      '--disable-gpu-watchdog',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      `--disable-features=${withoutFeatures.join()}`,
      ...(asRoot ? ['--no-sandbox'] : []),
    ],
  };
}
