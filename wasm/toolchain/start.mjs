// `npm start`: sets up, builds, and serves the page until Ctrl-C. The address is the last line.
//
//   npm start -- --port 8080     another port; the next free one if it is taken
//   npm start -- --host          to other machines, too
//   npm start -- --dev           page sources served as they are, reloaded when they change

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSteps } from './build.mjs';
import { setupSteps } from './setup.mjs';
import { StepError, main, root, runSteps } from './steps.mjs';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '5173' },
    host: { type: 'boolean', default: false },
    dev: { type: 'boolean', default: false },
  },
});

async function start() {
  const place = { port: Number(options.port), strictPort: false };
  if (options.host) place.host = true;
  if (!options.dev) return (await import('../../web/serve.mjs')).serve(place);
  const { createServer } = await import('vite');
  process.chdir(join(root, 'web')); // where SvelteKit looks for its files
  const server = await createServer({ logLevel: 'warn', server: place });
  return server.listen();
}

main(async () => {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new StepError(`--port ${options.port} is not a port.`, { advice: 'give 1 to 65535' });
  }
  let server;
  await runSteps([
    ...setupSteps(['page']),
    ...buildSteps({ page: !options.dev }),
    { name: 'Server', work: async () => void (server = await start()) },
  ]);
  const { local, network } = server.resolvedUrls;
  for (const address of network) console.log(`On the network: ${address}`);
  console.log(`\nTril runs here (Ctrl-C ends it): ${local[0]}`);
  await new Promise(() => {}); // Runs until a signal.
});
