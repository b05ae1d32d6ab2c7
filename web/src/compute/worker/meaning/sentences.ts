// The visitor's sentences in the visitor's encoder. The same for the Worker and for tests.
import type { Tril } from 'tril';
import type { Encoder, TrainingTril } from 'tril/training';
import * as meaning from '../../../../../models/meaning.mjs';
import type { Session } from '../answers';
import type {
  MeaningSessions,
  PooledToken,
  SentencesAbout,
  SentencesQuery,
  SentencesView,
} from '../../shared/meaning/protocol';

type Sentences = MeaningSessions['sentences'];
type Own = Session<Sentences['part'], Sentences['told']>;

function aboutOf({ config, settings, parameters }: Encoder): SentencesAbout {
  const { width, pooling, normalised, maxTokens } = settings;
  const [layers, heads] = ['num_hidden_layers', 'num_attention_heads'].map(
    (name) => config[name] as number,
  );
  return {
    ...{ layers, heads, width, pooling, normalised, maxTokens },
    parameters: parameters.count,
  };
}

/**
 * Share of each token in the pooling. For the mean m of T vectors h it is (h . m) / (T m . m), and the shares add up to
 * 1. For the maximum it is the share of elements in which the token is the first with the largest value.
 */
export function sharesOf(
  pooling: SentencesAbout['pooling'],
  vectors: Float32Array,
  width: number,
): number[] {
  const count = vectors.length / width;
  const at = (t: number, i: number) => vectors[t * width + i];
  const elements = Array.from({ length: width }, (_, i) => i);
  const tokens = Array.from({ length: count }, (_, t) => t);
  if (pooling === 'cls') return tokens.map((t) => +(t === 0));
  if (pooling === 'max') {
    const firsts = elements.map((i) =>
      tokens.reduce((best, t) => (at(t, i) > at(best, i) ? t : best), 0),
    );
    return tokens.map((t) => firsts.filter((first) => first === t).length / width);
  }
  const mean = elements.map((i) => tokens.reduce((sum, t) => sum + at(t, i), 0) / count);
  const square = mean.reduce((sum, x) => sum + x * x, 0);
  return tokens.map((t) =>
    square > 0 ? elements.reduce((sum, i) => sum + at(t, i) * mean[i], 0) / (count * square) : 0,
  );
}

function pooledOf(encoder: Encoder, sentence: string): PooledToken[] {
  const { tokens, vectors } = encoder.hidden(sentence);
  const { pooling, width } = encoder.settings;
  const shares = sharesOf(pooling, vectors.read(), width);
  return Array.from(tokens, (token, t) => ({ text: encoder.decode([token]), share: shares[t] }));
}

export function viewOf(tril: Tril, encoder: Encoder, query: SentencesQuery): SentencesView {
  const { sentences, pick } = query;
  const begin = performance.now();
  const count = sentences.length;
  if (count === 0) {
    const cosines = { rows: 0, cols: 0, data: new Float32Array() };
    return { query, points: [], share: 0, cosines, tokens: [], milliseconds: 0 };
  }
  return tril.scope(() => {
    const vectors = encoder.encode(sentences);
    const milliseconds = performance.now() - begin;
    const apart = tril.subtract(vectors, meaning.meanOf(tril, vectors));
    const { directions, share } = meaning.principal(tril, apart);
    const places = tril.matmul(apart, directions, { transposeB: true }).read();
    const data = encoder.similarity(vectors).read();
    return {
      ...{ query, milliseconds, cosines: { rows: count, cols: count, data } },
      points: sentences.map((_, n): [number, number] => [places[2 * n], places[2 * n + 1]]),
      share,
      tokens: pooledOf(encoder, sentences[Math.min(pick, count) - 1]),
    };
  });
}

export async function sentences(
  tril: TrainingTril,
  ask: Sentences['ask'],
  session: Own,
): Promise<never> {
  const encoder = await tril.loadEncoder(ask.files as never, {
    signal: session.signal,
    progress: (read, all) => {
      session.say({ what: 'loading', progress: { read, all } });
      session.turn().catch(() => {}); // then the signal is aborted
    },
  });
  try {
    session.say({ what: 'open', about: aboutOf(encoder) });
    for (let query = ask.query; ; query = await session.next()) {
      query = session.told().at(-1) ?? query;
      session.say({ what: 'view', view: viewOf(tril, encoder, query) });
    }
  } finally {
    encoder.dispose();
  }
}
