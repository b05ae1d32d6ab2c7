// Word vectors in the Worker: loaded, or learned from a share of the speeches, and open to queries all the while.
import type { Tril } from 'tril';
import type { TrainingTril, WordVectors } from 'tril/training';
import { unitRows } from '../../../../../models/meaning.mjs';
import type { Session } from '../answers';
import { fetched } from '../fetched';
import type { MeaningSessions, WordsQuery, WordsStep } from '../../shared/meaning/protocol';
import { indexOf, tableOf, viewOf } from '../../shared/meaning/table';

type Words = MeaningSessions['words'];
type Own = Session<Words['part'], Words['told']>;

/** Parameters of the vectors that are learned here. */
export const learning = { width: 64, epochs: 5, minCount: 10 } as const;
/** Milliseconds between two views. */
const pace = 400;

/** Answers queries about loaded vectors, as long as the session lasts. */
async function loaded(
  tril: Tril,
  file: Uint8Array,
  query: WordsQuery,
  session: Own,
): Promise<never> {
  const table = await tableOf(tril, file);
  try {
    const [words, width] = table.unit.shape;
    session.say({ what: 'begun', about: { words, width, steps: 0 } });
    for (let asked: Words['told'] = query; ; asked = await session.next()) {
      const later = session.told();
      const newest = [asked, ...later].findLast((one) => typeof one === 'object');
      if (newest) session.say({ what: 'view', view: viewOf(tril, table, newest), steps: [] });
    }
  } finally {
    table.unit.dispose();
  }
}

/** The view of the vectors in their current state. */
function viewNow(tril: Tril, vectors: WordVectors, query: WordsQuery) {
  return tril.scope(() => {
    const { words } = vectors;
    const unit = unitRows(tril, vectors.vectors());
    return viewOf(tril, { words, index: indexOf(words), unit }, query);
  });
}

async function learned(
  tril: TrainingTril,
  ask: Words['ask'],
  data: Uint8Array,
  session: Own,
): Promise<never> {
  const vectors = tril.wordVectors({ ...learning, data, seed: ask.seed });
  try {
    const { words, allSteps } = vectors;
    const { width } = learning;
    session.say({ what: 'begun', about: { words: words.length, width, steps: allSteps } });
    let { query } = ask;
    let [waiting, shown] = [true, false];
    let steps: WordsStep[] = [];
    let last = -Infinity;
    const hear = (told: Words['told']) => {
      if (typeof told === 'object') [query, shown] = [told, false];
      else waiting = told === 'wait';
    };
    const show = () => {
      session.say({ what: 'view', view: viewNow(tril, vectors, query), steps });
      [shown, steps, last] = [true, [], performance.now()];
    };
    for (;;) {
      await session.turn();
      session.told().forEach(hear);
      const over = vectors.done >= allSteps;
      if (!shown && (waiting || over)) show();
      if (waiting || over) {
        hear(await session.next());
        continue;
      }
      const { step, loss, words: read, milliseconds } = vectors.step();
      steps.push({ step: step + 1, loss, rate: (1000 * read) / milliseconds });
      shown = false;
      if (performance.now() - last > pace) show();
    }
  } finally {
    vectors.dispose();
  }
}

export async function words(tril: TrainingTril, ask: Words['ask'], session: Own): Promise<never> {
  const [file] = await fetched([ask.file], session);
  return ask.source === 'all'
    ? loaded(tril, file, ask.query, session)
    : learned(tril, ask, file, session);
}
