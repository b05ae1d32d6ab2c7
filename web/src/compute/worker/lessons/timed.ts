// How long calls take, and how fast they are by what they cost: for the lessons that time what they count.
import type { Cost, Tril } from 'tril';
import type { LessonsTril } from 'tril/lessons';
import type { CostData } from '../../page/protocol';
import type { Speed, Time } from '../../shared/steady';
import { timeOfEach } from '../timing';
import { costData } from '../../shared/lessons/matrices';

const known = new Map<string, readonly Time[]>();

/** `prepare` makes what the call is given, and gives the call alone: that is timed. */
interface Timed {
  readonly prepare: () => () => unknown;
  readonly cost: Pick<Cost, 'flops'>;
}

/** A call of some sizes. */
export type Call<Sizes> = (tril: LessonsTril, sizes: Sizes) => Timed & { readonly cost: Cost };

/**
 * Each `what` is timed once, so that two figures of one call say the same. What a call leaves behind is gone before
 * the next.
 */
export function timedEach(tril: Tril, what: unknown, all: readonly Timed[]): readonly Speed[] {
  const key = JSON.stringify(what);
  const alone = ({ prepare }: Timed) => {
    const call = prepare();
    return () => tril.scope(() => void call());
  };
  const times = known.get(key) ?? timeOfEach(all.map(alone));
  known.set(key, times);
  return times.map((time, i) => ({
    ...time,
    gigaflops: tril.cost.gigaflops(all[i].cost.flops, time.milliseconds),
  }));
}

/** Answers what the named calls cost, and how long each takes. */
export function callAnswers<
  Ask extends { readonly call: string; readonly sizes: readonly unknown[] },
>(calls: Readonly<Record<Ask['call'], Call<never>>>) {
  const eachOf = (tril: Tril, { call, sizes }: Ask) =>
    sizes.map((one) => calls[call as Ask['call']](tril as LessonsTril, one as never));
  return {
    cost: (tril: Tril, ask: Ask): readonly CostData[] =>
      eachOf(tril, ask).map(({ cost }) => costData(tril, cost)),
    time: (tril: Tril, ask: Ask) => timedEach(tril, ask, eachOf(tril, ask)),
  };
}

export const timed = (tril: Tril, what: unknown, cost: Timed['cost'], call: () => unknown): Speed =>
  timedEach(tril, what, [{ prepare: () => call, cost }])[0];
