// The licences next to the page (web/notices.ts) cover everything that a visitor downloads.

const modules = ['Eigen', 'Emscripten', 'musl', 'libc\\+\\+', 'Lezer'];

/** The names whose notice is missing in the text: code in the modules and scripts, and the packages. */
export function checkNotices(text, packages) {
  const has = (name) => new RegExp(`^=+\\n${name}[ ,:]`, 'm').test(text);
  return [...modules, ...packages]
    .filter((name) => !has(name))
    .map((name) => `THIRD-PARTY-NOTICES.txt: nothing of ${name}`);
}
