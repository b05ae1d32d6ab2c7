// TeX to HTML by KaTeX: all formulas of the page are typeset while it is built.
import katex from 'katex';

/** \role{q}{Q} takes the colour of a role. */
const macros = { '\\role': '\\htmlClass{role-#1 tinted}{#2}' };

export function typeset(tex: string, displayMode = false): string {
  const html = katex.renderToString(tex, {
    displayMode,
    macros: { ...macros },
    trust: ({ command }) => command === '\\htmlClass',
    strict: false,
    throwOnError: true,
  });
  return html.replace(/<annotation [^]*?<\/annotation>/gu, ''); // the TeX again
}

const size = /\\size\{(\w+)\}/gu;

/** The names of whole numbers, as `\size{n}`, which are known only when the formula is seen. */
export const sizesIn = (tex: string): readonly string[] => [
  ...new Set([...tex.matchAll(size)].map(([, name]) => name)),
];

/**
 * A formula with sizes, in pieces with a name between any two. All digits are equally high, so what stands around them does
 * not depend on them; how wide they are the browser finds.
 */
export function typesetAround(
  tex: string,
  displayMode = false,
): { readonly pieces: readonly string[]; readonly names: readonly string[] } {
  const all = sizesIn(tex);
  const numberOf = (name: string) => String(907_050_301 + all.indexOf(name));
  const parts = typeset(
    tex.replace(size, (_, name: string) => numberOf(name)),
    displayMode,
  ).split(new RegExp(`(${all.map(numberOf).join('|')})`, 'u'));
  const names = parts.flatMap((part, i) =>
    i % 2 === 1 ? [all.find((one) => numberOf(one) === part)!] : [],
  );
  // Seen, and read aloud: what is split in two would be a number no more.
  if (names.length !== 2 * [...tex.matchAll(size)].length) throw new Error(`not set whole: ${tex}`);
  return { pieces: parts.filter((_, i) => i % 2 === 0), names };
}
