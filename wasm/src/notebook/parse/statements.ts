// Statements, from the grammar's tree.
import { Raised } from '../language/errors.js';
import { ExpressionReader } from './expressions.js';
import { parseTree, type SyntaxNode } from './grammar.js';
import { Source, split } from './reader.js';
import type { Expression, Statement } from './syntax.js';

/** Statements of Python that are not supported, and their replacements. */
const refused: Readonly<Record<string, readonly [string, string]>> = {
  TryStatement: ['try', 'test with if first, or let the error stop the program'],
  YieldStatement: ['yield', 'return a list'],
  MatchStatement: ['match', 'write if and elif'],
  TypeDefinition: ['type', 'leave it out'],
  PrintStatement: ['print without parentheses', 'write print(...)'],
};

class StatementReader {
  readonly #expressions: ExpressionReader;

  constructor(readonly source: Source) {
    this.#expressions = new ExpressionReader(source);
  }

  block = (node: SyntaxNode): Statement[] =>
    this.source
      .children(node)
      .filter(({ name }) => name !== ':')
      .flatMap((each) => this.source.inside(each, () => this.#statements(each)));

  #statements(node: SyntaxNode): Statement[] {
    if (node.name === 'StatementGroup') {
      const parts = this.source.children(node).filter(({ name }) => name !== ';');
      return parts.flatMap((part) => this.#statements(part));
    }
    if (node.name === 'ImportStatement') return this.#imports(node);
    return [this.#statement(node)];
  }

  #statement(node: SyntaxNode, decorators: readonly string[] = []): Statement {
    const { source } = this;
    const line = source.lineOf(node);
    const nodes = source.children(node);
    const rest = nodes.slice(1);
    const read = this.#expressions.read;
    const list = (parts: readonly SyntaxNode[]) => this.#expressions.readList(parts, node);
    switch (node.name) {
      case 'ExpressionStatement':
        return { kind: 'expression', value: list(nodes), line };
      case 'AssignStatement':
        return this.#assign(nodes, node, line);
      case 'UpdateStatement': {
        const at = nodes.findIndex(({ name }) => name === 'UpdateOp');
        const target = list(nodes.slice(0, at));
        const value = list(nodes.slice(at + 1));
        const sign = source.text(nodes[at]!).slice(0, -1);
        const right = source.code.slice(nodes[at + 1]!.from, node.to);
        const texts = [source.code.slice(node.from, nodes[at]!.from).trim(), right] as const;
        return { kind: 'update', target: this.#target(target), sign, value, texts, line };
      }
      case 'DecoratedStatement': {
        const names = nodes
          .filter(({ name }) => name === 'Decorator')
          .map((each) => source.text(each).slice(1).trim());
        return this.#statement(nodes.at(-1)!, names);
      }
      case 'FunctionDefinition': {
        if (nodes[0]!.name === 'async') throw source.outside(node, 'async', 'write def alone');
        const parameters = this.#expressions.parameters(this.#child(nodes, 'ParamList', node));
        const body = this.block(this.#child(nodes, 'Body', node));
        return { kind: 'def', name: source.text(nodes[1]!), parameters, body, decorators, line };
      }
      case 'ClassDefinition': {
        if (decorators.length > 0) throw source.outside(node, `the decorator @${decorators[0]}`);
        const list = nodes.find(({ name }) => name === 'ArgList');
        const args = list ? this.#expressions.args(list) : [];
        const wrong = args.find(({ name, star }) => name !== undefined || star);
        if (wrong)
          throw source.outside(node, `${wrong.name ?? wrong.star} among the bases of a class`);
        const body = this.block(this.#child(nodes, 'Body', node));
        const bases = args.map(({ value }) => value);
        return { kind: 'class', name: source.text(nodes[1]!), bases, body, line };
      }
      case 'ReturnStatement':
        return { kind: 'return', value: rest.length > 0 ? list(rest) : undefined, line };
      case 'IfStatement': {
        const parts = this.#blocks(nodes);
        const tests = parts
          .filter(({ word }) => word !== 'else')
          .map(({ head, body }) => ({ test: list(head), body }));
        return { kind: 'if', tests, otherwise: this.#otherwise(parts), line };
      }
      case 'WhileStatement': {
        const parts = this.#blocks(nodes);
        const { head, body } = parts[0]!;
        return { kind: 'while', test: list(head), body, otherwise: this.#otherwise(parts), line };
      }
      case 'ForStatement': {
        if (nodes[0]!.name === 'async') throw source.outside(node, 'async', 'write for alone');
        const parts = this.#blocks(nodes);
        const { head, body } = parts[0]!;
        const at = head.findIndex(({ name }) => name === 'in');
        if (at < 0) throw source.wrong(node);
        const target = this.#target(list(head.slice(0, at)));
        const over = list(head.slice(at + 1));
        return { kind: 'for', target, over, body, otherwise: this.#otherwise(parts), line };
      }
      case 'PassStatement':
        return { kind: 'pass', line };
      case 'BreakStatement':
        return { kind: 'break', line };
      case 'ContinueStatement':
        return { kind: 'continue', line };
      case 'RaiseStatement':
        return { kind: 'raise', value: rest[0] && read(rest[0]), line };
      case 'AssertStatement': {
        const [test, message] = split(rest).map((part) => read(part[0]!));
        if (!test) throw source.wrong(node);
        return { kind: 'assert', test, message, line };
      }
      case 'DeleteStatement':
        return { kind: 'delete', targets: split(rest).map((part) => read(part[0]!)), line };
      case 'ScopeStatement': {
        const names = split(rest).map((part) => source.text(part[0]!));
        return { kind: 'scope', type: nodes[0]!.name, names, line };
      }
      case 'WithStatement': {
        const body = this.block(this.#child(nodes, 'Body', node));
        return { kind: 'with', value: read(rest[0]!), body, line };
      }
      default: {
        const [what, instead] = refused[node.name] ?? [];
        throw what ? source.outside(node, what, instead) : source.wrong(node);
      }
    }
  }

  #child(nodes: readonly SyntaxNode[], name: string, near: SyntaxNode): SyntaxNode {
    const found = nodes.find((node) => node.name === name);
    if (found) return found;
    throw this.source.wrong(near);
  }

  /** The parts of an if, a while or a for: its keywords, the nodes after each, and its block. */
  #blocks(nodes: readonly SyntaxNode[]) {
    const parts: { word: string; head: SyntaxNode[]; body: Statement[] }[] = [];
    let head: SyntaxNode[] = [];
    for (const node of nodes) {
      if (node.name !== 'Body') head.push(node);
      else {
        const body = this.block(node);
        parts.push({ word: head[0]?.name ?? '', head: head.slice(1), body });
        head = [];
      }
    }
    if (parts.length === 0 || head.length > 0) throw this.source.wrong(nodes[0]!);
    return parts;
  }

  #otherwise = (parts: readonly { word: string; body: Statement[] }[]): Statement[] =>
    parts.slice(1).find(({ word }) => word === 'else')?.body ?? [];

  #target(target: Expression): Expression {
    if (['name', 'attribute', 'subscript'].includes(target.kind)) return target;
    if (target.kind === 'display' && target.type !== 'set') {
      for (const { value } of target.items) this.#target(value);
      return target;
    }
    const problem = `cannot assign to ${target.kind === 'call' ? 'function call' : 'expression'}`;
    throw new Raised('SyntaxError', problem, target.line);
  }

  #assign(nodes: readonly SyntaxNode[], near: SyntaxNode, line: number): Statement {
    const parts: SyntaxNode[][] = [[]];
    for (const node of nodes) {
      if (node.name === 'AssignOp') parts.push([]);
      else if (node.name !== 'TypeDef') parts.at(-1)!.push(node);
    }
    if (parts.length < 2) return { kind: 'pass', line }; // x: int
    const values = parts.map((part) => this.#expressions.readList(part, near));
    const targets = values.slice(0, -1).map((each) => this.#target(each));
    return { kind: 'assign', targets, value: values.at(-1)!, line };
  }

  #imports(node: SyntaxNode): Statement[] {
    const line = this.source.lineOf(node);
    const nodes = this.source.children(node).filter(({ name }) => name !== '(' && name !== ')');
    const at = nodes.findIndex(({ name }) => name === 'import');
    const nameOf = (part: readonly SyntaxNode[]) => part.map(this.source.text).join('');
    const parts = split(nodes.slice(at + 1)).map((part) => {
      const as = part.findIndex(({ name }) => name === 'as');
      const name = nameOf(as < 0 ? part : part.slice(0, as));
      return [name, as < 0 ? undefined : nameOf(part.slice(as + 1))] as const;
    });
    if (nodes[0]!.name === 'import') {
      return parts.map(([module, alias]) => ({ kind: 'import', module, alias, line }));
    }
    const names = parts.map(([name, alias]) => [name, alias ?? name] as const);
    return [{ kind: 'import', module: nameOf(nodes.slice(1, at)), names, line }];
  }
}

/**
 * A program, with `before` lines before it. @throws Raised for code that is not a program, or is outside the
 * subset
 */
export function readProgram(code: string, before = 0): Statement[] {
  return new StatementReader(new Source(code, before)).block(parseTree(code));
}
