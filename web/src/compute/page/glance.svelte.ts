// A preview measurement at small sizes, made unasked when a visitor comes near a measurement, so that its axes are not
// empty. It takes a tenth of a second of the lessons' Worker, when that is idle.
import { useLessons } from './lessons.svelte';
import type { Begun } from './line';
import type { Measured, MeasureSessions, Plan, Subject } from '../shared/measure-protocol';

interface Seen<S extends Subject> {
  readonly measured: readonly Measured<S>[];
  readonly peak: number | null;
}

export class Glance<S extends Subject> {
  /** Null until everything is measured. */
  seen = $state.raw<Seen<S> | null>(null);
  /** Some times were disturbed. */
  readonly rough = $derived(this.seen?.measured.some(({ steady }) => !steady) ?? false);

  /** Measures once, as soon as `wanted` is true; cancels if it turns false before the end. */
  constructor(subject: S, plan: Omit<Plan<S>, 'brief'>, wanted: () => boolean) {
    const lessons = useLessons();
    $effect(() => {
      if (this.seen || !wanted()) return;
      let begun: Begun<unknown> | null = null;
      const measured: Measured<S>[] = [];
      let peak: number | null = null;
      const hear = (said: MeasureSessions[S]['said']) => {
        if (said.kind === 'measured') measured.push(said.measured as Measured<S>);
        if (said.kind === 'peak') peak = said.gigaflops;
      };
      const back = lessons.whenIdle(() => {
        begun = lessons.begin(
          subject,
          { ...plan, brief: true },
          (end) => {
            if (end.what === 'answer') this.seen = { measured, peak };
          },
          hear as (said: unknown) => void,
        );
      });
      return () => {
        back();
        begun?.cancel();
      };
    });
  }
}

/** The measured results, and those of the preview for sizes that were not measured. */
export const withSeen = <S extends Subject>(
  measured: readonly Measured<S>[],
  seen: readonly Measured<S>[],
): readonly Measured<S>[] => [
  ...measured,
  ...seen.filter(({ runner, n }) => !measured.some((one) => one.runner === runner && one.n === n)),
];
