// Expressions: evaluated at once, each operation of arrays on the core.
import { ArrayValue, Dtype } from '../arrays/array.js';
import { getItem } from '../arrays/indexing.js';
import { arrayAttribute } from '../library/attributes.js';
import { convertTo } from '../library/make-arrays.js';
import { plainAttribute } from '../library/plain-methods.js';
import type { Clause, Expression, FormatPart, Literal, Statement } from '../parse/syntax.js';
import { Raised, outside, raise } from './errors.js';
import { format, repr, str } from './format.js';
import { bind } from './functions.js';
import { itemOf } from './items.js';
import type { Machine } from './machine.js';
import { binary, compare, iterate, truth, unary } from './operators.js';
import { Scope } from './scope.js';
import {
  Builtin,
  ClassValue,
  Dict,
  Float,
  Func,
  Instance,
  Iterator,
  List,
  Method,
  Module,
  type Named,
  Slice,
  Super,
  Tuple,
  type Value,
  ellipsis,
  typeName,
} from './values.js';

const none: Named = new Map();

function literalValue(literal: Literal): Value {
  if (literal.type === 'float') return new Float(literal.value);
  if (literal.type === 'None') return null;
  if (literal.type === 'Ellipsis') return ellipsis;
  if (literal.type === 'int' && !Number.isSafeInteger(literal.value)) {
    raise('OverflowError', 'integers here have at most 53 bits; write a float, as 1e20');
  }
  return 'value' in literal ? literal.value : null;
}

export abstract class Evaluator {
  #depth = 0;

  constructor(readonly machine: Machine) {}

  /** Runs a function's statements; gives what it returns. */
  abstract runBody(body: readonly Statement[], scope: Scope): Value;
  abstract assign(target: Expression, value: Value, scope: Scope): void;

  value(node: Expression, scope: Scope): Value {
    switch (node.kind) {
      case 'literal':
        return literalValue(node.literal);
      case 'name':
        this.machine.line = node.line;
        return scope.find(node.name);
      case 'binary': {
        const [left, right] = [this.value(node.left, scope), this.value(node.right, scope)];
        this.machine.line = node.line;
        return this.binary(node.sign, left, right, node.texts);
      }
      case 'unary': {
        const operand = this.value(node.operand, scope);
        this.machine.line = node.line;
        return node.sign === 'not' ? !this.truth(operand) : unary(node.sign, operand);
      }
      case 'logic': {
        const left = this.value(node.left, scope);
        return this.truth(left) === (node.sign === 'or') ? left : this.value(node.right, scope);
      }
      case 'compare': {
        let left = this.value(node.first, scope);
        let result: Value = true;
        for (const [i, { sign, value }] of node.rest.entries()) {
          if (i > 0 && !this.truth(result)) return result;
          const right = this.value(value, scope);
          this.machine.line = node.line;
          result = this.compare(sign, left, right);
          left = right;
        }
        return result;
      }
      case 'choice':
        return this.value(
          this.truth(this.value(node.test, scope)) ? node.then : node.otherwise,
          scope,
        );
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
        this.machine.line = node.line;
        return this.attribute(of, node.name);
      }
      case 'subscript': {
        const of = this.value(node.of, scope);
        const index = this.value(node.index, scope);
        this.machine.line = node.line;
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
        scope.set(node.name, value);
        return value;
      }
    }
  }

  truth(value: Value): boolean {
    if (!(value instanceof Instance)) return truth(value);
    const own = this.special(value, '__bool__') ?? this.special(value, '__len__');
    return own === undefined || truth(own);
  }

  binary(sign: string, left: Value, right: Value, texts?: readonly [string, string]): Value {
    const names = {
      '+': 'add',
      '-': 'sub',
      '*': 'mul',
      '/': 'truediv',
      '@': 'matmul',
      '**': 'pow',
    };
    const name = names[sign as '+'];
    if (name && left instanceof Instance) {
      const own = this.special(left, `__${name}__`, [right]);
      if (own !== undefined) return own;
    }
    if (name && right instanceof Instance) {
      const own = this.special(right, `__r${name}__`, [left]);
      if (own !== undefined) return own;
    }
    return binary(sign, left, right, texts);
  }

  compare(sign: string, left: Value, right: Value): Value {
    if (left instanceof Instance && sign === '==') {
      const own = this.special(left, '__eq__', [right]);
      if (own !== undefined) return own;
    }
    return compare(sign, left, right);
  }

  *iterate(value: Value): IterableIterator<Value> {
    if (value instanceof Instance) {
      const own = this.special(value, '__iter__');
      if (own !== undefined) {
        yield* this.iterate(own);
        return;
      }
    }
    for (const each of iterate(value)) {
      this.machine.recorder.step();
      yield each;
    }
  }

  #display(node: Expression & { kind: 'display' }, scope: Scope): Value {
    const items: Value[] = [];
    for (const { star, value } of node.items) {
      const item = this.value(value, scope);
      if (star) items.push(...this.iterate(item));
      else items.push(item);
    }
    if (node.type === 'tuple') return new Tuple(items);
    if (node.type === 'list') return new List(items);
    const made = new Dict(true);
    for (const item of items) made.set(item, null);
    return made;
  }

  #comprehension(node: Expression & { kind: 'comprehension' }, scope: Scope): Value {
    const inner = new Scope(scope);
    const items: Value[] = [];
    const dict = new Dict(node.type === 'set');
    const visit = (clauses: readonly Clause[], at: number): void => {
      const clause = clauses[at];
      if (!clause) {
        const value = this.value(node.item, inner);
        if (node.key) dict.set(this.value(node.key, inner), value);
        else if (node.type === 'set') dict.set(value, null);
        else items.push(value);
        return;
      }
      for (const each of this.iterate(this.value(clause.over, at === 0 ? scope : inner))) {
        this.assign(clause.target, each, inner);
        if (clause.tests.every((test) => this.truth(this.value(test, inner))))
          visit(clauses, at + 1);
      }
    };
    visit(node.clauses, 0);
    if (node.type === 'list') return new List(items);
    if (node.type === 'generator') return new Iterator('generator', items.values());
    return dict;
  }

  #format(parts: readonly FormatPart[], scope: Scope): string {
    const special = this.specialOf;
    const text = parts
      .map((part) => {
        if (typeof part === 'string') return part;
        const value = this.value(part.value, scope);
        const spec = this.#format(part.spec, scope);
        if (part.conversion === 'r' || (part.label && !part.conversion && !spec)) {
          return part.label + format(repr(value, special), spec);
        }
        const text =
          part.conversion === 's'
            ? format(str(value, special), spec)
            : format(value, spec, special);
        return part.label + text;
      })
      .join('');
    if (text.length > 1e6) raise('MemoryError', 'a string may have a million characters');
    return text;
  }

  #call(node: Expression & { kind: 'call' }, scope: Scope): Value {
    const callee = this.value(node.callee, scope);
    const args: Value[] = [];
    const named = new Map<string, Value>();
    for (const { value, name, star } of node.args) {
      const given = this.value(value, scope);
      if (star === '*') args.push(...this.iterate(given));
      else if (star === '**') {
        if (!(given instanceof Dict)) raise('TypeError', 'argument after ** must be a mapping');
        else for (const [key, each] of given.entries.values()) named.set(String(key), each);
      } else if (name === undefined) args.push(given);
      else if (named.has(name)) raise('SyntaxError', `keyword argument repeated: ${name}`);
      else named.set(name, given);
    }
    this.machine.line = node.line;
    if (callee instanceof Builtin && callee.name === 'super' && args.length === 0) {
      const running = scope.running;
      if (!running) raise('RuntimeError', 'super(): no arguments');
      return new Super(running!.self, running!.owner.base);
    }
    if (callee instanceof Builtin && callee.name === 'locals') throw outside('locals()');
    const result = this.call(callee, args, named);
    this.machine.line = node.line;
    return result;
  }

  call(callee: Value, args: readonly Value[], named: Named = none): Value {
    this.machine.recorder.step();
    if (callee instanceof Builtin) return callee.call(args, named);
    if (callee instanceof Func) return this.#run(callee, args, named);
    if (callee instanceof Method) return this.call(callee.func, [callee.self, ...args], named);
    if (callee instanceof ClassValue) return this.machine.makeInstance(callee, args, named);
    if (callee instanceof Dtype) return convertTo(this.machine, callee, args);
    if (callee instanceof Instance) {
      const own = callee.type.find('__call__');
      if (own instanceof Func || own instanceof Builtin)
        return this.call(own, [callee, ...args], named);
    }
    return raise('TypeError', `'${typeName(callee)}' object is not callable`);
  }

  #run(func: Func, args: readonly Value[], named: Named): Value {
    if (++this.#depth > this.machine.recorder.limits.depth) {
      raise(
        'RecursionError',
        `maximum recursion depth exceeded: ${this.#depth - 1} calls are in each other`,
      );
    }
    const owner = func.owner;
    const method = owner && args.length > 0 ? { owner, self: args[0]! } : undefined;
    const scope = new Scope(func.scope as Scope, func.locals, method);
    for (const [name, value] of bind(func, args, named)) scope.names.set(name, value);
    const { line } = this.machine;
    const { body } = func;
    const result = Array.isArray(body)
      ? this.runBody(body as readonly Statement[], scope)
      : this.value(body as Expression, scope);
    this.machine.line = line;
    this.#depth -= 1;
    return result;
  }

  makeFunction(
    name: string,
    parameters: Func['parameters'],
    body: Func['body'],
    scope: Scope,
    locals: ReadonlySet<string> = new Set(parameters.map((each) => each.name)),
  ): Func {
    const fallbacks = new Map<string, Value>();
    for (const each of parameters) {
      if (each.fallback) fallbacks.set(each.name, this.value(each.fallback, scope));
    }
    return new Func(name, parameters, fallbacks, body, scope, locals, undefined);
  }

  /** A method with two underscores that a class of the program has, called. */
  special = (value: Value, name: string, args: readonly Value[] = []): Value | undefined => {
    const found = value instanceof Instance ? value.type.find(name) : undefined;
    return found instanceof Func ? this.call(found, [value, ...args]) : undefined;
  };
  readonly specialOf = (value: Instance, name: string): Value | undefined =>
    this.special(value, name);

  attribute(value: Value, name: string): Value {
    if (value instanceof Module) {
      const found = value.names.get(name);
      if (found !== undefined) return found;
      const known = [...value.names.keys()].filter(
        (each) => each.toLowerCase() === name.toLowerCase(),
      );
      const guess = known[0]
        ? `; did you mean '${known[0]}'?`
        : ', at least not in the subset that runs here';
      return raise('AttributeError', `module '${value.name}' has no attribute '${name}'${guess}`);
    }
    if (value instanceof ArrayValue) return arrayAttribute(value, name);
    if (value instanceof Instance) {
      const own = value.names.get(name);
      if (own !== undefined) return own;
      const found = this.#bound(value.type.find(name), value);
      if (found !== undefined) return found;
      if (name === '__class__') return value.type;
    } else if (value instanceof Super) {
      const found = this.#bound(value.type?.find(name), value.self);
      if (found !== undefined) return found;
      if (name === '__init__') return new Builtin('__init__', () => null);
      return raise('AttributeError', `'super' object has no attribute '${name}'`);
    } else if (value instanceof ClassValue) {
      const found = value.find(name);
      if (found !== undefined) return found;
      if (name === '__name__') return value.name;
      return raise('AttributeError', `type object '${value.name}' has no attribute '${name}'`);
    } else {
      const found = plainAttribute(this.machine, value, name);
      if (found !== undefined) return found;
    }
    return raise('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`);
  }

  #bound(found: Value | undefined, self: Value): Value | undefined {
    if (!(found instanceof Func) && !(found instanceof Builtin)) return found;
    if (found instanceof Func && found.name.startsWith('property '))
      return this.call(found, [self]);
    return new Method(self, found);
  }

  /** `value[index]` */
  item(value: Value, index: Value): Value {
    if (value instanceof ArrayValue) return getItem(value, index);
    if (value instanceof Dict && !value.isSet) {
      const found = value.get(index);
      if (found !== undefined) return found;
      throw new Raised('KeyError', repr(index));
    }
    if (value instanceof Instance) {
      const own = this.special(value, '__getitem__', [index]);
      if (own !== undefined) return own;
      const items = value.names.get('_items');
      if (items instanceof List) return this.item(items, index);
    }
    return itemOf(value, index);
  }
}
