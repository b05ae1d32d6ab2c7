// The process in which Node measures: like worker.mjs, but messages go over the channel to the
// process that started it.

import { loadTril } from 'tril/lessons'; // its peak, and Eigen's product
import { loadTril as loadTraining } from 'tril/training';

process.once('message', async ({ script, call, request }) => {
  const module = await import(script);
  const done = await module[call](request, { loadTril, loadTraining }, (results) =>
    process.send({ results }),
  );
  process.send({ done }, () => process.exit());
});
