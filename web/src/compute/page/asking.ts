// Marks the page's root while it waits for answers, for tests and other automation.
const asking = new Set<object>();

/** `who` begins or stops to wait for an answer. */
export function asks(who: object, waits: boolean): void {
  if (waits) asking.add(who);
  else asking.delete(who);
  document.documentElement.toggleAttribute('data-asking', asking.size > 0);
}
