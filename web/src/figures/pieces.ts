// Long work in pieces, between which the page stays responsive.

export class Pieces {
  /** Maximum duration of a piece in milliseconds. */
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
