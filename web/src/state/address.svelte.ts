// The address bar as the only storage of a chapter's state. A change worth undoing adds an entry to the browser's
// history, so that "back" is undo; steps along a figure replace the entry. A figure alone in another page adds none:
// they would be that page's. The class uses the browser's own history, not SvelteKit's, and keeps SvelteKit's data in
// its entries: for SvelteKit all states of one page are one place, and only this class handles the changes.

import { page } from '$app/state';
import { figureAlone } from './alone';
import { excerpt, type Problem } from './fields';
import { mayWrite, writeEntry } from './history';
import { hashOf, splitHash } from './places';

/** Minimum milliseconds between writes during a continuous change, which also writes at its end. */
const pace = 250;
/** After a pause of this many milliseconds a movement of the same slider counts as a new one. */
const pause = 1200;
/** Events that end a movement, or may leave the page. */
const ends = ['pointerup', 'pointercancel', 'click', 'pagehide'] as const;

export interface Codec<State> {
  readonly encode: (state: State) => string;
  readonly decode: (query: string) => { state: State; problems: Problem[] };
}

/** Address of the site's root, from a chapter or from a figure alone. */
export const siteHref = (): string =>
  new URL(figureAlone() ? '../../../' : '../', location.href).href;

/** The address of this page, opened at the element; for a figure alone, that of its chapter. */
export function hrefTo(element: Element): string {
  const { query } = splitHash(location.hash);
  const section = element.closest('section[id]');
  if (figureAlone()) {
    return `${siteHref()}${page.params.chapter}/${hashOf(section?.id ?? '', query)}`;
  }
  const around = document.querySelector('main section[id]') === section ? null : section;
  return new URL(hashOf(around?.id ?? '', query) || './', location.href).href;
}

/** The address of the element's figure alone, in its current state. */
export function hrefAlone(element: Element): string {
  const { query } = splitHash(location.hash);
  const chapter = page.params.chapter ?? page.route.id!.slice(1);
  const { id } = element.closest('section[id]')!;
  return `${siteHref()}embed/${chapter}/${id}/${hashOf('', query)}`;
}

export class Address<State> {
  state = $state.raw() as State;
  problems = $state.raw<Problem[]>([]);
  /** Number of entries since this visit began: undo goes no further back. */
  depth = $state(0);

  readonly #codec: Codec<State>;
  #path = '';
  readonly #listen = () => this.#read();
  readonly #flush = () => mayWrite() && this.#write();
  /**
   * An element may lose the focus when it is removed from the page during rendering, so the write waits until the
   * rendering ends.
   */
  readonly #left = () => queueMicrotask(this.#flush);
  /** The change that the history does not have yet: a new entry, or a new address of the current one. */
  #owed: 'push' | 'replace' | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #written = -Infinity;
  /** The slider that is being moved, and the fields that it changes. */
  #run = { slider: null as Element | null, fields: '', last: -Infinity };

  /** `prerendered`: begins with the state of the prerendered page, until it is opened. */
  constructor(codec: Codec<State>, { prerendered }: { prerendered: boolean }) {
    this.#codec = codec;
    if (prerendered) this.state = codec.decode('').state;
    else this.#read();
  }

  /** From now on the state follows the address. Returns a function that ends that. */
  open(): () => void {
    this.#path = location.pathname;
    this.#read();
    window.addEventListener('popstate', this.#listen);
    for (const end of ends) window.addEventListener(end, this.#flush, { capture: true });
    window.addEventListener('focusout', this.#left, { capture: true });
    return () => {
      this.#write();
      clearTimeout(this.#timer);
      window.removeEventListener('popstate', this.#listen);
      for (const end of ends) window.removeEventListener(end, this.#flush, { capture: true });
      window.removeEventListener('focusout', this.#left, { capture: true });
    };
  }

  /** The address of the state with some changes, for links. */
  href(change: Partial<State>): string {
    const query = this.#codec.encode({ ...this.state, ...change });
    return hashOf('', query) || './';
  }

  /** The state is the default. */
  get untouched(): boolean {
    return this.#codec.encode(this.state) === '';
  }

  /** Changes the state. `undoable` adds an entry to return to, one for a complete movement of a slider. */
  set(change: Partial<State>, { undoable }: { undoable: boolean }): void {
    const entry = this.#movesOn(change) ? false : undoable;
    // A pending change belongs to the entry before.
    if (entry) this.#flush();
    this.state = { ...this.state, ...change };
    this.problems = [];
    if (this.href({}) === (location.hash || './')) {
      if (this.#owed === 'replace') this.#owed = null;
      return;
    }
    if (entry) this.#owed = 'push';
    else this.#owed ??= 'replace';
    const due = entry && mayWrite() ? 0 : this.#written + pace - performance.now();
    if (due <= 0) this.#write();
    else this.#writeIn(due);
  }

  undo(): void {
    this.#write();
    if (this.depth > 0) history.back();
  }

  dismiss(): void {
    this.problems = [];
  }

  /** Whether the change comes from the same slider as the one before, without a pause. */
  #movesOn(change: Partial<State>): boolean {
    const { activeElement } = document;
    const isSlider = activeElement instanceof HTMLInputElement && activeElement.type === 'range';
    const slider = isSlider ? activeElement : null;
    const fields = Object.keys(change).join();
    const before = this.#run;
    this.#run = { slider, fields, last: performance.now() };
    const same = slider !== null && slider === before.slider && fields === before.fields;
    return same && this.#run.last - before.last < pause;
  }

  #writeIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), milliseconds);
  }

  /** Writes the pending change to the history. If the browser refuses, it is tried again. */
  #write(): void {
    if (!this.#owed || (this.#path && location.pathname !== this.#path)) return;
    clearTimeout(this.#timer);
    const push = this.#owed === 'push' && !figureAlone();
    const depth = this.depth + (push ? 1 : 0);
    this.#written = performance.now();
    if (
      !writeEntry({ ...(history.state as object | null), depth }, { push, href: this.href({}) })
    ) {
      this.#writeIn(4 * pace);
      return;
    }
    this.#owed = null;
    this.depth = depth;
  }

  #read(): void {
    // While the next chapter is being loaded, this one keeps its state.
    if (this.#path && location.pathname !== this.#path) return;
    clearTimeout(this.#timer);
    this.#owed = null;
    this.#run = { slider: null, fields: '', last: -Infinity };
    const { section, query } = splitHash(location.hash);
    const { state, problems } = this.#codec.decode(query);
    this.state = state;
    // The page has no such section, and no chapter had that name.
    const lost = this.#path !== '' && section !== '' && !document.getElementById(section);
    this.problems = lost ? [{ field: 'chapter', found: excerpt(section) }, ...problems] : problems;
    this.depth = (history.state as { depth?: number } | null)?.depth ?? 0;
  }
}
