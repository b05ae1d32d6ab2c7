// The address bar as the one place where a chapter's state lives. What is worth going back to makes an
// entry in the browser's history, so that "back" is undo; steps along a figure replace it.
// A figure alone in another page makes none: they would be that page's.
// The browser's own history is used, not SvelteKit's: its entries are kept as they are, so that for SvelteKit all
// changes of one page's state are one place, and only this class hears of them.

import { page } from '$app/state';
import { figureAlone } from './alone';
import { excerpt, type Problem } from './fields';
import { mayWrite, writeEntry } from './history';
import { hashOf, splitHash } from './places';

/** Milliseconds: what goes on changing is written this often, and at the end. */
const pace = 250;
/** After a pause this long the same slider begins to be moved anew. */
const pause = 1200;
/** What ends a movement, or may lead away. */
const ends = ['pointerup', 'pointercancel', 'click', 'pagehide'] as const;

export interface Codec<State> {
  readonly encode: (state: State) => string;
  readonly decode: (query: string) => { state: State; problems: Problem[] };
}

/** Where all pages are, from a chapter's or from a figure's alone. */
export const siteHref = (): string =>
  new URL(figureAlone() ? '../../../' : '../', location.href).href;

/** The address of this page, opened where the element is; of a figure alone, that of its chapter. */
export function hrefTo(element: Element): string {
  const { query } = splitHash(location.hash);
  const section = element.closest('section[id]');
  if (figureAlone()) {
    return `${siteHref()}${page.params.chapter}/${hashOf(section?.id ?? '', query)}`;
  }
  const around = document.querySelector('main section[id]') === section ? null : section;
  return new URL(hashOf(around?.id ?? '', query) || './', location.href).href;
}

/** The address of the figure that the element belongs to, alone, as it is now. */
export function hrefAlone(element: Element): string {
  const { query } = splitHash(location.hash);
  const chapter = page.params.chapter ?? page.route.id!.slice(1);
  const { id } = element.closest('section[id]')!;
  return `${siteHref()}embed/${chapter}/${id}/${hashOf('', query)}`;
}

export class Address<State> {
  state = $state.raw() as State;
  problems = $state.raw<Problem[]>([]);
  /** How many entries back this visit began: undo goes no further. */
  depth = $state(0);

  readonly #codec: Codec<State>;
  #path = '';
  readonly #listen = () => this.#read();
  readonly #flush = () => mayWrite() && this.#write();
  /** What has the focus may lose it by being taken off the page, in the middle of drawing: nothing may change before its end. */
  readonly #left = () => queueMicrotask(this.#flush);
  /** What the history does not know yet: a new entry, or another address of the one that is open. */
  #owed: 'push' | 'replace' | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #written = -Infinity;
  /** The slider that is being moved, and what it changes. */
  #run = { slider: null as Element | null, fields: '', last: -Infinity };

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

  /** All is as it is without an address of its own. */
  get untouched(): boolean {
    return this.#codec.encode(this.state) === '';
  }

  /** Changes the state; `undoable` makes it an entry to come back from, one for all of a slider's movement. */
  set(change: Partial<State>, { undoable }: { undoable: boolean }): void {
    const entry = this.#movesOn(change) ? false : undoable;
    // What the entry before has not been told belongs to it.
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

  /** Whether the change is the same slider's as the one before, without a pause. */
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

  /** Tells the history what it does not know yet. A browser that refuses is asked again. */
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
    // On the way to another chapter this one stays as it is until it is gone.
    if (this.#path && location.pathname !== this.#path) return;
    clearTimeout(this.#timer);
    this.#owed = null;
    this.#run = { slider: null, fields: '', last: -Infinity };
    const { section, query } = splitHash(location.hash);
    const { state, problems } = this.#codec.decode(query);
    this.state = state;
    // There is no such place here, and there was no chapter of that name.
    const lost = this.#path !== '' && section !== '' && !document.getElementById(section);
    this.problems = lost ? [{ field: 'chapter', found: excerpt(section) }, ...problems] : problems;
    this.depth = (history.state as { depth?: number } | null)?.depth ?? 0;
  }
}
