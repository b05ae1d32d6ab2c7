// The words of the page, for Vite: `$texts/attend.yaml` are the messages and `$texts/attend.md` the prose of a chapter,
// `$texts/minutes` how long each takes and `$texts/sections` what it is made of, in the language that is built, TRIL_LANGUAGE, English if none is asked for. A page is
// built in one language, and carries no word of another. A language is a folder: of ../src/texts, or of TRIL_TEXTS.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { common, declareMessages, declareProse, differences } from './declare';
import { compileMessages } from './messages';
import { compileProse, minutesOf } from './prose';

const prefix = '$texts';
const virtual = `\0${prefix}`;

const language = process.env.TRIL_LANGUAGE ?? 'en';

/** Of files, all told when the root of the page is. */
let web: string;
let english: string;
let folder: string;

/** 'rtl' for scripts that run from right to left. */
function directionOf(name: string): string {
  const locale = new Intl.Locale(name) as Intl.Locale & { textInfo: { direction: string } };
  return locale.textInfo.direction;
}

const said = () =>
  `export const language = ${JSON.stringify(language)};\n` +
  `export const direction = ${JSON.stringify(directionOf(language))};\n`;

/** What the file comes to; a problem with it says which file it is. */
function from<T>(path: string, make: (source: string) => T): T {
  try {
    return make(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Of every chapter. */
function minutes(): string {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.slice(0, -3), from(join(folder, name), minutesOf)] as const);
  return `export default ${JSON.stringify(Object.fromEntries(all))};\n`;
}

/** Their figures: the ids of every chapter's sections, in order. */
function sections(): string {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.slice(0, -3), from(join(folder, name), compileProse).map(({ id }) => id)]);
  return `export default ${JSON.stringify(Object.fromEntries(all))};\n`;
}

function compile(path: string): string {
  if (path.endsWith('.yaml')) return from(path, (source) => compileMessages(source, language));
  const sections = from(path, compileProse).map((section) => [section.id, section]);
  return `export default ${JSON.stringify(Object.fromEntries(sections))};\n`;
}

/** Types for the compiler and the editor; and a language that lacks words, or has too many, is not built. */
function declare(): void {
  const names = readdirSync(english).filter((name) => /\.(yaml|md)$/u.test(name));
  const parts = names.sort().map((name) => {
    const [model, own] = [join(english, name), join(folder, name)];
    const module = `${prefix}/${name}`;
    if (name.endsWith('.md')) {
      const types = (path: string) =>
        from(path, (source) => declareProse(module, compileProse(source)));
      if (types(own) !== types(model))
        throw new Error(`${own}: sections or gaps differ from English`);
      return types(model);
    }
    from(own, (source) => {
      const problems = differences(readFileSync(model, 'utf8'), source);
      if (problems.length > 0) throw new Error(problems.join('; '));
    });
    return from(model, (source) => declareMessages(module, source));
  });
  const file = join(web, 'generated', 'texts.d.ts');
  const text = `// Written by texts/plugin.ts.\n${common}${parts.join('')}`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(join(web, 'generated'), { recursive: true });
  writeFileSync(file, text);
}

export function texts(): Plugin {
  return {
    name: 'texts',
    enforce: 'pre',
    configResolved: ({ root }) => {
      web = root;
      english = join(web, 'src', 'texts', 'en');
      folder = resolve(web, process.env.TRIL_TEXTS ?? join('src', 'texts'), language);
      declare();
    },
    resolveId: (id) =>
      id === prefix || id.startsWith(`${prefix}/`) ? virtual + id.slice(prefix.length) : null,
    load(id) {
      if (!id.startsWith(virtual)) return null;
      if (id === virtual) return said();
      if (id === `${virtual}/minutes`) return minutes();
      if (id === `${virtual}/sections`) return sections();
      const path = join(folder, id.slice(virtual.length + 1));
      this.addWatchFile(path);
      return compile(path);
    },
    handleHotUpdate({ file, server }) {
      if (!file.startsWith(folder)) return;
      declare();
      server.ws.send({ type: 'full-reload' });
    },
  };
}
