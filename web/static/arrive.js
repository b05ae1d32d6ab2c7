// Before the first paint.

// Chapters used to be behind the "#": "#attend/blend?step=weights" is "attend/#blend?step=weights" now.
const chapters = 'multiply|average|attend|mask|heads|block|towers|longer|check';
const old = new RegExp(`^#(${chapters})(?:/([^?]*))?([?].*)?$`, 's').exec(location.hash);
// And "attend/" was what the first page showed, which has names of its own now: see state/places.ts.
const own = /^#?$|^#sentence$|^#(?:sentence)?[?](?:(?:say|like|word|why)=.*)?$/s;
const isRoot = document.currentScript.getAttribute('src').startsWith('./');
if (old && isRoot) {
  const [, chapter, section = '', query = ''] = old;
  location.replace(`./${chapter}/${section || query ? `#${section}${query}` : ''}`);
} else if (isRoot && !own.test(location.hash)) location.replace(`./attend/${location.hash}`);

// What is drawn on the page is its first state: of another one only what is said holds.
if (location.hash.includes('?')) document.documentElement.dataset.state = '';

// A figure alone, in another page.
const isAlone = /\/embed\/[^/]+\/[^/]+\/(?:index\.html)?$/.test(location.pathname);
if (isAlone) document.documentElement.dataset.alone = '';

// The theme this visitor chose here, if any. Else the system's holds. A figure alone has that of the page around it.
try {
  const theme = isAlone
    ? new URLSearchParams(location.search).get('theme')
    : localStorage.getItem('tril.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  // And whether questions are to cover what answers them.
  if (localStorage.getItem('tril.veils') === 'none') {
    document.documentElement.dataset.uncovered = '';
  }
} catch {
  // Storage may be forbidden; the system's theme is then as good.
}
