// A model of letters that learns a visitor's text: its loss beside that of counting, and its samples.
import type { ModelSettings, TokenBatch, Trainer, TrainingSettings } from 'tril';
import type { TrainingTril } from 'tril/training';
import type { Session } from '../answers';
import { gramLosses } from './grams';
import { every, most, sampled, steps } from '../../shared/training/own-limits';
import type { OwnSample, TrainingSessions } from '../../shared/training/protocol';

type Own = TrainingSessions['own'];

const context = 32;
const model = {
  ...{ layers: 1, heads: 4, width: 64, context },
  ...{ biases: false, tiedHead: false },
} as const satisfies ModelSettings;
const training = {
  ...{ batch: 12, learningRate: 1e-2, lowestRate: 1e-3, warmup: 10 },
} as const satisfies TrainingSettings;
/** Standard deviation of the initial weights. */
const deviation = 0.1;
/** Number of letters of a sample that are drawn in one go. */
const piece = 16;

/** Divides a text as the core does: its last tenth, from the beginning of a character, is held out. */
export function parted(text: string): { train: string; heldOut: string } {
  const bytes = new TextEncoder().encode(text);
  let cut = bytes.length - Math.floor(bytes.length / 10);
  while (cut < bytes.length && (bytes[cut] & 0xc0) === 0x80) cut += 1;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    train: decoder.decode(bytes.subarray(0, cut)),
    heldOut: decoder.decode(bytes.subarray(cut)),
  };
}

/** Windows in which each token but the first is predicted once, after at least half a context if there is as much. */
export function windowsOf(tokens: Int32Array, longest = context): TokenBatch {
  const length = Math.min(longest, tokens.length - 1);
  const rows: { tokens: number[]; targets: number[] }[] = [];
  for (let asked = 1; asked < tokens.length;) {
    const step = asked === 1 ? length : Math.ceil(length / 2);
    const from = Math.min(Math.max(0, asked - 1 + step - length), tokens.length - 1 - length);
    const row = [...tokens.subarray(from, from + length)];
    const targets = row.map((_, t) => (from + t + 1 < asked ? -100 : tokens[from + t + 1]));
    rows.push({ tokens: row, targets });
    asked = from + length + 1;
  }
  return { tokens: rows.map((row) => row.tokens), targets: rows.map((row) => row.targets) };
}

/** The longest run of a sample that also occurs in a text, and both positions: the first of equal ones. */
export function longestRun(sample: string, text: string) {
  let found = { from: 0, length: 0, at: 0 };
  for (let from = 0; from + found.length < sample.length; ++from) {
    for (;;) {
      const longer = sample.slice(from, from + found.length + 1);
      const at = text.indexOf(longer);
      if (at < 0 || from + found.length >= sample.length) break;
      found = { from, length: longer.length, at };
    }
  }
  return found;
}

async function write(
  trainer: Trainer,
  seed: number,
  session: Session<Own['part'], Own['told']>,
): Promise<string> {
  const tokens = [...trainer.encode('\n')];
  for (let n = 0; n < sampled; n += piece) {
    await session.turn();
    const prompt = tokens.slice(-context);
    const options = { prompt, maxTokens: piece, temperature: 0.8, seed: seed + n };
    tokens.push(...trainer.generate(options));
  }
  return trainer.decode(tokens.slice(1));
}

export async function own(
  tril: TrainingTril,
  { text, seed }: Own['ask'],
  session: Session<Own['part'], Own['told']>,
): Promise<never> {
  if (text.length > most) throw new Error(`${text.length} letters are more than ${most}`);
  const trainer = tril.trainer({ model, ...training, steps, seed, data: text });
  try {
    tril.scope(() => {
      const matrices = Object.entries(trainer.parameters()).filter(([, { shape }]) => shape[1]);
      const drawn = matrices.map(([name, { shape }], i) => {
        const normal = tril.randomNormal([...shape], { seed: 1_000_000 * seed + i });
        return [name, tril.multiply(normal, deviation)] as const;
      });
      trainer.setParameters(Object.fromEntries(drawn));
    });
    const { train, heldOut } = parted(text);
    const [trained, unseen] = [trainer.encode(train), trainer.encode(heldOut)];
    const { vocabulary } = trainer.settings.model;
    const windows = windowsOf(unseen);
    const known = windowsOf(trained.subarray(0, unseen.length));
    const about = {
      ...{
        letters: trained.length,
        heldOut: unseen.length - 1,
        parameters: trainer.parameterCount,
      },
      grams: gramLosses(tril, trained, unseen, vocabulary),
    };
    const sampleAt = async (step: number): Promise<OwnSample> => {
      const written = await write(trainer, 1_000_000 * seed + 1000 * step, session);
      const { from, length, at } = longestRun(written, train);
      return { step, text: written, from, length, at };
    };
    const say = async (step: number, milliseconds: number[]) =>
      session.say({
        ...(step === 0 && { about }),
        ...{ step, milliseconds },
        ...{ loss: trainer.evaluate(windows).loss, learned: trainer.evaluate(known).loss },
        sample: step % (4 * every) === 0 ? await sampleAt(step) : null,
      });
    await say(0, []);
    let waiting = true;
    for (let step = 0; ;) {
      const milliseconds: number[] = [];
      for (; milliseconds.length < every; ++step) {
        await session.turn();
        for (const word of session.told()) waiting = word === 'wait';
        while (waiting) waiting = (await session.next()) === 'wait';
        milliseconds.push(trainer.step().milliseconds);
      }
      await say(step, milliseconds);
      // The training may be continued: the trainer then uses its lowest rate.
      waiting ||= step % steps === 0;
    }
  } finally {
    trainer.dispose();
  }
}
