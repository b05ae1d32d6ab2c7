// The tensors of a visitor's files, kept in the Worker: posted to it once, and referred to by index in every question
// about them.
import type { OwnAsk } from '../../compute/worker/lessons/check';
import type { KeptTensor } from '../../compute/worker/lessons/check-kept';
import type { TensorData } from '../../compute/shared/lessons/layouts';
import { useLessons } from '../../compute/page/lessons.svelte';

interface KeptSet {
  readonly tensors: readonly TensorData[];
  /** Null if the Worker that kept them has failed: then they are sent with each question. */
  readonly number: number | null;
}

export class KeptTensors {
  #set = $state.raw<KeptSet | null>(null);
  readonly #tensors: () => readonly TensorData[];

  /** `tensors` returns the current tensors, and the same array as long as they are unchanged. */
  constructor(tensors: () => readonly TensorData[]) {
    const lessons = useLessons();
    this.#tensors = tensors;
    $effect(() => {
      void lessons.tries;
      const all = tensors();
      if (all.length === 0) return;
      const plain = all.map(({ shape, data }) => ({ shape, data }));
      const begun = lessons.begin(
        'keep',
        { tensors: plain },
        ({ what }) => (this.#set = what === 'failed' ? { tensors: all, number: null } : null),
        (number) => (this.#set = { tensors: all, number: number as number }),
        true,
      );
      return () => begun.cancel();
    });
  }

  /** The Worker has the current tensors, or gets them with each question. */
  get there(): boolean {
    return this.#set?.tensors === this.#tensors();
  }

  /** Converts a question about the current tensors to the form in which it is posted. */
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
