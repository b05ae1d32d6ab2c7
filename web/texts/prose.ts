// A chapter's Markdown to its sections. Beside CommonMark it knows
//   # Heading {#id}       where a section begins; the paragraph after it is the lede
//   ## Heading {#id deep} one that is folded behind its lede, until it is asked for
//   :q[query]             words in the colour of a role
//   $W_Q$, $$...$$        formulas, typeset here
//   :::small ... :::      small print
//   ::name                where the page puts a component of its own
//   ::figure[What it is]  where the figure stands, on narrow screens; every section has one
//   ::end                 what stands at the end of a chapter, across the page
//   [words](multiply)     a link to a chapter, or to a state of it: [words](write#?exercise=causal)
import type { Root, RootContent, PhrasingContent } from 'mdast';
import type { LeafDirective, TextDirective, ContainerDirective } from 'mdast-util-directive';
import remarkDirective from 'remark-directive';
import remarkMath from 'remark-math';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import rehypeStringify from 'rehype-stringify';
import { unified } from 'unified';
import { typeset } from './formula';

export interface Block {
  readonly html?: string;
  /** The name of the snippet that stands here. */
  readonly slot?: string;
}

export interface Section {
  readonly id: string;
  /** Folded behind its lede, until it is asked for. */
  readonly deep: boolean;
  /** What its figure is. */
  readonly title: string;
  readonly text: readonly Block[];
  /** What stands below the figure on narrow screens. */
  readonly after: readonly Block[];
  /** What stands across the page, at the end of a chapter. */
  readonly end: readonly Block[];
}

export const roles = ['q', 'k', 'v', 'x', 'weight', 'score'];

type Directive = LeafDirective | TextDirective | ContainerDirective;

const parser = unified().use(remarkParse).use(remarkMath).use(remarkDirective);

function fail(problem: string, node?: { position?: { start: { line: number } } }): never {
  throw new Error(`${problem}${node?.position ? `, in line ${node.position.start.line}` : ''}`);
}

const plain = (nodes: readonly PhrasingContent[]): string =>
  nodes
    .map((node) => ('value' in node ? node.value : 'children' in node ? plain(node.children) : ''))
    .join('');

/** What directives become; an unknown one is a slip of the pen, such as a colon before a letter. */
function directive(node: Directive): void {
  const data = (node.data ??= {}) as { hName?: string; hProperties?: Record<string, string> };
  if (node.type === 'textDirective' && roles.includes(node.name)) {
    data.hName = 'span';
    data.hProperties = { className: `role-${node.name}` };
  } else if (node.type === 'containerDirective' && node.name === 'small') {
    for (const child of node.children)
      child.data = { hProperties: { className: 'small' } } as never;
  } else {
    fail(`no directive is called "${node.name}"`, node);
  }
}

function visit(node: RootContent | Root): void {
  if (/Directive$/u.test(node.type)) directive(node as Directive);
  if ('children' in node) for (const child of node.children) visit(child as RootContent);
}

const formula = (tex: string, display: boolean) => ({
  type: 'raw' as const,
  value: display ? `<p class="display">${typeset(tex, true)}</p>` : typeset(tex),
});

type All = { readonly all: (node: unknown) => unknown[] };

const html = unified()
  .use(remarkRehype, {
    allowDangerousHtml: true,
    handlers: {
      inlineMath: (_: unknown, node: { value: string }) => formula(node.value, false),
      math: (_: unknown, node: { value: string }) => formula(node.value, true),
      containerDirective: ({ all }: All, node: unknown) => all(node),
      // Where a chapter is, only the page knows that it stands on: Blocks.svelte says it.
      link: ({ all }: All, node: { url: string }) => ({
        type: 'element',
        tagName: 'a',
        properties: { href: /^[a-z]+(?:#|$)/u.test(node.url) ? `chapter:${node.url}` : node.url },
        children: all(node),
      }),
    } as never,
  })
  .use(rehypeStringify, { allowDangerousHtml: true });

function typesetBlocks(nodes: readonly RootContent[]): string {
  const tree: Root = { type: 'root', children: [...nodes] };
  visit(tree);
  return html.stringify(html.runSync(tree)).replaceAll('\n', ' ');
}

/** `{#id}` or `{#id deep}` at the end of a heading. */
function headOf(heading: RootContent): Pick<Section, 'id' | 'deep'> {
  const last = heading.type === 'heading' ? heading.children.at(-1) : undefined;
  const [all, id, deep] =
    (last?.type === 'text' && /\s*\{#([\w-]+)( deep)?\}$/u.exec(last.value)) || [];
  if (last?.type !== 'text' || !all || !id) return fail('a heading without {#id}', heading);
  last.value = last.value.slice(0, -all.length);
  return { id, deep: deep !== undefined };
}

function sectionOf(nodes: readonly RootContent[]): Section {
  const head = headOf(nodes[0]);
  const [heading, lede] = nodes;
  if (lede?.type === 'paragraph') lede.data = { hProperties: { className: 'lede' } } as never;
  const parts: Record<'text' | 'after' | 'end', Block[]> = { text: [], after: [], end: [] };
  let into = parts.text;
  let title: string | undefined;
  let waiting: RootContent[] = [];
  const flush = () => {
    if (waiting.length > 0) into.push({ html: typesetBlocks(waiting) });
    waiting = [];
  };
  for (const node of nodes) {
    if (node.type !== 'leafDirective') {
      waiting.push(node);
      continue;
    }
    flush();
    if (node.name === 'end') {
      into = parts.end;
      continue;
    }
    if (node.name !== 'figure') {
      into.push({ slot: node.name });
      continue;
    }
    if (title !== undefined) fail('a second figure', node);
    title = plain(node.children);
    into = parts.after;
  }
  flush();
  if (title === undefined) return fail('a section without its figure', heading);
  return { ...head, title, ...parts };
}

/** The nodes of each section, its heading first. */
function sectionsOf(source: string): RootContent[][] {
  const sections: RootContent[][] = [];
  for (const node of parser.parse(source).children) {
    if (node.type === 'heading' && node.depth <= 2) sections.push([]);
    if (sections.length === 0) fail('words before the first heading', node);
    sections.at(-1)!.push(node);
  }
  return sections;
}

export const compileProse = (source: string): readonly Section[] =>
  sectionsOf(source).map(sectionOf);

/**
 * How long a chapter takes to read without what goes deeper: 200 words a minute, one minute to look at a figure, half of
 * one for a guess.
 */
export function minutesOf(source: string): number {
  let [words, minutes] = [0, 0];
  const count = (node: RootContent): void => {
    if (node.type === 'leafDirective')
      minutes += node.name === 'figure' ? 1 : node.name === 'end' ? 0 : 0.5;
    else if (node.type === 'text') words += node.value.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
    else if (node.type === 'inlineMath' || node.type === 'math') words++;
    else if ('children' in node) for (const child of node.children) count(child as RootContent);
  };
  for (const nodes of sectionsOf(source)) if (!headOf(nodes[0]).deep) nodes.forEach(count);
  return Math.max(1, Math.round(minutes + words / 200));
}
