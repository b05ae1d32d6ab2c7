// Durations of calls, and their speed by their cost: for the lessons that time what they count.
import type { Cost, Tril } from 'tril';
import type { LessonsTril } from 'tril/lessons';
import type { CostData } from '../../page/protocol';
import type { Speed, Time } from '../../shared/steady';
import { timeOfEach } from '../timing';
import { costData } from '../../shared/lessons/matrices';

const known = new Map<string, readonly Time[]>();

/** `prepare` creates the inputs, and returns the call alone, which is timed. */
interface Timed {
  readonly prepare: () => () => unknown;
  readonly cost: Pick<Cost, 'flops'>;
}

/** A call of some sizes. */
export type Call<Sizes> = (tril: LessonsTril, sizes: Sizes) => Timed & { readonly cost: Cost };

/**
 * Times each `what` once, so that two figures of one call show the same. A call's tensors are disposed of before the
 * next call.
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

/** Answers with the costs of the named calls, and with their durations. */
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
