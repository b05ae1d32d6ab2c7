// Cost of a training step: counted by the core, and timed here part by part, at several sizes.
import type { Trainer, TrainingParts } from 'tril';
import type { TrainingTril } from 'tril/training';
import type { Session } from '../answers';
import { median, steadyUpTo, unrest } from '../../shared/steady';
import type {
  Growth,
  Priced,
  PriceSize,
  Timed,
  TrainingSessions,
} from '../../shared/training/protocol';

type Price = TrainingSessions['price'];

/** Number of sequences in a batch. */
const sequences = 4;
const vocabulary = 64;
/** Growing length of a sequence, then growing width of the model. */
export const sizes: readonly PriceSize[] = [
  ...[32, 64, 128].map((length) => ({ length, width: 64 })),
  ...[32, 128].map((width) => ({ length: 64, width })),
];
const growing = {
  length: sizes.filter(({ width }) => width === 64),
  width: [...sizes.filter(({ length }) => length === 64)].sort((a, b) => a.width - b.width),
};
/** Minimum number of steps and milliseconds of a batch, number of batches, and maximum number of repetitions. */
const [fewest, batchMilliseconds, batches, rounds] = [6, 20, 5, 2];
const kinds = ['forward', 'backward', 'optimizer', 'step'] as const;

const trainerOf = (tril: TrainingTril, { length, width }: PriceSize) =>
  tril.trainer({
    model: { layers: 2, heads: 4, width, context: length, vocabulary },
    ...{ batch: sequences, learningRate: 1e-3, warmup: 0, seed: 1 },
  });

function priced(tril: TrainingTril, size: PriceSize): Priced {
  const trainer = trainerOf(tril, size);
  const cost = trainer.cost(sequences, size.length);
  const all = [cost.forward, cost.backward, cost.optimizer];
  const step = {
    flops: all.reduce((sum, { flops }) => sum + flops, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  return {
    ...size,
    tokens: sequences * size.length,
    parameters: trainer.parameterCount,
    cost: { ...cost, step },
    times: tril.cost.ratio(step.flops, cost.forward.flops),
  };
}

/** Random letters: the content makes no difference to the time. */
function drawn(tril: TrainingTril, length: number) {
  const random = tril.randomUniform([sequences, length + 1], { seed: 1, high: vocabulary });
  const rows = random.toArray<number[][]>().map((row) => row.map(Math.floor));
  random.dispose();
  return { tokens: rows.map((row) => row.slice(0, -1)), targets: rows.map((row) => row.slice(1)) };
}

type Times = TrainingParts<number> & { readonly step: number };

/** The mean of as many steps as fill a batch's time. */
function batchOf(trainer: Trainer, data: ReturnType<typeof drawn>): Times {
  const sum = { forward: 0, backward: 0, optimizer: 0, step: 0 };
  let count = 0;
  do {
    const { parts, milliseconds } = trainer.step(data);
    for (const part of ['forward', 'backward', 'optimizer'] as const) sum[part] += parts[part];
    sum.step += milliseconds;
    count += 1;
  } while (count < fewest || (sum.step < batchMilliseconds && count < 1000));
  const mean = (kind: keyof Times) => sum[kind] / count;
  return {
    ...{ forward: mean('forward'), backward: mean('backward') },
    ...{ optimizer: mean('optimizer'), step: mean('step') },
  };
}

function timedOf(tril: TrainingTril, size: PriceSize, taken: readonly Times[]): Timed {
  const all = kinds.map((kind) => {
    const times = taken.map((each) => each[kind]);
    // A browser's clock may have a resolution of 0.1 ms: for shorter times the mean is more informative.
    const usual = median(times) || times.reduce((sum, time) => sum + time, 0) / times.length;
    return [kind, { median: usual, least: Math.min(...times), most: Math.max(...times) }];
  });
  const spread = Object.fromEntries(all) as Timed['spread'];
  return {
    ...{ ...size, spread },
    steady: unrest(taken.map(({ step }) => step)) <= steadyUpTo,
    times: tril.cost.ratio(spread.step.median, spread.forward.median),
  };
}

async function timed(
  tril: TrainingTril,
  size: PriceSize,
  turn: () => Promise<void>,
): Promise<Timed> {
  const trainer = trainerOf(tril, size);
  try {
    const data = drawn(tril, size.length);
    for (let left = rounds; ; --left) {
      const taken: Times[] = [];
      trainer.step(data); // the warm-up
      while (taken.length < batches) {
        await turn();
        taken.push(batchOf(trainer, data));
      }
      const found = timedOf(tril, size, taken);
      if (found.steady || left === 1) return found;
    }
  } finally {
    trainer.dispose();
  }
}

/** The exponent with which a quantity grows with each size. */
function growth<Each extends PriceSize>(
  tril: TrainingTril,
  all: readonly Each[],
  of: (each: Each) => number,
): Growth {
  const power = (by: keyof PriceSize) => {
    const some = growing[by].map((size) =>
      all.find((one) => one.length === size.length && one.width === size.width)!,
    );
    return tril.scope(() =>
      tril.growth(tril.tensor(some.map((one) => one[by])), tril.tensor(some.map(of))),
    );
  };
  return { length: power('length'), width: power('width') };
}

export async function price(
  tril: TrainingTril,
  _: Price['ask'],
  session: Session<Price['part'], Price['told']>,
): Promise<Price['answer']> {
  const counted = sizes.map((size) => tril.scope(() => priced(tril, size)));
  session.say({ counted, flops: growth(tril, counted, ({ cost }) => cost.step.flops) });
  let waiting = true;
  const turn = async () => {
    await session.turn();
    for (const word of session.told()) waiting = word === 'wait';
    while (waiting) waiting = (await session.next()) === 'wait';
  };
  const all: Timed[] = [];
  for (const size of sizes) {
    all.push(await timed(tril, size, turn));
    session.say({ timed: all.at(-1)! });
  }
  return { milliseconds: growth(tril, all, ({ spread }) => spread.step.median) };
}
