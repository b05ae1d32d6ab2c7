// A model is loaded, and kept for questions by its handle as long as its session lasts.
import type { TrainingTril } from 'tril/training';
import type { Session } from '../answers';
import { fetched } from '../fetched';
import type {
  About,
  OpenedAsk,
  OpenedPart,
  RequestKind,
  Source,
} from '../../shared/opened/protocol';
import { requests } from './requests';
import { placesOf, shapeOf } from './shape';
import type { Opened } from './work';

type Own = Session<OpenedPart>;

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
  let bytes = 0;
  const model = await tril.loadModel(files as Record<string, Uint8Array>, {
    signal: session.signal,
    progress: (read, all) => {
      bytes = all;
      if ('files' in source) session.say({ what: 'loading', progress: { read, all } });
      session.turn().catch(() => {}); // then the signal is aborted
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

/** The models that sessions keep open, by handle, each with the end of its last answer. */
const models = new Map<number, { readonly opened: Opened; last: Promise<unknown> }>();
let newest = 0;

/** Answers a question about an open model, after those before it. */
export function answer(
  kind: RequestKind,
  { model, ask }: OpenedAsk,
  session: Session<unknown, unknown>,
): Promise<unknown> {
  const kept = models.get(model);
  if (!kept) throw new Error(`Model ${model} is not open any more.`);
  const found = kept.last.then(async () => {
    await session.turn(); // rejected if nobody wants the answer any more
    return requests[kind](kept.opened, ask as never, session as never);
  });
  const over = () => {};
  kept.last = found.then(over, over);
  return found;
}

export async function opened(tril: TrainingTril, source: Source, session: Own): Promise<never> {
  const { opened: own, about } = await loaded(tril, source, session);
  const model = ++newest;
  const kept = { opened: own, last: Promise.resolve() };
  models.set(model, kept);
  try {
    session.say({ what: 'open', model, about });
    for (;;) await session.next();
  } finally {
    models.delete(model);
    await kept.last;
    own.pupil?.dispose();
    own.model.dispose();
  }
}
