// Makes the page work without a network after the first visit: see src/service-worker.ts.
import { rootHref } from './links';
import { savesData } from './saving';

/** Milliseconds after hydration, so that the cache is filled long after the first figure is there. */
const later = 3000;

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register(rootHref('service-worker.js'));
  } catch {
    // Some hosts and browser settings forbid it; the page then needs its network.
  }
}

export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || savesData()) return;
  setTimeout(register, later);
}
