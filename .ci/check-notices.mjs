// The licences beside the page (web/notices.ts): of all that a visitor is given.

const modules = ['Eigen', 'Emscripten', 'musl', 'libc\\+\\+', 'Lezer'];

/** Names whose notice is missing in the text: of what the modules and scripts contain, and of the packages. */
export function checkNotices(text, packages) {
  const has = (name) => new RegExp(`^=+\\n${name}[ ,:]`, 'm').test(text);
  return [...modules, ...packages]
    .filter((name) => !has(name))
    .map((name) => `THIRD-PARTY-NOTICES.txt: nothing of ${name}`);
}
