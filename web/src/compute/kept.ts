// Answers that are kept: a question is the same where its content is, and the same is not asked twice.
import type { Begun } from './line';

/** All that a question says, as text; every float32 is told from every other. */
const contentOf = (question: unknown): string =>
  JSON.stringify(question, (_, value: unknown) => {
    if (value instanceof Float32Array) return [...value];
    const isPlain = typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0));
    return isPlain ? value : { number: Object.is(value, -0) ? '-0' : String(value) };
  });

type Hear<Answer> = (answer: Answer | null) => void;

export class Kept<Answer> {
  readonly #most: number;
  /** The one that was wanted last at the end. */
  readonly #answers = new Map<string, Answer>();
  readonly #asked = new Map<string, { begun: Begun | null; readonly hear: Set<Hear<Answer>> }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `begin` asks what nobody has asked yet; without an answer it is asked again the next time. */
  ask(
    question: unknown,
    begin: (hear: Hear<Answer>) => Begun,
    hear: Hear<Answer>,
  ): Pick<Begun, 'cancel'> {
    const content = contentOf(question);
    const known = this.#answers.get(content);
    if (known !== undefined) {
      this.#keep(content, known);
      hear(known);
      return { cancel() {} };
    }
    let asked = this.#asked.get(content);
    if (asked) asked.hear.add(hear);
    else {
      asked = { begun: null, hear: new Set([hear]) };
      this.#asked.set(content, asked);
      const { hear: all } = asked;
      asked.begun = begin((answer) => {
        this.#asked.delete(content);
        if (answer !== null) this.#keep(content, answer);
        const heard = [...all];
        all.clear();
        for (const each of heard) each(answer);
      });
    }
    const { begun, hear: all } = asked;
    return {
      // Others may still want it.
      cancel: () => {
        if (!all.delete(hear)) return;
        hear(null);
        if (all.size === 0) begun?.cancel();
      },
    };
  }

  #keep(content: string, answer: Answer): void {
    this.#answers.delete(content);
    this.#answers.set(content, answer);
    if (this.#answers.size > this.#most) this.#answers.delete(this.#answers.keys().next().value!);
  }
}
