// The built page, as any static host serves it: the files and nothing else. Other programs take serve().
//
//   node web/serve.mjs --port 4791 [--dist web/dist]     exactly that port
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { preview } from 'vite';

export const dist = join(fileURLToPath(import.meta.url), '..', 'dist');

/**
 * Files whose names change with what is in them are kept by a browser, as hosts can say. Nothing is compressed: it does
 * not travel, and Vite would compress it anew for everyone who asks.
 */
const headers = {
  name: 'headers',
  configurePreviewServer({ middlewares }) {
    middlewares.use((request, response, next) => {
      delete request.headers['accept-encoding'];
      if (request.url.startsWith('/assets/immutable/')) {
        const { writeHead } = response;
        response.writeHead = (status, fields) =>
          writeHead.call(response, status, { ...fields, ...(status < 300 && kept) });
      }
      next();
    });
  },
};
const kept = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Vite's server: { port, strictPort, host } say where. */
export function serve(place = {}, folder = dist) {
  return preview({
    root: join(folder, '..'),
    configFile: false,
    appType: 'mpa', // no page for addresses that have none
    logLevel: 'warn',
    build: { outDir: folder },
    plugins: [headers],
    preview: place,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { port: { type: 'string' }, dist: { type: 'string', default: dist } };
  const { values } = parseArgs({ options });
  await serve({ port: Number(values.port), strictPort: true }, resolve(values.dist));
}
