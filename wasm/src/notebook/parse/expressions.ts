// Expressions, from the grammar's tree.
import type { SyntaxNode } from './grammar.js';
import { kept, split, type Source } from './reader.js';
import { formatParts, readNumber, stringOf } from './strings.js';
import type { Argument, Clause, Expression, Item, Parameter } from './syntax.js';

const signs = ['ArithOp', 'BitOp', 'CompareOp'];

export class ExpressionReader {
  constructor(readonly source: Source) {}

  read = (node: SyntaxNode): Expression => this.source.inside(node, () => this.#read(node));

  /** The expression between commas: one, or a tuple of several. */
  readList(nodes: readonly SyntaxNode[], near: SyntaxNode): Expression {
    const parts = split(nodes);
    if (parts.length === 0) throw this.source.wrong(near);
    const isTuple = nodes.some(({ name }) => name === ',') || parts[0]![0]!.name === '*';
    if (!isTuple) return this.#one(parts[0]!);
    const line = this.source.lineOf(nodes[0]!);
    return { kind: 'display', type: 'tuple', items: this.#items(parts), line };
  }

  #one(nodes: readonly SyntaxNode[]): Expression {
    if (nodes.length !== 1) throw this.source.wrong(nodes[1] ?? nodes[0]!);
    return this.read(nodes[0]!);
  }

  #items = (parts: readonly (readonly SyntaxNode[])[]): Item[] =>
    parts.map((part) => {
      const star = part[0]!.name === '*';
      return { star, value: this.#one(star ? part.slice(1) : part) };
    });

  #read(node: SyntaxNode): Expression {
    const { source } = this;
    const line = source.lineOf(node);
    const text = source.text(node);
    // The grammar has seen a 0 in place of the point.
    if (/^\d[\d_]*\.(?:e[+-]?\d+)?$/i.test(text)) {
      return {
        kind: 'literal',
        literal: { type: 'float', value: Number(text.replaceAll('_', '')) },
        line,
      };
    }
    const nodes = source.children(node);
    switch (node.name) {
      case 'Number': {
        const literal = readNumber(text);
        if (literal) return { kind: 'literal', literal, line };
        if (/j$/i.test(text)) throw source.outside(node, `the complex number ${text}`);
        throw source.wrong(node, `invalid number: ${text}`);
      }
      case 'String':
        return {
          kind: 'literal',
          literal: { type: 'str', value: stringOf(this.source, node) },
          line,
        };
      case 'FormatString':
        return { kind: 'format', parts: formatParts(this, node), line };
      case 'ContinuedString': {
        const parts = nodes.flatMap((each) =>
          each.name === 'FormatString' ? formatParts(this, each) : [stringOf(this.source, each)],
        );
        return { kind: 'format', parts, line };
      }
      case 'Boolean':
        return { kind: 'literal', literal: { type: 'bool', value: text === 'True' }, line };
      case 'None':
      case 'Ellipsis':
        return { kind: 'literal', literal: { type: node.name }, line };
      case 'VariableName':
        return { kind: 'name', name: text, line };
      case 'ParenthesizedExpression':
        return this.#one(kept(nodes));
      case 'TupleExpression':
      case 'ArrayExpression':
      case 'SetExpression': {
        const type = ({ T: 'tuple', A: 'list', S: 'set' } as const)[node.name[0] as 'T'];
        return { kind: 'display', type, items: this.#items(split(kept(nodes))), line };
      }
      case 'DictionaryExpression':
        return { kind: 'dict', entries: split(kept(nodes)).map((part) => this.#entry(part)), line };
      case 'ArrayComprehensionExpression':
        return this.#comprehension('list', kept(nodes), line);
      case 'SetComprehensionExpression':
        return this.#comprehension('set', kept(nodes), line);
      case 'DictionaryComprehensionExpression':
        return this.#comprehension('dict', kept(nodes), line);
      case 'ComprehensionExpression':
        return this.#comprehension('generator', kept(nodes), line);
      case 'UnaryExpression':
        return { kind: 'unary', sign: source.text(nodes[0]!), operand: this.read(nodes[1]!), line };
      case 'BinaryExpression':
        return this.#binary(nodes, line);
      case 'ConditionalExpression': {
        const [then, , test, , otherwise] = nodes;
        if (!otherwise) throw source.wrong(node);
        const [a, b, c] = [then!, test!, otherwise].map(this.read);
        return { kind: 'choice', test: b!, then: a!, otherwise: c!, line };
      }
      case 'LambdaExpression': {
        const list = nodes.find(({ name }) => name === 'ParamList');
        const parameters = list ? this.parameters(list) : [];
        return { kind: 'lambda', parameters, body: this.read(nodes.at(-1)!), line };
      }
      case 'NamedExpression': {
        const value = this.read(nodes.at(-1)!);
        return { kind: 'walrus', name: source.text(nodes[0]!), value, line };
      }
      case 'CallExpression':
        return {
          kind: 'call',
          callee: this.read(nodes[0]!),
          args: this.args(nodes[1]!),
          line,
        };
      case 'MemberExpression': {
        const of = this.read(nodes[0]!);
        if (nodes[1]!.name === '.') {
          if (!nodes[2]) throw source.wrong(node);
          return { kind: 'attribute', of, name: source.text(nodes[2]), line };
        }
        return { kind: 'subscript', of, index: this.#index(nodes.slice(2, -1), node), line };
      }
      case 'YieldExpression':
      case 'AwaitExpression':
        throw source.outside(node, text.split(/\s/)[0]!, 'return a list');
      default:
        throw source.wrong(node);
    }
  }

  #entry(part: readonly SyntaxNode[]): { key?: Expression; value: Expression } {
    if (part[0]!.name === '**') return { value: this.#one(part.slice(1)) };
    const colon = part.findIndex(({ name }) => name === ':');
    if (colon < 0) throw this.source.wrong(part[0]!);
    return { key: this.#one(part.slice(0, colon)), value: this.#one(part.slice(colon + 1)) };
  }

  #comprehension(
    type: 'list' | 'set' | 'dict' | 'generator',
    nodes: readonly SyntaxNode[],
    line: number,
  ): Expression {
    const first = nodes.findIndex(({ name }) => name === 'for');
    if (nodes.some(({ name }) => name === 'async')) throw this.source.outside(nodes[0]!, 'async');
    const head = nodes.slice(0, first);
    const colon = type === 'dict' ? head.findIndex(({ name }) => name === ':') : -1;
    const item = this.#one(head.slice(colon + 1));
    const clauses: Clause[] = [];
    for (let at = first; at < nodes.length;) {
      const isEnd = ({ name }: SyntaxNode) => name === 'for' || name === 'if';
      const from = nodes.findIndex(({ name }, i) => i > at && name === 'in');
      if (from < 0) throw this.source.wrong(nodes[at]!);
      const target = this.readList(nodes.slice(at + 1, from), nodes[at]!);
      const endOf = (start: number) => {
        const found = nodes.findIndex((node, i) => i >= start && isEnd(node));
        return found < 0 ? nodes.length : found;
      };
      at = endOf(from + 1);
      const over = this.readList(nodes.slice(from + 1, at), nodes[from]!);
      const tests: Expression[] = [];
      while (nodes[at]?.name === 'if') {
        const end = endOf(at + 1);
        tests.push(this.#one(nodes.slice(at + 1, end)));
        at = end;
      }
      clauses.push({ target, over, tests });
    }
    const key = colon < 0 ? undefined : this.#one(head.slice(0, colon));
    return { kind: 'comprehension', type, key, item, clauses, line };
  }

  #binary(nodes: readonly SyntaxNode[], line: number): Expression {
    const [left, right] = [nodes[0]!, nodes.at(-1)!];
    const between = nodes.slice(1, -1);
    if (between.length === 0) throw this.source.wrong(right);
    const sign = between.map(this.source.text).join(' ');
    const isComparison =
      between[0]!.name === 'CompareOp' || !signs.includes(between[0]!.name) || sign === '!=';
    if (sign === 'and' || sign === 'or' || !isComparison) {
      const kind = isComparison ? 'logic' : 'binary';
      const texts = [this.source.text(left), this.source.text(right)] as const;
      return { kind, sign, left: this.read(left), right: this.read(right), texts, line };
    }
    const first = this.read(left);
    const last = { sign, value: this.read(right) };
    // `a < b < c` is one comparison; in brackets, a < b is a value.
    if (left.name === 'BinaryExpression' && first.kind === 'compare') {
      return { ...first, rest: [...first.rest, last], line };
    }
    return { kind: 'compare', first, rest: [last], line };
  }

  /** The expression in square brackets after a value. */
  #index(nodes: readonly SyntaxNode[], near: SyntaxNode): Expression {
    const parts = split(nodes);
    if (parts.length === 0) throw this.source.wrong(near);
    const values = parts.map((part) => this.#place(part));
    if (!nodes.some(({ name }) => name === ',')) return values[0]!;
    const items = values.map((value) => ({ star: false, value }));
    return { kind: 'display', type: 'tuple', items, line: this.source.lineOf(near) };
  }

  #place(part: readonly SyntaxNode[]): Expression {
    const colons = part.flatMap(({ name }, i) => (name === ':' ? [i] : []));
    if (colons.length === 0) return this.#one(part);
    if (colons.length > 2) throw this.source.wrong(part[0]!);
    const bounds = [-1, ...colons].map((colon, i) => {
      const inner = part.slice(colon + 1, colons[i] ?? part.length);
      return inner.length === 0 ? undefined : this.#one(inner);
    });
    const [start, stop, step] = bounds;
    return { kind: 'slice', start, stop, step, line: this.source.lineOf(part[0]!) };
  }

  args(list: SyntaxNode): Argument[] {
    const nodes = kept(this.source.children(list));
    if (nodes.some(({ name }) => name === 'for')) {
      const value = this.#comprehension('generator', nodes, this.source.lineOf(list));
      return [{ value, star: '' }];
    }
    return split(nodes).map((part): Argument => {
      const first = part[0]!.name;
      if (first === '*' || first === '**') return { value: this.#one(part.slice(1)), star: first };
      if (part[1]?.name !== 'AssignOp') return { value: this.#one(part), star: '' };
      const value = this.#one(part.slice(2));
      return { value, name: this.source.text(part[0]!), star: '' };
    });
  }

  parameters(list: SyntaxNode): Parameter[] {
    let namedOnly = false;
    const nodes = this.source.children(list).filter(({ name }) => name !== '(' && name !== ')');
    return split(nodes).flatMap((part): Parameter[] => {
      if (part[0]!.name === '/') return [];
      const star = part[0]!.name === '*' ? '*' : part[0]!.name === '**' ? '**' : '';
      const own = star ? part.slice(1) : part;
      const wasNamedOnly = namedOnly;
      if (star === '*') namedOnly = true;
      if (own.length === 0) return [];
      const equals = own.findIndex(({ name }) => name === 'AssignOp');
      const fallback = equals < 0 ? undefined : this.#one(own.slice(equals + 1));
      if (own[0]!.name !== 'VariableName') throw this.source.wrong(own[0]!);
      return [{ name: this.source.text(own[0]!), fallback, star, namedOnly: wasNamedOnly }];
    });
  }
}
