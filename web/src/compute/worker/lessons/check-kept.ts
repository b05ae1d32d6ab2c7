// Tensors of a visitor's files, which are posted once and kept in the Worker until the page releases them.
import type { Tril } from 'tril';
import type { Session } from '../answers';
import type { TensorData } from '../../shared/lessons/layouts';

/** One tensor of a set that was posted together. */
export interface KeptTensor {
  readonly set: number;
  readonly at: number;
}

export interface KeptSessions {
  /** Sends the id of the set, and keeps the set until it is cancelled. */
  keep: {
    ask: { readonly tensors: readonly TensorData[] };
    part: number;
    answer: never;
  };
}

const sets = new Map<number, readonly TensorData[]>();
let newest = 0;

export async function keep(
  _: Tril,
  { tensors }: KeptSessions['keep']['ask'],
  session: Session<number>,
): Promise<never> {
  const set = ++newest;
  sets.set(set, tensors);
  try {
    session.say(set);
    for (;;) await session.next();
  } finally {
    sets.delete(set);
  }
}

export function taken(one: TensorData | KeptTensor): TensorData {
  if (!('set' in one)) return one;
  const tensor = sets.get(one.set)?.[one.at];
  if (!tensor) throw new Error(`Tensor ${one.at} of set ${one.set} is not kept any more.`);
  return tensor;
}
