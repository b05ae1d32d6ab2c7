/// <reference types="@sveltejs/kit" />
/// <reference lib="webworker" />
// Keeps the page for visits without a network.
//
// Files below assets/immutable/ have a hash of their content in their name: they are served from the cache. Everything
// else, above all the pages, is requested from the network, and the cached copy is used only if that fails, so that
// nobody sees an old page after an update. A new version waits until no tab shows the old one, which may still need its
// files. References are larger than the page; only those that were read are kept. Models are kept once they have been
// requested, in a separate cache, by a hash of their content: a new version of the page takes over those that have not
// changed. When a page gives up a model that is being downloaded, the download ends. A response that finds no room in
// the cache still goes to the page. Two of the core's builds are kept: the one for this engine, and the same with
// threads; the training build is kept once it has been used.
//
// Every response has the headers of cross-origin isolation, which static hosts seldom send, so that a page from here
// may share memory between threads. The page loads nothing from other origins, so it loses nothing by them. A page that
// is already open stays as it is.
import { detectFeatures } from 'tril';

const self = globalThis.self as unknown as ServiceWorkerGlobalScope & {
  /** Prepended to this file after the build: see adapter.js. Paths are relative to the home page. */
  readonly built: {
    readonly version: string;
    readonly files: readonly string[];
    /** Hashes by path. */
    readonly models: Readonly<Record<string, string>>;
  };
};
const { version, files } = self.built;
const { scope } = self.registration;

// Other pages of the same origin have caches, too.
const own = `tril ${scope} `;
const name = own + version;
const cacheOfModels = `${own}models`;

const addressOf = (path: string): string => new URL(path, scope).href;
const build = detectFeatures().relaxedSimd ? 'relaxed' : 'simd';
const trains = (path: string) => /\/tril-[a-z-]+-training\b/.test(path);
const isNeeded = (path: string) =>
  (/\/tril-(simd|relaxed)\b/.exec(path)?.[1] ?? build) === build && !trains(path);
const kept = new Set(files.filter(isNeeded).map((path) => addressOf(path || './')));
const hashed = addressOf('assets/immutable/');
const references = ['api/', 'cpp/'].map(addressOf);
/** Cache keys of the models by address. */
const models = new Map(
  Object.entries(self.built.models).map(([path, hash]) => {
    const address = addressOf(path);
    return [address, `${address}?${hash}`] as const;
  }),
);

/** Milliseconds after which a network that does not answer counts as offline. */
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

/** Keeps each response with the headers that it is served with: engines store their compiled code with the kept response, not with a copy. */
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
  const mine = [name, cacheOfModels];
  const older = names.filter((each) => each.startsWith(own) && !mine.includes(each));
  await Promise.all(older.map((each) => caches.delete(each)));
  if (!names.includes(cacheOfModels)) return;
  const cache = await caches.open(cacheOfModels);
  const still = new Set(models.values());
  const changed = (await cache.keys()).filter(({ url }) => !still.has(url));
  await Promise.all(changed.map((each) => cache.delete(each)));
}

const lookUp = async (key: string, cache = name) => (await caches.open(cache)).match(key);

async function keptOrFetched(request: Request, address: string): Promise<Response> {
  return (await lookUp(address)) ?? isolated(await fetch(request));
}

/** Undefined if the network has not answered in time, or not at all. */
function inTime(fetching: Promise<Response>): Promise<Response | undefined> {
  const late = new Promise<undefined>((done) => setTimeout(done, patience));
  return Promise.race([fetching, late]).catch(() => undefined);
}

/** The same response; `left` is called if its reader cancels the rest. */
function read({ body, status, statusText, headers }: Response, left: () => void): Response {
  const reader = body!.getReader();
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      left();
      await reader.cancel().catch(() => {});
    },
  });
  return new Response(rest, { status, statusText, headers });
}

/** A late response is still kept, for the next request. */
async function keptOrKeeping(
  event: FetchEvent,
  address: string,
  key: string,
  cache: string,
): Promise<Response> {
  const found = await lookUp(key, cache);
  if (found) return found;
  const ending = new AbortController();
  const { signal } = event.request;
  const end = () => ending.abort();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const fetching = fetch(address, { signal: ending.signal }).then(isolated);
  const keeping = fetching.then(async (response) => {
    const copy = response.clone();
    if (response.ok) await (await caches.open(cache)).put(key, copy);
  });
  event.waitUntil(keeping.catch(() => {}));
  const response = await inTime(fetching);
  return response?.body ? read(response, end) : (response ?? Response.error());
}

async function fetchedOrKept(address: string): Promise<Response> {
  const fetched = fetch(address, { cache: 'no-cache' });
  const response = await inTime(fetched);
  return response?.ok ? isolated(response) : ((await lookUp(address)) ?? fetched);
}

async function fetchedAndKept(request: Request, address: string): Promise<Response> {
  const response = await fetch(request).catch(() => undefined);
  const cache = await caches.open(name);
  if (response?.ok) await cache.put(address, response.clone()).catch(() => {});
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
  } else if (models.has(asked)) {
    event.respondWith(keptOrKeeping(event, asked, models.get(asked)!, cacheOfModels));
  } else if (asked.startsWith(hashed) && trains(asked)) {
    event.respondWith(keptOrKeeping(event, asked, asked, name));
  } else if (asked.startsWith(hashed)) {
    // Workers of another version included: an isolated page refuses a Worker without these headers.
    event.respondWith(keptOrFetched(request, asked));
  } else if (kept.has(asked)) {
    event.respondWith(fetchedOrKept(asked));
  }
});
