// TeX to HTML by KaTeX.
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
