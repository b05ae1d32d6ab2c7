// Expressions, evaluated immediately; array operations run on the core.
import type {
  Clause,
  Expression,
  FormatPart,
  Literal,
  Parameter,
  Statement,
} from '../parse/syntax.js';
import { joined, raise } from './errors.js';
import { format, repr, str } from './format.js';
import { ObjectProtocol } from './object-protocol.js';
import { compare, truth } from './comparisons.js';
import { binary, unary } from './operators.js';
import { Scope } from './scope.js';
import { Signature } from './signature.js';
import {
  Builtin,
  Dict,
  ellipsis,
  Float,
  Func,
  Iterator,
  List,
  type Named,
  Slice,
  Super,
  Tuple,
  typeName,
  type Value,
} from './values.js';

function literalValue(literal: Literal): Value {
  if (literal.type === 'float') return new Float(literal.value);
  if (literal.type === 'None') return null;
  if (literal.type === 'Ellipsis') return ellipsis;
  if (literal.type === 'int' && !Number.isSafeInteger(literal.value)) {
    const text = 'integers here are limited to 53 bits; write a float such as 2.0 ** 60';
    raise('OverflowError', text);
  }
  return 'value' in literal ? literal.value : null;
}

export abstract class Evaluator extends ObjectProtocol {
  #depth = 0;

  /** Runs the statements of a function, and gives the returned value. */
  abstract runBody(body: readonly Statement[], scope: Scope): Value;
  abstract assign(target: Expression, value: Value, scope: Scope): void;

  value(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'literal':
        return literalValue(node.literal);
      case 'name':
        this.recorder.line = node.line;
        return scope.find(node.name);
      case 'binary': {
        const [left, right] = [this.value(node.left, scope), this.value(node.right, scope)];
        this.recorder.line = node.line;
        return binary(node.sign, left, right, node.texts);
      }
      case 'unary': {
        const operand = this.value(node.operand, scope);
        this.recorder.line = node.line;
        return node.sign === 'not' ? !truth(operand) : unary(node.sign, operand);
      }
      case 'logic': {
        const left = this.value(node.left, scope);
        return truth(left) === (node.sign === 'or') ? left : this.value(node.right, scope);
      }
      case 'compare': {
        let left = this.value(node.first, scope);
        let result: Value = true;
        for (const [i, { sign, value }] of node.rest.entries()) {
          if (i > 0 && !truth(result)) return result;
          const right = this.value(value, scope);
          this.recorder.line = node.line;
          result = compare(sign, left, right);
          left = right;
        }
        return result;
      }
      case 'choice':
        return this.value(truth(this.value(node.test, scope)) ? node.then : node.otherwise, scope);
      case 'lambda':
        return this.makeFunction('<lambda>', node.parameters, node.body, scope);
      case 'display':
        return this.#display(node, scope);
      case 'dict': {
        const made = new Dict();
        for (const { key, value } of node.entries) {
          const item = this.value(value, scope);
          if (key) made.set(this.value(key, scope), item);
          else if (item instanceof Dict)
            for (const [name, each] of item.entries.values()) made.set(name, each);
          else raise('TypeError', `'${typeName(item)}' object is not a mapping`);
        }
        return made;
      }
      case 'comprehension':
        return this.#comprehension(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'attribute': {
        const of = this.value(node.of, scope);
        this.recorder.line = node.line;
        return this.attribute(of, node.name);
      }
      case 'subscript': {
        const of = this.value(node.of, scope);
        const index = this.value(node.index, scope);
        this.recorder.line = node.line;
        return this.item(of, index);
      }
      case 'slice': {
        const read = (each?: Expression) => (each ? this.value(each, scope) : null);
        return new Slice(read(node.start), read(node.stop), read(node.step));
      }
      case 'format':
        return this.#format(node.parts, scope);
      case 'walrus': {
        const value = this.value(node.value, scope);
        scope.walrus(node.name, value);
        return value;
      }
    }
  }

  #display(node: Expression & { kind: 'display' }, scope: Scope): Value {
    const items: Value[] = [];
    for (const { star, value } of node.items) {
      const item = this.value(value, scope);
      if (star) for (const each of this.iterate(item)) items.push(each);
      else items.push(item);
    }
    if (node.type === 'tuple') return new Tuple(items);
    if (node.type === 'list') return new List(items);
    const made = new Dict(true);
    for (const item of items) made.set(item, null);
    return made;
  }

  #comprehension(node: Expression & { kind: 'comprehension' }, scope: Scope): Value {
    const inner = new Scope(scope, undefined, undefined, 'comprehension');
    const rounds = this.#rounds(node.clauses, this.value(node.clauses[0]!.over, scope), inner);
    const made = new Dict(node.type === 'set');
    const each = this.#each(rounds, () => {
      const value = this.value(node.item, inner);
      if (node.key) made.set(this.value(node.key, inner), value);
      else if (node.type === 'set') made.set(value, null);
      return value;
    });
    if (node.type === 'generator') return new Iterator('generator', each);
    const items = [...each];
    return node.type === 'list' ? new List(items) : made;
  }

  *#each(rounds: IterableIterator<void>, value: () => Value): IterableIterator<Value> {
    while (!rounds.next().done) yield value();
  }

  /** The iterations of a comprehension's loops, with their names set. */
  *#rounds(clauses: readonly Clause[], over: Value, scope: Scope): IterableIterator<void> {
    const [clause, ...rest] = clauses;
    for (const each of this.iterate(over)) {
      this.assign(clause!.target, each, scope);
      if (!clause!.tests.every((test) => truth(this.value(test, scope)))) continue;
      if (rest.length === 0) yield;
      else yield* this.#rounds(rest, this.value(rest[0]!.over, scope), scope);
    }
  }

  #format(parts: readonly FormatPart[], scope: Scope): string {
    const texts = parts.map((part) => {
      if (typeof part === 'string') return part;
      const value = this.value(part.value, scope);
      const spec = this.#format(part.spec, scope);
      const isRepr = part.conversion === 'r' || (part.label && !part.conversion && !spec);
      const plain = isRepr ? repr(value) : part.conversion === 's' ? str(value) : value;
      return part.label + format(plain, spec);
    });
    return joined(texts, '');
  }

  #call(node: Expression & { kind: 'call' }, scope: Scope): Value {
    const callee = this.value(node.callee, scope);
    const args: Value[] = [];
    const named = new Map<string, Value>();
    for (const { value, name, star } of node.args) {
      const given = this.value(value, scope);
      if (star === '*') for (const each of this.iterate(given)) args.push(each);
      else if (star === '**') {
        if (!(given instanceof Dict)) raise('TypeError', 'argument after ** must be a mapping');
        else for (const [key, each] of given.entries.values()) named.set(String(key), each);
      } else if (name === undefined) args.push(given);
      else if (named.has(name)) raise('SyntaxError', `keyword argument repeated: ${name}`);
      else named.set(name, given);
    }
    this.recorder.line = node.line;
    if (callee instanceof Builtin && callee.name === 'super' && args.length === 0) {
      const { running } = scope;
      return running
        ? new Super(running.self, running.owner.base)
        : raise('RuntimeError', 'super(): no arguments');
    }
    const result = this.call(callee, args, named);
    this.recorder.line = node.line;
    return result;
  }

  makeFunction(
    name: string,
    parameters: readonly Parameter[],
    body: readonly Statement[] | Expression,
    scope: Scope,
    locals: ReadonlySet<string> = new Set(parameters.map((each) => each.name)),
    decorator: Func['decorator'] = '',
  ): Func {
    const slots = parameters.map(({ fallback, ...slot }) => {
      return { ...slot, fallback: fallback && this.value(fallback, scope) };
    });
    const signature = new Signature(name, slots);
    const run = (args: readonly Value[], named: Named): Value => {
      const { owner } = func;
      const method = owner && args.length > 0 ? { owner, self: args[0]! } : undefined;
      const inner = new Scope(scope, locals, method);
      for (const [key, value] of Object.entries(signature.bind(args, named))) {
        inner.names.set(key, value);
      }
      return 'kind' in body ? this.value(body, inner) : this.runBody(body, inner);
    };
    const func = new Func(name, (args, named) => this.#nested(() => run(args, named)), decorator);
    return func;
  }

  /** A nested call. */
  #nested(call: () => Value): Value {
    const { limits, line } = this.recorder;
    if (this.#depth >= limits.depth) {
      const text = `maximum recursion depth exceeded: ${this.#depth} nested calls`;
      raise('RecursionError', text);
    }
    this.#depth += 1;
    try {
      const result = call();
      this.recorder.line = line; // where a call raises, the line is that of the error
      return result;
    } finally {
      this.#depth -= 1;
    }
  }
}
