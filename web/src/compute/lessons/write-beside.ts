// What `tril.attention` does on the numbers of an exercise: what a visitor's own is held against.
import type { Tensor, Tril } from 'tril';

export function attentionBeside(
  tril: Tril,
  exercise: string,
  { Q, K, V, X, W_QKV, W_out }: Readonly<Record<string, Tensor>>,
): () => unknown {
  if (exercise === 'causal') return () => tril.attention(Q, K, V, { causal: true });
  if (exercise === 'batches') return () => tril.attention(Q, K, V, { keyLengths: [1024, 700] });
  if (exercise !== 'heads') return () => tril.attention(Q, K, V);
  return () => {
    const [q, k, v] = tril.split(tril.matmul(X, W_QKV), 3, { axis: -1 });
    return tril.matmul(tril.attention(q, k, v, { heads: 4 }).output, W_out);
  };
}
