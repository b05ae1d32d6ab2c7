// Serves the built page like any static host: the files and nothing else. Other programs import serve().
//
//   node web/serve.mjs --port 4791 [--dist web/dist]     exactly that port
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { preview } from 'vite';

export const dist = join(fileURLToPath(import.meta.url), '..', 'dist');

/**
 * Browsers cache files whose names change with their contents, as hosts can configure. Nothing is compressed: the files
 * do not travel far, and Vite would compress them for every request.
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

/** Starts Vite's server on { port, strictPort, host }. */
export function serve(place = {}, folder = dist) {
  return preview({
    root: join(folder, '..'),
    configFile: false,
    appType: 'mpa', // no page for missing addresses
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
