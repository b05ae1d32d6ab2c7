// Long work in pieces, between which the page has its turn: it does not stand still meanwhile.

export class Pieces {
  /** Milliseconds. */
  static readonly #long = 8;
  #begin = performance.now();

  isOver(): boolean {
    return performance.now() - this.#begin > Pieces.#long;
  }

  async next(): Promise<void> {
    await new Promise((later) => setTimeout(later));
    this.#begin = performance.now();
  }
}
