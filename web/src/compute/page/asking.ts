// Marks the page's root while it waits for answers, for tests and other automation.
const asking = new Set<object>();

/** `who` begins or stops to wait for an answer. */
export function asks(who: object, waits: boolean): void {
  if (waits) asking.add(who);
  else asking.delete(who);
  document.documentElement.toggleAttribute('data-asking', asking.size > 0);
}

/** Waiting for a session that does not answer a query by itself: sooner or later it shows the result of the newest. */
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
