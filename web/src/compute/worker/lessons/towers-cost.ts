// What the calls of chapter "Two towers" cost: by the core's count, and in milliseconds.
import { additiveWeights } from '../../shared/handmade/towers-weights';
import { additiveInputs, boolean, callOf, plain, readsOf, type TowersAsk } from './towers';
import type { Call } from './timed';

/** The three attentions, cross-attention alone, the whole call, the last step's self-attention, additive attention. */
export type TowersCall = 'attentions' | 'cross' | 'whole' | 'step' | 'additive';

export const towersCall: Call<TowersAsk & { readonly call: TowersCall }> = (tril, ask) => {
  const { call, source, target, words } = ask;
  const { cost } = tril;
  const [S, T] = [source.length, target.length];
  const { width, model } = readsOf(words);
  const attention = (queries: number, keys: number) => cost.attention({ queries, keys, width });
  const additive = () => {
    const { w_q, w_k } = additiveWeights(width, 1); // The same sizes at every gain.
    return cost.additiveAttention({
      ...{ queries: T, keys: S, width: w_q.cols, keyWidth: w_k.cols, valueWidth: width },
      units: w_q.rows,
    });
  };
  const inward = (rows: number) => cost.linear({ rows, in: model, out: width, bias: false });
  const outward = (rows: number) => cost.linear({ rows, in: width, out: model, bias: false });
  const norm = (rows: number) => cost.layerNorm({ rows, width: model, affine: false });
  const network = (rows: number) =>
    cost.feedForward({ rows, width: model, hidden: 2 * model, bias: false });
  const sublayer = (queries: number, keys: number) => [
    ...[inward(queries), inward(keys), inward(keys)],
    ...[attention(queries, keys), outward(queries), norm(queries)],
  ];
  const parts = {
    attentions: [attention(S, S), attention(T, T), attention(T, S)],
    cross: [attention(T, S)],
    step: [attention(1, T)],
    additive: [additive()],
    whole: [
      ...[...sublayer(S, S), network(S), norm(S)],
      ...[...sublayer(T, T), ...sublayer(T, S), network(T), norm(T)],
    ],
  };
  return {
    cost: cost.sum(parts[call]),
    prepare() {
      const { trace, again } = callOf(tril, ask, [0, ...target.slice(0, -1)]);
      const [encoder, decoder] = [trace.encoder[0], trace.decoder[0]];
      const attend = ({ queries, keys, values }: typeof decoder.crossAttention) =>
        tril.attention(queries, keys, values);
      const queries = decoder.queries.read();
      const last = tril.tensor([1, 1, width], queries.slice(queries.length - width));
      const { Q, K, ...weights } = additiveInputs(tril, ask, decoder.crossAttention);
      const values = plain(tril, decoder.crossAttention.values);
      const mask = boolean(tril, ask.masks.memory);
      const calls: Record<TowersCall, () => unknown> = {
        attentions: () => [encoder, decoder, decoder.crossAttention].map(attend),
        cross: () => attend(decoder.crossAttention),
        whole: again,
        step: () => tril.attention(last, decoder.keys, decoder.values),
        additive: () => tril.additiveAttention(Q, K, values, weights, { mask }),
      };
      return calls[call];
    },
  };
};
