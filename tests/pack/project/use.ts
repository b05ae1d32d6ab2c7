// The package's types in strict TypeScript, and `using`, which tsc compiles for engines without it.
import { loadTril, TrilError, type AttentionTrace, type Tensor } from 'tril';
import { loadTril as loadInWorker, type RemoteTensor } from 'tril/worker';

const tril = await loadTril({ variant: 'simd' });
const remote = await loadInWorker({ variant: 'simd' });

let lent: Tensor;
let sent: RemoteTensor;
{
  using x = tril.tensor([
    [1, 2],
    [3, 4],
  ]);
  const { output, trace } = tril.attention(x, x, x, { causal: true, trace: true });
  const steps: AttentionTrace = trace;
  const rows: number[][] = steps.weights.toArray<number[][]>();
  output.dispose();
  console.log(rows[0]);
  lent = x;

  await using y = await remote.tensor([1, 2, 3]);
  const values: Float32Array = await (await remote.relu(y)).read();
  console.log(values.length, y.shape[0]);
  sent = y;
}
console.log(lent.disposed, sent.disposed);

try {
  // @ts-expect-error no such option
  tril.softmax(lent, { axes: 1 });
} catch (error) {
  if (error instanceof TrilError) console.log(error.message);
}
remote.close();
