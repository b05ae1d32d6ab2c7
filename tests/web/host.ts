// A plain static host: it serves files below a sub-path without special headers, like GitHub Pages and others.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The build under test. */
export const dist = process.env.TRIL_DIST
  ? resolve(process.env.TRIL_DIST)
  : join(fileURLToPath(import.meta.url), '../../../web/dist');

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface Host {
  /** The address of the page, with its sub-path. */
  readonly address: string;
  /** Replaces a file's text from now on; the path is relative to the page's. */
  change: (path: string, text: string | null) => void;
  /** Leaves requests for paths that contain `part` unanswered from now on. */
  hold: (part: string) => void;
  /** Sends only half of such files from now on; `left` settles when a client closes its connection. */
  halve: (part: string) => { readonly left: Promise<void>; readonly whole: () => void };
  /** The requested paths, in order. */
  readonly asked: readonly string[];
  close: () => Promise<void>;
}

export async function host(below = '/a/b/'): Promise<Host> {
  const changed = new Map<string, string | null>();
  const held: string[] = [];
  const halved = new Map<string, () => void>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    const path = pathname.slice(below.length).replace(/(^|\/)$/, '$1index.html');
    asked.push(path);
    if (held.some((part) => path.includes(part))) return;
    const send = async () => {
      if (!pathname.startsWith(below)) throw new Error('not ours');
      return changed.has(path) ? changed.get(path)! : await readFile(join(dist, path));
    };
    send().then(
      (body) => {
        if (body === null) return response.writeHead(404).end('Not found');
        const type = types[extname(path)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type });
        const left = [...halved].find(([part]) => path.includes(part))?.[1];
        if (!left) return response.end(body);
        response.on('close', left);
        return response.write(body.slice(0, body.length / 2));
      },
      () => response.writeHead(404).end('Not found'),
    );
  });
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}${below}`,
    change: (path, text) => changed.set(path, text),
    hold: (part) => held.push(part),
    halve: (part) => ({
      left: new Promise((done) => halved.set(part, done)),
      whole: () => halved.delete(part),
    }),
    asked,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
