// The process in which Node measures: like worker.mjs, but its messages go over the channel to its parent process.

import { loadTril } from 'tril/lessons'; // has the peak loop, and Eigen's product
import { loadTril as loadTraining } from 'tril/training';

process.once('message', async ({ script, call, request }) => {
  const module = await import(script);
  const done = await module[call](request, { loadTril, loadTraining }, (results) =>
    process.send({ results }),
  );
  process.send({ done }, () => process.exit());
});
