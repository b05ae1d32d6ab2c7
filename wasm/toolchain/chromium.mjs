// Starts the browser that the set-up found, for tests and benchmarks: nothing is downloaded.
import { findHeadless } from './system.mjs';

/**
 * The menus of the address bar are pages themselves, computed again for every window, even without a visible window:
 * half of the time of opening a page. Chromium only honours the last such list, so it includes Playwright's own.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
];

/** Quiet, and the same everywhere; without the sandbox only where it refuses to start with it. */
export function launchOptions() {
  const executablePath = findHeadless();
  if (!executablePath) throw new Error('no Chromium found; `npm run setup` installs it');
  const asRoot = process.getuid?.() === 0;
  return {
    executablePath,
    args: [
      '--disable-gpu',
      // On a busy machine Chromium's watchdog may end the process that draws all pages, which would then get no more
      // frames.
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
