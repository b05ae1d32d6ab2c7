// A model session: the model is loaded, then answers queries as long as the session lasts.
import type { TrainingTril } from 'tril/training';
import { Cancelled, type Session } from '../answers';
import { fetched } from '../fetched';
import type { About, OpenedSaid, OpenedTold, Source } from '../../shared/opened/protocol';
import { requests } from './requests';
import { placesOf, shapeOf } from './shape';
import type { Opened } from './work';

type Own = Session<OpenedSaid, OpenedTold>;

/** Downloads the page's own files. */
async function shipped({ address, bytes }: Extract<Source, { address: string }>, session: Own) {
  const names = Object.keys(bytes);
  const files = names.map((name) => ({ address: address + name, bytes: bytes[name] }));
  const found = await fetched(files, session);
  return Object.fromEntries(names.map((name, i) => [name, found[i]]));
}

const hasTokenizer = (names: readonly string[]) =>
  names.includes('tokenizer.json') ||
  (names.includes('vocab.json') && names.includes('merges.txt'));

async function loaded(tril: TrainingTril, source: Source, session: Own) {
  const files = 'files' in source ? source.files : await shipped(source, session);
  const names = 'files' in source ? source.files.map(({ name }) => name) : Object.keys(files);
  const ending = new AbortController();
  let bytes = 0;
  const model = await tril.loadModel(files as Record<string, Uint8Array>, {
    signal: ending.signal,
    progress: (read, all) => {
      bytes = all;
      if ('files' in source) session.say({ what: 'loading', progress: { read, all } });
      session.turn().catch((error: unknown) => ending.abort(error));
    },
  });
  const shape = shapeOf(model.config);
  const opened: Opened = { tril, model, shape, tokenizer: hasTokenizer(names) };
  const about: About = {
    ...{ shape, bytes, tokenizer: opened.tokenizer, places: placesOf(shape) },
    ...{ parameters: model.parameters.count, memory: model.parameters.bytes },
  };
  return { opened, about };
}

/** Answers queries in order; a query that is dropped before its turn, or meanwhile, is not answered. */
async function answering(opened: Opened, session: Own): Promise<never> {
  const waiting: OpenedTold[] = [];
  for (;;) {
    const told = waiting.shift() ?? (await session.next());
    if (told.what === 'drop') continue;
    const { id, kind, ask } = told;
    const listen = () => {
      waiting.push(...session.told());
      if (waiting.some((one) => one.what === 'drop' && one.id === id)) throw new Cancelled();
    };
    const work = {
      say: (part: unknown) => session.say({ what: 'part', id, part }),
      turn: async () => {
        await session.turn();
        listen();
      },
    };
    try {
      listen();
      const answer = await requests[kind](opened, ask as never, work as never);
      session.say({ what: 'answer', id, answer });
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) throw error;
      await session.turn(); // rejected if nobody wants the model any more
      if (error instanceof Cancelled) continue;
      session.say({ what: 'failed', id, why: (error as Error).message });
    }
  }
}

export async function opened(tril: TrainingTril, source: Source, session: Own): Promise<never> {
  const { opened: own, about } = await loaded(tril, source, session);
  try {
    session.say({ what: 'open', about });
    return await answering(own, session);
  } finally {
    own.pupil?.dispose();
    own.model.dispose();
  }
}
