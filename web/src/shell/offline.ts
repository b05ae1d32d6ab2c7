// After the first visit the page works without a network: see src/service-worker.ts.
import { rootHref } from './links';
import { savesData } from './saving';

/** Milliseconds after the page has come to life: what is kept is fetched when the first figure is long there. */
const later = 3000;

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register(rootHref('service-worker.js'));
  } catch {
    // Not every host and not every browser setting allows it; the page then needs its network.
  }
}

export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || savesData()) return;
  setTimeout(register, later);
}
