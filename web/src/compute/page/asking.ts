// While the page waits for answers it says so on its root, for whatever drives it.
const asking = new Set<object>();

/** `who` waits for an answer, or does not any more. */
export function asks(who: object, waits: boolean): void {
  if (waits) asking.add(who);
  else asking.delete(who);
  document.documentElement.toggleAttribute('data-asking', asking.size > 0);
}

/** For what a session is told without an answer of its own: it shows what was looked at, sooner or later. */
export class Looking<Query> {
  #last: string | null = null;

  at(query: Query): void {
    this.#last = JSON.stringify(query);
    asks(this, true);
  }
  shows(query: Query): void {
    if (JSON.stringify(query) === this.#last) this.over();
  }
  over(): void {
    this.#last = null;
    asks(this, false);
  }
}
