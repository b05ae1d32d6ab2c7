// A cache of answers: questions with equal content count as the same, and the same question is not asked twice.
import type { Begun, Outcome } from './line';

/** The content of a question as text, in which any two float32 values differ. Null if it has files or buffers. */
function contentOf(question: unknown): string | null {
  let isAllSaid = true;
  const text = JSON.stringify(question, (_, value: unknown) => {
    if (value instanceof Float32Array) return [...value];
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlain(value)) {
      isAllSaid = false;
      return null;
    }
    const isWritten =
      typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0));
    return isWritten ? value : { number: Object.is(value, -0) ? '-0' : String(value) };
  });
  return isAllSaid ? text : null;
}

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && value.constructor === Object;

/** Whether two questions have equal content. Files and buffers are equal only if they are identical. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  const areLists =
    (Array.isArray(one) && Array.isArray(other)) ||
    (one instanceof Float32Array && other instanceof Float32Array);
  if (areLists) {
    const [these, those] = [one, other] as [ArrayLike<unknown>, ArrayLike<unknown>];
    return (
      these.length === those.length &&
      Array.prototype.every.call(these, (each, i) => isSame(each, those[i]))
    );
  }
  if (!isPlain(one) || !isPlain(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name in other && isSame(one[name], other[name]))
  );
}

type Hear = (outcome: Outcome) => void;

export class Kept {
  readonly #most: number;
  /** The answers, least recently used first. */
  readonly #answers = new Map<string, Outcome>();
  readonly #asked = new Map<string, { begun: Begun | null; readonly hear: Set<Hear> }>();

  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Calls `begin` for a question that was not asked before, or that has files; a question without an answer is asked
   * again the next time.
   */
  ask(question: unknown, begin: (hear: Hear) => Begun, hear: Hear): Begun {
    const content = contentOf(question);
    if (content === null) return begin(hear);
    const known = this.#answers.get(content);
    if (known !== undefined) {
      this.#keep(content, known);
      hear(known);
      return { tell() {}, cancel() {} };
    }
    let asked = this.#asked.get(content);
    if (asked) asked.hear.add(hear);
    else {
      asked = { begun: null, hear: new Set([hear]) };
      this.#asked.set(content, asked);
      const { hear: all } = asked;
      asked.begun = begin((outcome) => {
        this.#asked.delete(content);
        if (outcome.what === 'answer') this.#keep(content, outcome);
        const heard = [...all];
        all.clear();
        for (const each of heard) each(outcome);
      });
    }
    const { begun, hear: all } = asked;
    return {
      tell() {},
      // Others may still want the answer.
      cancel: () => {
        if (!all.delete(hear)) return;
        hear({ what: 'cancelled' });
        if (all.size === 0) begun?.cancel();
      },
    };
  }

  #keep(content: string, answer: Outcome): void {
    this.#answers.delete(content);
    this.#answers.set(content, answer);
    if (this.#answers.size > this.#most) this.#answers.delete(this.#answers.keys().next().value!);
  }
}
