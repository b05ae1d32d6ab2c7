/// <reference types="@sveltejs/kit" />
/// <reference lib="webworker" />
// Keeps the page for visits without a network.
//
// Files below assets/immutable/ carry a hash of their content in their name: what is kept under a name is what is
// served under it. Everything else, the pages themselves first of all, is asked of the network and kept only
// for when that fails, so that nobody sees an old page after an update. A new version waits until no tab
// shows the old one, which may still need its files.
// Of the references, which are larger than the page, what has been read is kept.
// Models are kept once they have been asked for.
// Of the core's builds two are kept: that for this engine, and the same with threads. The one that trains is, once it has been used.
//
// All of it goes out with the headers of cross-origin isolation, which hosts of static files seldom send: a page that comes
// from here may share memory between threads. It loads nothing from elsewhere, so they take nothing from it. A page that is
// open already stays as it is.
import { detectFeatures } from 'tril';

const self = globalThis.self as unknown as ServiceWorkerGlobalScope & {
  /** Put in front of this when all is built: see adapter.js. Paths are relative to the first page's. */
  readonly built: { readonly version: string; readonly files: readonly string[] };
};
const { version, files } = self.built;
const { scope } = self.registration;

// Other pages of the same origin have caches, too.
const own = `tril ${scope} `;
const name = own + version;

const addressOf = (path: string): string => new URL(path, scope).href;
const build = detectFeatures().relaxedSimd ? 'relaxed' : 'simd';
const trains = (path: string) => /\/tril-[a-z-]+-training\b/.test(path);
const isNeeded = (path: string) =>
  (/\/tril-(simd|relaxed)\b/.exec(path)?.[1] ?? build) === build && !trains(path);
const kept = new Set(files.filter(isNeeded).map((path) => addressOf(path || './')));
const hashed = addressOf('assets/immutable/');
const references = ['api/', 'cpp/'].map(addressOf);
const models = addressOf('models/');

/** Milliseconds after which a network that is there but does not answer counts as none. */
const patience = 4000;

function isolated(response: Response): Response {
  if (!response.ok) return response;
  const headers = new Headers(response.headers);
  headers.set('cross-origin-opener-policy', 'same-origin');
  headers.set('cross-origin-embedder-policy', 'require-corp');
  headers.set('cross-origin-resource-policy', 'same-origin');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** As it goes out: what engines make of scripts and modules they note beside what is kept, not beside a copy of it. */
async function keepAll(): Promise<void> {
  const cache = await caches.open(name);
  const keep = async (address: string) => {
    const response = await fetch(address, {
      cache: address.startsWith(hashed) ? 'default' : 'reload',
    });
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    await cache.put(address, isolated(response));
  };
  await Promise.all([...kept].map(keep));
}

async function dropOlder(): Promise<void> {
  const names = await caches.keys();
  const older = names.filter((each) => each.startsWith(own) && each !== name);
  await Promise.all(older.map((each) => caches.delete(each)));
}

const lookUp = async (address: string) => (await caches.open(name)).match(address);

async function keptOrFetched(request: Request, address: string): Promise<Response> {
  return (await lookUp(address)) ?? isolated(await fetch(request));
}

/** Undefined where the network has not answered in time, or not at all. */
function inTime(fetching: Promise<Response>): Promise<Response | undefined> {
  const late = new Promise<undefined>((done) => setTimeout(done, patience));
  return Promise.race([fetching, late]).catch(() => undefined);
}

/** What comes too late is kept all the same: it is there when it is asked for again. */
async function keptOrKeeping(event: FetchEvent, address: string): Promise<Response> {
  const found = await lookUp(address);
  if (found) return found;
  const fetching = fetch(address).then(isolated);
  const keep = async (response: Response) => {
    const copy = response.clone();
    if (response.ok) await (await caches.open(name)).put(address, copy);
  };
  event.waitUntil(fetching.then(keep).catch(() => {}));
  return (await inTime(fetching)) ?? Response.error();
}

async function fetchedOrKept(address: string): Promise<Response> {
  const fetched = fetch(address, { cache: 'no-cache' });
  const response = await inTime(fetched);
  return response?.ok ? isolated(response) : ((await lookUp(address)) ?? fetched);
}

async function fetchedAndKept(request: Request, address: string): Promise<Response> {
  const response = await fetch(request).catch(() => undefined);
  const cache = await caches.open(name);
  if (response?.ok) await cache.put(address, response.clone());
  return response ?? (await cache.match(address)) ?? Response.error();
}

self.addEventListener('install', (event) => event.waitUntil(keepAll()));
self.addEventListener('activate', (event) =>
  event.waitUntil(dropOlder().then(() => self.clients.claim())),
);
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const asked = (origin + pathname).replace(/\/index\.html$/, '/');
  if (request.method !== 'GET') return;
  if (references.some((folder) => asked.startsWith(folder))) {
    event.respondWith(fetchedAndKept(request, asked));
  } else if (asked.startsWith(models) || (asked.startsWith(hashed) && trains(asked))) {
    event.respondWith(keptOrKeeping(event, asked));
  } else if (asked.startsWith(hashed)) {
    // Those of another version as well: an isolated page takes no Worker without these headers.
    event.respondWith(keptOrFetched(request, asked));
  } else if (kept.has(asked)) {
    event.respondWith(fetchedOrKept(asked));
  }
});
