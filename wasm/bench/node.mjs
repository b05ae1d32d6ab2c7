// The process in which Node measures: like worker.mjs, but messages go over the channel to the
// process that started it.

import { loadTril } from 'tril';

process.once('message', async ({ script, call, request }) => {
  const module = await import(script);
  const done = await module[call](request, loadTril, (results) => process.send({ results }));
  process.send({ done }, () => process.exit());
});
