// A measurement in progress, in a separate Worker so that nothing else disturbs it; and a preview of it at small sizes.
import { untrack } from 'svelte';
import { useLessons } from './lessons.svelte';
import { Line, type Outcome } from './line';
import { Session, type Ask } from './session.svelte';
import type {
  Measured,
  MeasureSessions,
  Plan,
  Subject,
  Subjects,
} from '../shared/measure-protocol';
import { startWorkerAlone } from './start-worker';

export class Measuring<S extends Subject> extends Session<S> {
  peak = $state.raw<number | null>(null);
  measured = $state.raw<readonly Measured<S>[]>([]);
  skipped = $state.raw<readonly { runner: Subjects[S]['runner']; n: number }[]>([]);
  now = $state.raw<{ runner: Subjects[S]['runner']; n: number; again: boolean } | null>(null);
  /** Progress of the plan, 0 to 1. */
  done = $state(0);
  /** Estimated milliseconds of the rest. */
  remaining = $state(0);
  /** Number of results that were still disturbed after all repetitions. */
  readonly unsteady = $derived(this.measured.filter(({ steady }) => !steady).length);

  protected override clear(plan: Ask<S> | null): void {
    super.clear(plan);
    this.peak = null;
    this.measured = [];
    this.skipped = [];
    this.done = 0;
  }

  protected override settle(outcome: Outcome<void>): void {
    super.settle(outcome);
    this.now = null;
    this.done = 1;
  }

  protected override hear(message: MeasureSessions[S]['part']): void {
    if (message.kind === 'peak') this.peak = message.gigaflops;
    else if (message.kind === 'progress') {
      this.done = message.done;
      this.remaining = message.remaining;
      const { runner, n, again } = message;
      this.now = { runner, n, again };
    } else if (message.kind === 'measured') this.measured = [...this.measured, message.measured];
    else this.skipped = [...this.skipped, { runner: message.runner, n: message.n }];
  }
}

/** A measurement, as long as the component that is being created. */
export function useMeasuring<S extends Subject>(subject: S): Measuring<S> {
  const line = new Line(startWorkerAlone);
  $effect(() => () => line.close());
  return new Measuring(subject, line);
}

/**
 * A preview at small sizes, made unasked when a visitor comes near a measurement, so that its axes are not empty. It
 * takes a tenth of a second of the lessons' Worker, when that is idle. Once, as soon as `wanted` is true; it is
 * cancelled if that turns false before the end.
 */
export function usePreview<S extends Subject>(
  subject: S,
  plan: Omit<Plan<S>, 'brief'>,
  wanted: () => boolean,
): Measuring<S> {
  const lessons = useLessons();
  const preview = new Measuring(subject, lessons);
  $effect(() => {
    if (untrack(() => preview.state) === 'finished' || !wanted()) return;
    const back = lessons.whenIdle(() => preview.begin({ ...plan, brief: true } as Ask<S>));
    return () => {
      back();
      preview.cancel();
    };
  });
  return preview;
}

/** The measured results, and those of the preview for sizes that were not measured. */
export const withPreview = <S extends Subject>(
  measured: readonly Measured<S>[],
  seen: readonly Measured<S>[],
): readonly Measured<S>[] => [
  ...measured,
  ...seen.filter(({ runner, n }) => !measured.some((one) => one.runner === runner && one.n === n)),
];
