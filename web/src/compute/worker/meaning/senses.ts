// A word in its sentences: its vectors in the masked encoder, layer by layer. The same for the Worker and for tests.
import type { Tensor, Tril } from 'tril';
import type { Model, TrainingTril } from 'tril/training';
import * as meaning from '../../../../../models/meaning.mjs';
import type { Session } from '../answers';
import { fetched } from '../fetched';
import { forwardCost } from '../opened/forward-cost';
import { shapeOf } from '../opened/shape';
import type {
  MeaningSessions,
  Path,
  SensesAbout,
  SensesQuery,
  SensesView,
} from '../../shared/meaning/protocol';

type Senses = MeaningSessions['senses'];
type Own = Session<Senses['part'], Senses['told']>;

export function aboutOf({ config }: Model): SensesAbout {
  const { layers, heads, width, context, vocabulary } = shapeOf(config);
  return { layers, heads, width, context, vocabulary };
}

/** Cost of a pass over a context. */
function costOf(tril: Tril, { config }: Model) {
  const shape = shapeOf(config);
  return forwardCost(tril, shape, { rows: shape.context, tokens: shape.context, causal: false });
}

/** The part of a view that stays while only the visitor's sentence changes. */
interface Known {
  readonly key: string;
  readonly places: readonly (readonly Float32Array[])[];
  readonly passages: ReturnType<typeof meaning.chosenPassages>;
  readonly occurrences: number;
  readonly milliseconds: number;
}

export class Reader {
  readonly #tril: TrainingTril;
  readonly #model: Model;
  readonly #text: string;
  #known: Known | null = null;

  constructor(tril: TrainingTril, model: Model, text: string) {
    this.#tril = tril;
    this.#model = model;
    this.#text = text;
  }

  /** Runs the model on every sentence that is not known yet. */
  async #read(
    query: SensesQuery,
    each: (done: number, all: number) => Promise<void>,
  ): Promise<Known> {
    const { word, cues } = query;
    const key = JSON.stringify([word, cues]);
    if (this.#known?.key === key) return this.#known;
    const begin = performance.now();
    const passages = word === '' ? [] : meaning.chosenPassages(this.#text, { word, cues });
    const occurrences = word === '' ? 0 : meaning.passagesOf(this.#text, word).length;
    const places: Float32Array[][] = [];
    let busy = performance.now() - begin;
    for (const passage of passages) {
      await each(places.length, passages.length);
      const from = performance.now();
      places.push(meaning.placesOf(this.#tril, this.#model, passage));
      busy += performance.now() - from;
    }
    return (this.#known = { key, places, passages, occurrences, milliseconds: busy });
  }

  async view(
    query: SensesQuery,
    each: (done: number, all: number) => Promise<void> = async () => {},
  ): Promise<SensesView> {
    const { places, passages, occurrences, milliseconds } = await this.#read(query, each);
    const [tril, model] = [this.#tril, this.#model];
    const [own] = meaning.passagesOf(query.sentence, query.word || '\n');
    const cost = costOf(tril, model);
    const none = {
      query,
      occurrences,
      paths: [],
      reads: [],
      own: null,
      separation: [],
      shares: [],
      milliseconds,
      cost,
    };
    if (places.length < 3) return none;
    return tril.scope(() => {
      const layers = meaning.layersOf(tril, places);
      const means = layers.map((rows) => meaning.meanOf(tril, rows));
      const apart = layers.map((rows, n) => tril.subtract(rows, means[n]));
      const [count, width] = apart[0].shape;
      const all = new Float32Array(layers.length * count * width);
      apart.forEach((rows, n) => all.set(rows.read(), n * count * width));
      // One map for all layers: a dot then moves only because the layers move it.
      const stacked = tril.tensor([layers.length * count, width], all);
      const { directions } = meaning.principal(tril, stacked);
      const onMap = (rows: Tensor) => tril.matmul(rows, directions, { transposeB: true }).read();
      const squares = (numbers: Float32Array) => numbers.reduce((sum, x) => sum + x * x, 0);
      const maps = apart.map(onMap);
      const paths = passages.map((passage, n): Path => ({
        ...{ sense: passage.sense, line: meaning.lineOf(passage) },
        points: maps.map((map) => [map[2 * n], map[2 * n + 1]]),
      }));
      const senses = passages.map(({ sense }) => sense);
      return {
        ...{ ...none, paths, reads: passages.map((one) => this.#readsOf(one)) },
        separation: layers.map((rows) => meaning.separation(tril, rows, senses)),
        shares: apart.map((rows, n) => squares(maps[n]) / Math.max(squares(rows.read()), 1e-9)),
        own: own ? this.#ownOf(own, query, { layers, means, onMap, senses }) : null,
      };
    });
  }

  #readsOf(passage: meaning.Line): meaning.Reads {
    return meaning.tokensOf(this.#model, passage, meaning.contextOf(this.#model));
  }

  #ownOf(
    passage: meaning.Passage,
    { cues }: SensesQuery,
    on: {
      readonly layers: readonly Tensor[];
      readonly means: readonly Tensor[];
      readonly onMap: (rows: Tensor) => Float32Array;
      readonly senses: readonly meaning.Sense[];
    },
  ): NonNullable<SensesView['own']> {
    const tril = this.#tril;
    const rows = meaning.layersOf(tril, [meaning.placesOf(tril, this.#model, passage)]);
    const counts = [0, 1].map((sense) => on.senses.filter((one) => one === sense).length || 1);
    const groups = Float32Array.from(
      on.senses.flatMap((sense) => [+(sense === 0) / counts[0], +(sense === 1) / counts[1]]),
    );
    const shares = tril.tensor([on.senses.length, 2], groups);
    return {
      ...{ sense: meaning.senseOf(passage, cues), line: meaning.lineOf(passage) },
      points: rows.map((row, n) => {
        const [x, y] = on.onMap(tril.subtract(row, on.means[n]));
        return [x, y];
      }),
      nearer: rows.map((row, n) => {
        const cosines = tril.matmul(row, on.layers[n], { transposeB: true });
        const [first, second] = tril.matmul(cosines, shares).read();
        return [first, second];
      }),
    };
  }
}

export async function senses(tril: TrainingTril, ask: Senses['ask'], session: Own): Promise<never> {
  const names = Object.keys(ask.files);
  const [text, ...files] = await fetched([ask.text, ...Object.values(ask.files)], session);
  const model = await tril.loadModel(Object.fromEntries(names.map((name, i) => [name, files[i]])));
  try {
    session.say({ what: 'open', about: aboutOf(model) });
    const reader = new Reader(tril, model, new TextDecoder().decode(text));
    for (let query = ask.query; ; query = await session.next()) {
      query = session.told().at(-1) ?? query;
      const view = await reader.view(query, async (done, all) => {
        session.say({ what: 'reading', done, all });
        await session.turn();
      });
      session.say({ what: 'view', view });
    }
  } finally {
    model.dispose();
  }
}
