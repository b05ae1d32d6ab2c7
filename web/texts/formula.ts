// TeX to HTML by KaTeX. The page's policy lets no element carry a style of its own, so that every style KaTeX writes
// becomes a class, named by what it says, and a rule of a stylesheet.
import { createHash } from 'node:crypto';
import katex from 'katex';

/** \role{q}{Q} takes the colour of a role. */
export const macros = { '\\role': '\\htmlClass{role-#1 tinted}{#2}' };

export interface Typeset {
  readonly html: string;
  /** Rules by the names of their classes. */
  readonly styles: ReadonlyMap<string, string>;
}

export function typeset(tex: string, displayMode = false): Typeset {
  const written = katex.renderToString(tex, {
    displayMode,
    macros: { ...macros },
    trust: ({ command }) => command === '\\htmlClass',
    strict: false,
    throwOnError: true,
  });
  const styles = new Map<string, string>();
  const lean = written.replace(/<annotation [^]*?<\/annotation>/gu, ''); // the TeX again
  const html = lean.replace(
    /<([a-z]+)([^>]*?) style="([^"]*)"([^>]*)>/gu,
    (_, tag: string, before: string, style: string, after: string) => {
      const name = `t-${createHash('sha256').update(style).digest('hex').slice(0, 5)}`;
      if ((styles.get(name) ?? style) !== style) throw new Error(`two styles are called ${name}`);
      styles.set(name, style);
      const rest = before + after;
      return rest.includes(' class="')
        ? `<${tag}${rest.replace(' class="', ` class="${name} `)}>`
        : `<${tag} class="${name}"${rest}>`;
    },
  );
  return { html, styles };
}

/** As specific as KaTeX's own rules for what an element is, and after them. */
export function stylesheet(styles: ReadonlyMap<string, string>): string {
  return [...styles]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, style]) => `.katex .${name}.${name} { ${style} }\n`)
    .join('');
}
