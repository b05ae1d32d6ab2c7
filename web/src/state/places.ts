// Places of the site: a chapter by its path; its section and state after the "#", as in
// "attend/#blend?step=weights&head=same". The state contains the visitor's text, and no browser sends the part after
// "#" to a host.

/** Splits "#section?query"; the section is only a scroll target, not part of the state. */
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

/** Hashes of the home page itself. */
const ofHome = /^#?$|^#sentence$|^#(?:sentence)?[?](?:(?:say|like|word|why)=.*)?$/su;

/**
 * Converts old addresses: chapters were once after the "#", as in "#attend/blend?step=weights", and chapter Attend was
 * once at the home page's address. Relative to the home page; null for all other addresses.
 */
export function movedFrom(hash: string, chapters: readonly string[]): string | null {
  const found = new RegExp(`^#(${chapters.join('|')})(?:/([^?]*))?(?:[?](.*))?$`, 's').exec(hash);
  if (!found) return ofHome.test(hash) ? null : `attend/${hash}`;
  const [, chapter, section = '', query = ''] = found;
  return `${chapter}/${hashOf(section, query)}`;
}
