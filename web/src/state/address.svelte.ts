// The address bar as the one place where a chapter's state lives. What is worth going back to makes an
// entry in the browser's history, so that "back" is undo; steps along a figure replace it.

import type { Problem } from './fields';

export interface Codec<State> {
  readonly chapter: string;
  readonly encode: (state: State) => string;
  readonly decode: (query: string) => { state: State; problems: Problem[] };
}

/** "#chapter/section?query" in its parts; a section is only where one is led to, and no state. */
export function splitHash(hash: string): { chapter: string; section: string; query: string } {
  const [place, ...rest] = hash.slice(1).split('?');
  const [chapter, section = ''] = place.split('/');
  return { chapter, section, query: rest.join('?') };
}

/** The address of this page, opened where the element is. */
export function hrefTo(element: Element): string {
  const { chapter, query } = splitHash(location.hash);
  const section = element.closest('section[id]');
  const around = document.querySelector('main section[id]') === section ? null : section;
  const place = around ? `${chapter}/${around.id}` : chapter;
  return new URL(query ? `#${place}?${query}` : `#${place}`, location.href).href;
}

export class Address<State> {
  state = $state.raw() as State;
  problems = $state.raw<Problem[]>([]);
  /** How many entries back this visit began: undo goes no further. */
  depth = $state(0);

  readonly #codec: Codec<State>;
  readonly #listen = () => this.#read();

  constructor(codec: Codec<State>) {
    this.#codec = codec;
    this.#read();
    window.addEventListener('popstate', this.#listen);
  }

  /** The address of the state with some changes, for links. */
  href(change: Partial<State>): string {
    const query = this.#codec.encode({ ...this.state, ...change });
    return query ? `#${this.#codec.chapter}?${query}` : `#${this.#codec.chapter}`;
  }

  /** Changes the state; `undoable` makes it an entry to come back from. */
  set(change: Partial<State>, { undoable }: { undoable: boolean }): void {
    const href = this.href(change);
    this.state = { ...this.state, ...change };
    this.problems = [];
    if (href === location.hash) return;
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

  close(): void {
    window.removeEventListener('popstate', this.#listen);
  }

  #read(): void {
    const { chapter, query } = splitHash(location.hash);
    // On the way to another chapter this one stays as it is until it is gone.
    if (this.state && chapter !== '' && chapter !== this.#codec.chapter) return;
    const { state, problems } = this.#codec.decode(query);
    this.state = state;
    // There is no chapter of such a name: this one is shown instead.
    const lost = chapter !== '' && chapter !== this.#codec.chapter;
    this.problems = lost ? [{ field: 'chapter', found: chapter }, ...problems] : problems;
    this.depth = (history.state as { depth?: number } | null)?.depth ?? 0;
  }
}
