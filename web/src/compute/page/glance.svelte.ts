// A first look at small sizes, taken unasked when somebody comes near a measurement, so that its axes are not empty: a tenth of
// a second of the lessons' Worker, when that has nothing else to do.
import { useLessons } from './lessons.svelte';
import type { Begun } from './line';
import type { Measured, MeasureSessions, Plan, Subject } from '../shared/measure-protocol';

interface Seen<S extends Subject> {
  readonly measured: readonly Measured<S>[];
  readonly peak: number | null;
}

export class Glance<S extends Subject> {
  /** Null until all of it is measured. */
  seen = $state.raw<Seen<S> | null>(null);
  /** Something was in the way. */
  readonly rough = $derived(this.seen?.measured.some(({ steady }) => !steady) ?? false);

  /** Taken once, as soon as it is wanted; given up, until it is wanted again, where it is not wanted any more. */
  constructor(subject: S, plan: Omit<Plan<S>, 'brief'>, wanted: () => boolean) {
    const lessons = useLessons();
    $effect(() => {
      if (this.seen || !wanted()) return;
      let begun: Begun<never> | null = null;
      const measured: Measured<S>[] = [];
      let peak: number | null = null;
      const hear = (said: MeasureSessions[S]['said']) => {
        if (said.kind === 'measured') measured.push(said.measured as Measured<S>);
        if (said.kind === 'peak') peak = said.gigaflops;
      };
      const back = lessons.whenIdle(() => {
        begun = lessons.open(subject, { ...plan, brief: true } as never, hear as never, (end) => {
          if (end.what === 'answer') this.seen = { measured, peak };
        });
      });
      return () => {
        back();
        begun?.cancel();
      };
    });
  }
}

/** What was measured, and what was seen at first where nothing else is known. */
export const withSeen = <S extends Subject>(
  measured: readonly Measured<S>[],
  seen: readonly Measured<S>[],
): readonly Measured<S>[] => [
  ...measured,
  ...seen.filter(({ runner, n }) => !measured.some((one) => one.runner === runner && one.n === n)),
];
