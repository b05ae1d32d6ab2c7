// The address bar as the one place where a chapter's state lives. What is worth going back to makes an
// entry in the browser's history, so that "back" is undo; steps along a figure replace it.
// The browser's own history is used, not SvelteKit's: its entries are kept as they are, so that for SvelteKit all
// changes of one page's state are one place, and only this class hears of them.

import type { Problem } from './fields';
import { hashOf, splitHash } from './places';

export interface Codec<State> {
  readonly encode: (state: State) => string;
  readonly decode: (query: string) => { state: State; problems: Problem[] };
}

/** The address of this page, opened where the element is. */
export function hrefTo(element: Element): string {
  const { query } = splitHash(location.hash);
  const section = element.closest('section[id]');
  const around = document.querySelector('main section[id]') === section ? null : section;
  return new URL(hashOf(around?.id ?? '', query) || './', location.href).href;
}

export class Address<State> {
  state = $state.raw() as State;
  problems = $state.raw<Problem[]>([]);
  /** How many entries back this visit began: undo goes no further. */
  depth = $state(0);

  readonly #codec: Codec<State>;
  #path = '';
  readonly #listen = () => this.#read();

  /** `prerendered`: begins with the state that the page was made with, until it is opened. */
  constructor(codec: Codec<State>, { prerendered }: { prerendered: boolean }) {
    this.#codec = codec;
    if (prerendered) this.state = codec.decode('').state;
    else this.#read();
  }

  /** From now on the state follows the address. Returns what ends that. */
  open(): () => void {
    this.#path = location.pathname;
    this.#read();
    window.addEventListener('popstate', this.#listen);
    return () => window.removeEventListener('popstate', this.#listen);
  }

  /** The address of the state with some changes, for links. */
  href(change: Partial<State>): string {
    const query = this.#codec.encode({ ...this.state, ...change });
    return hashOf('', query) || './';
  }

  /** Changes the state; `undoable` makes it an entry to come back from. */
  set(change: Partial<State>, { undoable }: { undoable: boolean }): void {
    const href = this.href(change);
    this.state = { ...this.state, ...change };
    this.problems = [];
    if (href === (location.hash || './')) return;
    const depth = this.depth + (undoable ? 1 : 0);
    const entry = { ...(history.state as object | null), depth };
    if (undoable) history.pushState(entry, '', href);
    else history.replaceState(entry, '', href);
    this.depth = depth;
  }

  undo(): void {
    if (this.depth > 0) history.back();
  }

  dismiss(): void {
    this.problems = [];
  }

  #read(): void {
    // On the way to another chapter this one stays as it is until it is gone.
    if (this.#path && location.pathname !== this.#path) return;
    const { section, query } = splitHash(location.hash);
    const { state, problems } = this.#codec.decode(query);
    this.state = state;
    // There is no such place here, and there was no chapter of that name.
    const lost = this.#path !== '' && section !== '' && !document.getElementById(section);
    this.problems = lost ? [{ field: 'chapter', found: section }, ...problems] : problems;
    this.depth = (history.state as { depth?: number } | null)?.depth ?? 0;
  }
}
