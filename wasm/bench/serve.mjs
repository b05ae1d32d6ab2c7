// Serves a folder to a browser on this machine: isolated by default, so that it has threads and precise clocks.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Serves the files below `root`, and an empty page at /; resolves to { url, close }. */
export function serve(root, { isolated = true } = {}) {
  const headers = { 'Cache-Control': 'no-store', ...(isolated && isolation) };
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const type = types[extname(path)] ?? 'application/octet-stream';
    if (path === '/') {
      return response
        .writeHead(200, { ...headers, 'Content-Type': 'text/html' })
        .end('<!doctype html>');
    }
    const file = join(root, path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { ...headers, 'Content-Type': type });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${server.address().port}`;
      resolve({ url, close: () => server.close() });
    });
  });
}
