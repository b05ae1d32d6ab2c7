// Keeps the page for visits without a network. Put in front of this when it is built (plugin.ts):
//   version   a hash of all files
//   files     their paths, relative to the page's own
//
// Files below assets/ carry a hash of their content in their name: what is kept under a name is what is
// served under it. Everything else, the page itself first of all, is asked of the network and kept only
// for when that fails, so that nobody sees an old page after an update. A new version waits until no tab
// shows the old one, which may still need its files.
// Of the references, which are larger than the page, what has been read is kept.

/* global version, files */

// Other pages of the same origin have caches, too.
const own = `tril ${self.registration.scope} `;
const name = own + version;

const addressOf = (path) => new URL(path, self.registration.scope).href;
const page = addressOf('./');
const kept = new Set(files.map(addressOf));
const hashed = addressOf('assets/');
const references = ['api/', 'cpp/'].map(addressOf);

/** Milliseconds after which a network that is there but does not answer counts as none. */
const patience = 4000;

async function keepAll() {
  const cache = await caches.open(name);
  const request = (path) =>
    new Request(path, { cache: addressOf(path).startsWith(hashed) ? 'default' : 'reload' });
  await cache.addAll(files.map(request));
}

async function dropOlder() {
  const names = await caches.keys();
  const older = names.filter((each) => each.startsWith(own) && each !== name);
  await Promise.all(older.map((each) => caches.delete(each)));
}

const lookUp = async (address) => (await caches.open(name)).match(address);

async function keptOrFetched(request, address) {
  return (await lookUp(address)) ?? fetch(request);
}

async function fetchedOrKept(address) {
  const fetched = fetch(address, { cache: 'no-cache' });
  const late = new Promise((done) => setTimeout(done, patience));
  const response = await Promise.race([fetched, late]).catch(() => undefined);
  return response?.ok ? response : ((await lookUp(address)) ?? fetched);
}

async function fetchedAndKept(request, address) {
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
  const asked = origin + pathname;
  const address = asked === addressOf('index.html') ? page : asked;
  if (request.method !== 'GET') return;
  if (references.some((folder) => asked.startsWith(folder))) {
    event.respondWith(fetchedAndKept(request, asked));
  }
  if (!kept.has(address)) return;
  event.respondWith(
    address.startsWith(hashed) ? keptOrFetched(request, address) : fetchedOrKept(address),
  );
});
