// Where things are: a chapter by its path, a section of it and what the chapter shows behind the "#", as
// "attend/#blend?step=weights&head=same". What a visitor has typed is in there, and what is behind a "#" is sent to no
// host.

/** "#section?query" in its parts; a section is only where one is led to, and no state. */
export function splitHash(hash: string): { section: string; query: string } {
  const at = hash.indexOf('?');
  return at < 0
    ? { section: hash.slice(1), query: '' }
    : { section: hash.slice(1, at), query: hash.slice(at + 1) };
}

export function hashOf(section: string, query: string): string {
  if (query) return `#${section}?${query}`;
  return section && `#${section}`;
}

/** What the page of pages has behind its own "#". */
const ofHome = /^#?$|^#sentence$|^#(?:sentence)?[?](?:(?:say|like|word|why)=.*)?$/su;

/**
 * Chapters used to be behind the "#", too: "#attend/blend?step=weights"; and chapter Attend used to be where the page of
 * pages is. Relative to that page; null where it is none of those.
 */
export function movedFrom(hash: string, chapters: readonly string[]): string | null {
  const found = new RegExp(`^#(${chapters.join('|')})(?:/([^?]*))?(?:[?](.*))?$`, 's').exec(hash);
  if (!found) return ofHome.test(hash) ? null : `attend/${hash}`;
  const [, chapter, section = '', query = ''] = found;
  return `${chapter}/${hashOf(section, query)}`;
}
