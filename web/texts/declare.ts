// What the files of words are to TypeScript: every key a string or a function of named arguments, every section with
// the names of the snippets that the page has to put into it. English says what there is; other languages follow it.
import type { Node } from 'yaml';
import { argumentsOf, leavesOf, parseMessages, treeOf, writeTree, type Leaf } from './messages';
import type { Section } from './prose';

function typeOf(leaf: Leaf): string {
  const all = [...argumentsOf(leaf)];
  const type = leaf.formula ? 'Html' : 'string';
  if (all.length === 0) return type;
  const fields = all.map(([name, number]) => `${name}: ${number ? 'number' : 'string | number'}`);
  return `(values: { ${fields.join('; ')} }) => ${type}`;
}

export function declareMessages(name: string, source: string): string {
  const tree = treeOf(parseMessages(source).contents as Node);
  return `declare module '${name}' {
  import type { Html } from '$texts';
  const text: ${writeTree(tree, typeOf).replaceAll(/([{,] )"/gu, '$1readonly "')};
  export default text;
}
`;
}

export function declareProse(name: string, sections: readonly Section[]): string {
  const slots = (section: Section) =>
    [...section.text, ...section.after].flatMap(({ slot }) => (slot ? [JSON.stringify(slot)] : []));
  const parts = sections.map(
    (section) =>
      `    readonly ${JSON.stringify(section.id)}: Section<${slots(section).join(' | ') || 'never'}>;`,
  );
  return `declare module '${name}' {
  import type { Section } from '$texts';
  const prose: {
${parts.join('\n')}
  };
  export default prose;
}
`;
}

export const common = `declare module '$texts' {
  /** Of our own making, at build time. */
  export type Html = string & { readonly made: 'html' };
  export type Block<Slot extends string> =
    | { readonly html: Html }
    | { readonly slot: Slot };
  export interface Section<Slot extends string = string> {
    readonly id: string;
    /** Folded behind its lede, until it is asked for. */
    readonly deep: boolean;
    /** What its figure is. */
    readonly title: string;
    readonly text: readonly Block<Slot>[];
    readonly after: readonly Block<Slot>[];
    readonly end: readonly Block<never>[];
  }
  export const language: string;
  export const direction: 'ltr' | 'rtl';
}
declare module '$texts/minutes' {
  /** How long each chapter takes. */
  const minutes: Readonly<Record<string, number>>;
  export default minutes;
}
declare module '$texts/sections' {
  /** The ids of the sections of each chapter, each of which has a figure. */
  const sections: Readonly<Record<string, readonly string[]>>;
  export default sections;
}
`;

/** The keys and arguments in which two files of messages differ. */
export function differences(one: string, other: string): string[] {
  const signatures = (source: string) => {
    const leaves = leavesOf(treeOf(parseMessages(source).contents as Node));
    return new Set(
      leaves.map((leaf) => `${leaf.path}(${[...argumentsOf(leaf).keys()].sort().join(', ')})`),
    );
  };
  const [a, b] = [signatures(one), signatures(other)];
  return [
    ...[...a].filter((each) => !b.has(each)).map((each) => `has no ${each}`),
    ...[...b].filter((each) => !a.has(each)).map((each) => `has ${each}, which English has not`),
  ];
}
