// The same calls through `tril` and `tril/worker`.
import { loadTril, TrilError } from 'tril';
import { loadTril as loadInWorker } from 'tril/worker';

/** Works with both: what one gives, the other promises. */
async function use(tril) {
  const x = await tril.tensor([
    [1, 2],
    [3, 4],
  ]);
  const equal = await tril.zeros([2, 2]);
  const { output } = await tril.attention(equal, equal, x, { causal: true });
  const column = await tril.tensor([3, 1], [1, 2, 3]);
  let refused;
  try {
    await tril.matmul(x, column);
  } catch (error) {
    const { name, call, argument, shapes } = error;
    refused = { isTrilError: error instanceof TrilError, name, call, argument, shapes };
  }
  return {
    product: await (await tril.matmul(x, x)).toArray(),
    attention: await output.toArray(),
    refused,
    threads: tril.threads,
  };
}

export async function compute(threads = 1) {
  const remote = await loadInWorker({ threads });
  const worker = await use(remote);
  remote.close();
  return { here: await use(await loadTril()), worker };
}
