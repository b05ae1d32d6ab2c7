// After the first visit the page works without a network: see web/offline/service-worker.js.

/** Milliseconds after all was loaded: what is kept is fetched when the first figure is long there. */
const later = 3000;

async function register(): Promise<void> {
  try {
    await navigator.serviceWorker.register(new URL('./service-worker.js', document.baseURI));
  } catch {
    // Not every host and not every browser setting allows it; the page then needs its network.
  }
}

export function keepForOffline(): void {
  const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
  if (!import.meta.env.PROD || !('serviceWorker' in navigator) || connection?.saveData) return;
  addEventListener('load', () => setTimeout(register, later));
}
