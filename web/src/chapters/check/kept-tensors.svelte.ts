// What a visitor's files hold, in the Worker: posted to it once, and named by place in every question about them.
import type { OwnAsk } from '../../compute/worker/lessons/check';
import type { KeptTensor } from '../../compute/worker/lessons/check-kept';
import type { TensorData } from '../../compute/shared/lessons/layouts';
import { useLessons } from '../../compute/page/lessons.svelte';

interface KeptSet {
  readonly tensors: readonly TensorData[];
  /** Null where the Worker that had them has failed: then they go along with each question. */
  readonly number: number | null;
}

export class KeptTensors {
  #set = $state.raw<KeptSet | null>(null);
  readonly #tensors: () => readonly TensorData[];

  /** `tensors` gives those of now, by the same objects for as long as they are the same. */
  constructor(tensors: () => readonly TensorData[]) {
    const lessons = useLessons();
    this.#tensors = tensors;
    $effect(() => {
      void lessons.tries;
      const all = tensors();
      if (all.length === 0) return;
      const plain = all.map(({ shape, data }) => ({ shape, data }));
      const begun = lessons.open(
        'keep',
        { tensors: plain },
        (number) => (this.#set = { tensors: all, number }),
        ({ what }) => (this.#set = what === 'failed' ? { tensors: all, number: null } : null),
        true,
      );
      return () => begun.cancel();
    });
  }

  /** The Worker has those of now, or is given them with each question. */
  get there(): boolean {
    return this.#set?.tensors === this.#tensors();
  }

  /** A question about tensors of now as it is posted. */
  readonly posted = (ask: OwnAsk): OwnAsk<TensorData | KeptTensor> => {
    const set = this.#set?.number ?? null;
    if (set === null) return ask;
    const all = this.#tensors();
    const named = ({ data }: TensorData) => ({
      set,
      at: all.findIndex((one) => one.data === data),
    });
    const tensors = Object.entries(ask.tensors).map(([role, one]) => [role, named(one)] as const);
    return {
      ...ask,
      tensors: Object.fromEntries(tensors),
      expected: ask.expected && named(ask.expected),
    };
  };
}
